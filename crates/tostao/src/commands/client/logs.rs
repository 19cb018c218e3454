//! `tostao logs`: what programs sent with API keys, and what they were answered.

use std::time::Duration;

use clap::{Args, Subcommand};
use serde_json::Value;
use tokio::time::sleep;
use url::form_urlencoded::Serializer;

use crate::commands::client::Done;
use crate::commands::client::api::{Api, ApiArgs, is_passing, plain, rows};
use crate::commands::client::failure::Failure;
use crate::commands::client::span::span;
use crate::commands::client::sse::Events;
use crate::commands::client::terminal::{Terminal, clean};
use crate::commands::mention;
use crate::commands::serve::asked_to_stop;

const REQUESTS: &str = "/api/requests";
/// How many requests of before `tail` begins with.
const BEFORE: u64 = 10;
/// The rows of one page.
const PAGE: u64 = 100;
/// Before the id of any request.
const NOTHING: &str = "00000000-0000-0000-0000-000000000000";
/// How long `tail` waits before it connects again.
const PAUSE: Duration = Duration::from_secs(1);

/// The commands about the request log.
#[derive(Debug, Subcommand)]
pub enum LogsCommand {
    /// Show the last requests, and those that come
    Tail(FilterArgs),
    /// Show a request with its bodies
    Show {
        /// The X-Request-Id of the response
        request: String,
        #[command(flatten)]
        api: ApiArgs,
    },
    /// Count what was refused, by its kind
    Errors(FilterArgs),
}

/// Which requests to show.
#[derive(Debug, Args)]
pub struct FilterArgs {
    /// Only with these statuses, such as 404 or 4xx,5xx
    #[arg(long)]
    status: Option<String>,
    /// Only with this method
    #[arg(long)]
    method: Option<String>,
    /// Only to this route, such as /api/v1/transactions/{id}, or all that begin so, such as
    /// "/api/v1/transactions*"
    #[arg(long, value_name = "ROUTE")]
    path: Option<String>,
    /// Only with this error code
    #[arg(long)]
    code: Option<String>,
    /// Only with the API key that ends so
    #[arg(long = "last4", value_name = "LAST4")]
    key_last4: Option<String>,
    /// Only of the last 45s, 10m, 2h or 30d
    #[arg(long, value_parser = span, value_name = "SPAN")]
    since: Option<Duration>,
    #[command(flatten)]
    api: ApiArgs,
}

struct Tail {
    api: Api,
    filter: String,
    /// Whether all of a span is wanted.
    is_since: bool,
    terminal: Terminal,
    /// The request that was shown last.
    last: Option<String>,
}

impl LogsCommand {
    /// Where the command prints.
    pub fn terminal(&self) -> Terminal {
        match self {
            Self::Tail(args) | Self::Errors(args) => args.api.terminal(),
            Self::Show { api, .. } => api.terminal(),
        }
    }
}

/// Runs a command about the request log.
pub async fn run(command: LogsCommand) -> Done {
    let terminal = command.terminal();
    match command {
        LogsCommand::Tail(args) => {
            let api = args.api.api()?;
            let filter = args.filter(&api);
            let stop = asked_to_stop()?;
            let is_since = args.since.is_some();
            let mut tail = Tail { api, filter, is_since, terminal, last: None };
            tokio::select! {
                ended = tail.run() => ended,
                () = stop => Ok(()),
            }
        }
        LogsCommand::Show { request, api } => {
            let found = api.api()?.get(&format!("{REQUESTS}/{request}")).await?;
            let text = || serde_json::to_string_pretty(&found["data"]).unwrap_or_default();
            terminal.print(text, &found["data"])
        }
        LogsCommand::Errors(args) => {
            let api = args.api.api()?;
            let groups = rows(api.get(&format!("{REQUESTS}/errors?{}", args.filter(&api))).await?);
            let widths = Widths::of(&groups);
            for group in &groups {
                terminal.print(|| kind(group, widths, terminal), group)?;
            }
            terminal.expect_some(&groups, terminal.lang.cli_no_refusals())
        }
    }
}

impl FilterArgs {
    /// The query of a filter.
    fn filter(&self, api: &Api) -> String {
        // The log has the real time, also where the test clock runs ahead.
        let from = self.since.map(|since| api.sources.now().minus(since).to_string());
        let mut query = Serializer::new(String::new());
        let pairs = [
            ("status", &self.status),
            ("method", &self.method),
            ("route", &self.path),
            ("code", &self.code),
            ("keyLast4", &self.key_last4),
            ("from", &from),
        ];
        for (name, value) in pairs {
            if let Some(value) = value {
                query.append_pair(name, value);
            }
        }
        query.finish()
    }
}

impl Tail {
    /// Shows requests, and connects again whenever the connection ends, until the server refuses.
    #[expect(clippy::disallowed_methods, reason = "a server comes back without a notice")]
    async fn run(&mut self) -> Done {
        for request in self.before().await? {
            self.show(&request)?;
        }
        loop {
            match self.follow().await {
                Ok(()) => {}
                Err(Failure::NotReached(cause)) => mention(&clean(&cause)),
                Err(Failure::Refused(refusal)) if is_passing(refusal.status) => {
                    mention(&clean(&refusal.to_string()));
                }
                Err(failure) => return Err(failure),
            }
            sleep(PAUSE).await;
        }
    }

