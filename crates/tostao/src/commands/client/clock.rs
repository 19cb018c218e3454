//! `tostao clock`: the test clock.

use std::time::Duration;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::commands::client::Done;
use crate::commands::client::api::{ApiArgs, plain};
use crate::commands::client::failure::Failure;
use crate::commands::client::span::span;
use crate::commands::client::terminal::Terminal;
use crate::commands::password::confirm;
use crate::platform::messages::Lang;

const CLOCK: &str = "/api/dev/clock";

/// The commands about the clock.
#[derive(Debug, Subcommand)]
pub enum ClockCommand {
    /// Show the time of the development environment
    Show(ApiArgs),
    /// Advance it: what falls due on the way happens
    Advance(AdvanceArgs),
    /// Set it back to the real time, which deletes all development data
    Reset {
        /// Do it without asking
        #[arg(long)]
        yes: bool,
        #[command(flatten)]
        api: ApiArgs,
    },
}

/// How far to advance the clock.
#[derive(Debug, Args)]
pub struct AdvanceArgs {
    /// By how much, such as 45s, 10m, 2h or 30d
    #[arg(value_parser = span, required_unless_present = "to", value_name = "SPAN")]
    by: Option<Duration>,
    /// To this time, such as 2027-01-31T12:00:00Z
    #[arg(long, conflicts_with = "by", value_name = "INSTANT")]
    to: Option<String>,
    /// Only say what would happen on the way
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    api: ApiArgs,
}

impl ClockCommand {
    /// Where the command prints.
    pub fn terminal(&self) -> Terminal {
        match self {
            Self::Show(api) | Self::Reset { api, .. } => api.terminal(),
            Self::Advance(args) => args.api.terminal(),
        }
    }
}

/// Runs a command about the clock.
pub async fn run(command: ClockCommand) -> Done {
    let terminal = command.terminal();
    match command {
        ClockCommand::Show(api) => show(terminal, &api.api()?.get(CLOCK).await?),
        ClockCommand::Advance(args) => {
            let body = match (args.by, &args.to) {
                (Some(by), _) => json!({ "seconds": by.as_secs() }),
                (None, to) => json!({ "to": to }),
            };
            let query = if args.dry_run { "?dryRun=true" } else { "" };
            let path = format!("{CLOCK}/advance{query}");
            let advanced = args.api.api()?.post(&path, &body).await?;
            if args.dry_run { show_work(terminal, &advanced) } else { show(terminal, &advanced) }
        }
        ClockCommand::Reset { yes, api } => {
            let api = api.api()?;
            if !yes {
                confirm(terminal.lang.cli_reset_question(), terminal.lang.cli_reset_needs_yes())
                    .map_err(|error| Failure::Usage(error.to_string()))?;
            }
            api.post("/api/dev/reset", &json!({})).await?;
            show(terminal, &api.get(CLOCK).await?)
        }
    }
}

fn show(terminal: Terminal, clock: &Value) -> Done {
    let data = &clock["data"];
    let now = data["now"].as_str().unwrap_or_default();
    let ahead = data["aheadSeconds"].as_u64().unwrap_or_default();
    terminal.print(|| terminal.lang.cli_clock(now, days_and_time(ahead)), data)
}

/// Shows what would happen until a time.
fn show_work(terminal: Terminal, advanced: &Value) -> Done {
    let until = advanced["data"]["now"].as_str().unwrap_or_default();
    let lang = terminal.lang;
    let text = || match advanced["wouldRun"].as_array().map_or(&[][..], Vec::as_slice) {
        [] => lang.cli_would_not_happen(until),
        work => {
            let lines = work.iter().map(|due| line(due, lang));
            let lines = [lang.cli_would_happen(until)].into_iter().chain(lines);
            lines.collect::<Vec<_>>().join("\n")
        }
    };
    terminal.print(text, &json!({ "until": until, "wouldRun": advanced["wouldRun"] }))
}

/// Work of one kind, in words; a newer server may have another kind.
fn line(due: &Value, lang: Lang) -> String {
    let (kind, count) = (plain(&due["kind"]), due["count"].as_i64().unwrap_or_default());
    let amount = due["amountCents"].as_i64().map(|cents| lang.money(cents)).unwrap_or_default();
    let line = format!("  {count:>4}×  {:<44} {amount}", lang.work(kind).unwrap_or(kind));
    line.trim_end().to_owned()
}

/// A span as days, hours, minutes and seconds.
fn days_and_time(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    format!("{days}d {:02}:{:02}:{:02}", rest / 3_600, rest / 60 % 60, rest % 60)
}