    /// The requests of before, oldest first: all of the span, or the last few.
    async fn before(&self) -> Result<Vec<Value>, Failure> {
        let limit = if self.is_since { PAGE } else { BEFORE };
        let (mut before, mut cursor) = (Vec::new(), String::new());
        loop {
            let path = format!("{REQUESTS}?limit={limit}&cursor={cursor}&{}", self.filter);
            let page = self.api.get(&path).await?;
            let next = page["pagination"]["nextCursor"].as_str().map(str::to_owned);
            before.extend(rows(page));
            match next.filter(|_| self.is_since) {
                Some(next) => cursor = next,
                None => break,
            }
        }
        before.reverse();
        Ok(before)
    }

    /// Shows what comes on one connection.
    async fn follow(&mut self) -> Done {
        let path = format!("{REQUESTS}/stream?{}", self.filter);
        // Where nothing came before, whatever came since is new.
        let last = self.last.as_deref().or(Some(NOTHING));
        let mut events = Events::of(self.api.resume(&path, last).await?);
        while let Some(event) = events.next().await {
            if event.name == "request" {
                self.show(&serde_json::from_str(&event.data)?)?;
            }
        }
        Ok(())
    }

    fn show(&mut self, request: &Value) -> Done {
        self.last = request["id"].as_str().map(str::to_owned);
        self.terminal.print(|| line(request), request)
    }
}

/// A request as a line.
fn line(request: &Value) -> String {
    let ms = request["durationMicros"].as_u64().unwrap_or_default().div_ceil(1_000);
    let (dry_run, refusal) = (request["dryRun"].as_bool().unwrap_or_default(), refusal(request));
    let notes = [if dry_run { "dryRun" } else { "" }, &refusal].join(" ");
    let line = format!(
        "{}  {:<6} {}  {}  {ms} ms  {}  {}",
        plain(&request["createdAt"]),
        plain(&request["method"]),
        plain(&request["path"]),
        request["status"],
        plain(&request["requestId"]),
        notes.trim(),
    );
    line.trim_end().to_owned()
}

/// How wide the columns of refused requests are.
#[derive(Debug, Clone, Copy, Default)]
struct Widths {
    route: usize,
    refusal: usize,
    count: usize,
}

impl Widths {
    fn of(groups: &[Value]) -> Self {
        let widest = |text: fn(&Value) -> String| {
            groups.iter().map(|group| text(group).chars().count()).max().unwrap_or_default()
        };
        Self {
            route: widest(route),
            refusal: widest(refusal),
            count: widest(|group| group["count"].to_string()),
        }
    }
}

/// Refused requests of one kind as a line, in columns.
fn kind(group: &Value, widths: Widths, terminal: Terminal) -> String {
    let Widths { route: wide, refusal: wider, count: digits } = widths;
    let count = format!("{:>digits$}", group["count"].to_string());
    format!(
        "{:<wide$}   {} {:<wider$}   {}",
        route(group),
        group["status"],
        refusal(group),
        terminal.lang.cli_refused_so_often(&count, plain(&group["example"])),
    )
}

/// The method and the route of refused requests.
fn route(group: &Value) -> String {
    ["method", "route"].map(|name| plain(&group[name])).join(" ")
}

/// Why a request, or those of a kind, were refused.
fn refusal(refused: &Value) -> String {
    let parts = ["code", "field", "fieldCode"].iter().filter_map(|name| refused[name].as_str());
    parts.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Widths, kind, line};
    use crate::commands::client::terminal::{Output, Terminal};
    use crate::platform::messages::Lang;

    #[test]
    fn a_dry_run_is_marked_whether_or_not_it_was_refused() {
        let table = [
            (json!({ "dryRun": true, "requestId": "one" }), "one  dryRun"),
            (
                json!({ "dryRun": true, "requestId": "one", "code": "OUT_OF_STOCK" }),
                "one  dryRun OUT_OF_STOCK",
            ),
            (json!({ "requestId": "one", "code": "OUT_OF_STOCK" }), "one  OUT_OF_STOCK"),
        ];
        for (request, end) in table {
            assert!(line(&request).ends_with(end), "{}", line(&request));
        }
    }

    #[test]
    fn refusals_stand_in_columns() {
        let group = |route: &str, code: &str, count: i64| {
            json!({
                "method": "POST", "route": route, "status": 400, "code": code, "count": count,
                "example": "r-1",
            })
        };
        let groups = [group("/api/a", "VALIDATION_ERROR", 12), group("/api/longer", "GONE", 3)];
        let terminal = Terminal { output: Output::Text, lang: Lang::En };
        let lines = groups.each_ref().map(|group| kind(group, Widths::of(&groups), terminal));
        let expected = [
            "POST /api/a        400 VALIDATION_ERROR   12×   last r-1",
            "POST /api/longer   400 GONE                3×   last r-1",
        ];
        assert_eq!(lines, expected);
    }
}
