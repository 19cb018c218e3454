//! `tostao listen`: events on this machine, none of which is lost while it sleeps.

use std::collections::BTreeMap;
use std::time::Duration;

use clap::{Args, ValueEnum};
use jiff::tz::TimeZone;
use serde_json::json;
use tokio::time::sleep;
use url::Url;

use crate::commands::client::Done;
use crate::commands::client::api::{Api, ApiArgs, is_passing};
use crate::commands::client::failure::Failure;
use crate::commands::client::forward::{Forwarded, Unanswered, forward, program};
use crate::commands::client::listener::{Delivery, Listener};
use crate::commands::client::span::span;
use crate::commands::client::terminal::{Terminal, clean};
use crate::commands::mention;
use crate::commands::serve::asked_to_stop;

/// Pauses between two attempts to connect.
const PAUSE_MIN: Duration = Duration::from_millis(250);
const PAUSE_MAX: Duration = Duration::from_secs(5);

/// The arguments of `listen`.
#[derive(Debug, Args)]
pub struct ListenArgs {
    /// Post every event to this address, such as `http://localhost:3000/webhooks`
    #[arg(long, value_name = "URL", value_parser = program)]
    forward_to: Option<Url>,
    /// The event types to receive
    #[arg(long, value_delimiter = ',', default_value = "*", value_name = "EVENTS")]
    events: Vec<String>,
    /// The name of the listener; its secret and what it has missed go with the name [default: the
    /// name of this machine]
    #[arg(long)]
    name: Option<String>,
    /// Also receive the events of the last 45s, 10m or 2h
    #[arg(long, value_parser = span, value_name = "SPAN")]
    since: Option<Duration>,
    /// Print more of each event
    #[arg(long, value_enum, value_delimiter = ',', value_name = "PARTS")]
    print: Vec<Part>,
    /// Print the secret that signs the events, and end
    #[arg(long)]
    secret: bool,
    #[command(flatten)]
    api: ApiArgs,
}

/// A part of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    Headers,
    Body,
}

/// What was received so far.
#[derive(Debug, Default)]
struct Tally {
    delivered: u64,
    failed: u64,
}

struct Listening<'a> {
    args: &'a ListenArgs,
    api: Api,
    name: String,
    account: String,
    terminal: Terminal,
    tally: Tally,
    /// What a program answered, and the server does not know yet.
    unsent: Option<(Delivery, Forwarded)>,
}

impl ListenArgs {
    /// Where the command prints.
    pub fn terminal(&self) -> Terminal {
        self.api.terminal()
    }
}

/// The name of this machine, which is the name of its listener.
pub fn name_of_this_machine() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// Listens until asked to stop.
pub async fn run(args: ListenArgs) -> Done {
    let (api, terminal) = (args.api.api()?, args.terminal());
    let name = args.name.clone().unwrap_or_else(name_of_this_machine);
    // To look at the secret of a listener changes nothing of what it wants.
    let events = Some(&*args.events).filter(|_| !args.secret);
    let listener = Listener::open(&api, &name, events, args.since).await?;
    if args.secret {
        return terminal.print(|| listener.secret.clone(), &json!({ "secret": listener.secret }));
    }
    let lang = terminal.lang;
    let caller = api.get("/api/whoami").await?;
    let account = caller["data"]["account"]["name"].as_str().unwrap_or_default().to_owned();
    let stop = asked_to_stop()?;
    let tally = Tally::default();
    let mut listening =
        Listening { args: &args, api, name, account, terminal, tally, unsent: None };
    listening.show_opened(&listener)?;
    let ended = tokio::select! {
        ended = listening.go_on(listener) => ended,
        () = stop => Ok(()),
    };
    let Tally { delivered, failed } = listening.tally;
    let end = json!({ "delivered": delivered, "failed": failed });
    let text = || match &ended {
        // Another one receives what happens from now on.
        Err(Failure::Replaced) => lang.cli_tally(delivered, failed),
        _ => lang.cli_listened(delivered, failed),
    };
    terminal.print(text, &end)?;
    ended
}

impl Listening<'_> {
    /// Receives, and connects again whenever the connection ends, until the server refuses.
    #[expect(clippy::disallowed_methods, reason = "a server comes back without a notice")]
    async fn go_on(&mut self, mut listener: Listener) -> Done {
        let mut pause = PAUSE_MIN;
        loop {
            match self.receive(&listener).await {
                Ok(()) => pause = PAUSE_MIN,
                Err(Failure::NotReached(cause)) => mention(&clean(&cause)),
                Err(Failure::Refused(refusal)) if refusal.status == 404 => {
                    self.unsent = None;
                    listener = self.reopen(listener).await?;
                }
                Err(Failure::Refused(refusal)) if is_passing(refusal.status) => {
                    mention(&clean(&refusal.to_string()));
                }
                Err(failure) => return Err(failure),
            }
            sleep(pause).await;
            pause = (pause * 2).min(PAUSE_MAX);
        }
    }

    /// Receives on one connection.
    async fn receive(&mut self, listener: &Listener) -> Done {
        self.answer(listener).await?;
        let mut connection = listener.connect(&self.api).await?;
        while let Some(delivery) = connection.next().await? {
            let forwarded = match &self.args.forward_to {
                Some(to) => forward(&self.api.http, to, &delivery).await?,
                None => Forwarded::printed(),
            };
            self.show(&delivery, &forwarded)?;
            self.unsent = Some((delivery, forwarded));
            self.answer(listener).await?;
        }
        Ok(())
    }

    /// Says what a program answered, which is kept until the server knows it: otherwise the program
    /// would get the event again.
    async fn answer(&mut self, listener: &Listener) -> Done {
        if let Some((delivery, forwarded)) = &self.unsent {
            listener.answer(&self.api, delivery, forwarded).await?;
        }
        self.unsent = None;
        Ok(())
    }

    /// Opens a listener that was deleted once more, and shows its secret if that is another one.
    async fn reopen(&mut self, before: Listener) -> Result<Listener, Failure> {
        let events = Some(&*self.args.events);
        let opened = Listener::open(&self.api, &self.name, events, None).await;
        let opened = match opened {
            Err(Failure::Refused(refusal)) if !is_passing(refusal.status) => {
                return Err(Failure::Refused(refusal));
            }
            Err(passing) => {
                mention(&clean(&passing.to_string()));
                return Ok(before);
            }
            Ok(opened) => opened,
        };
        if opened.secret != before.secret {
            self.show_opened(&opened)?;
        }
        Ok(opened)
    }

    fn show_opened(&self, listener: &Listener) -> Done {
        let Self { name, account, terminal, .. } = self;
        let Listener { id, secret } = listener;
        let opened = json!({ "listener": id, "name": name, "account": account, "secret": secret });
        terminal.print(|| terminal.lang.cli_listening(account, secret), &opened)
    }

    fn show(&mut self, delivery: &Delivery, forwarded: &Forwarded) -> Done {
        if forwarded.is_delivered() {
            self.tally.delivered += 1;
        } else {
            self.tally.failed += 1;
        }
        let text = || self.line(delivery, forwarded);
        let mut json = json!({
            "eventId": delivery.event_id,
            "event": delivery.event,
            "status": forwarded.status,
            "ms": forwarded.ms,
            "excerpt": forwarded.excerpt,
            "error": forwarded.error.map(Unanswered::code),
        });
        for part in &self.args.print {
            match part {
                Part::Headers => json["headers"] = json!(delivery.headers),
                Part::Body => json["body"] = delivery.body.clone().into(),
            }
        }
        self.terminal.print(text, &json)
    }

    fn line(&self, delivery: &Delivery, forwarded: &Forwarded) -> String {
        let now = jiff::Timestamp::from_microsecond(self.api.sources.now().micros());
        let now = now.unwrap_or_default().to_zoned(TimeZone::system()).strftime("%H:%M:%S");
        let Delivery { event, event_id, .. } = delivery;
        let status = forwarded.status.map_or_else(|| "–".to_owned(), |status| status.to_string());
        let mut line = format!("{now}  {event:<28} {event_id}  {status:>3} {:>6} ms", forwarded.ms);
        if !forwarded.is_delivered() {
            let error = forwarded.error.map(|error| error.code().to_owned());
            let said = forwarded.excerpt.clone().or(error);
            let said = said.map(|said| said.chars().take(80).collect::<String>());
            let again = format!("tostao events resend {event_id}");
            line = format!("{line}  {}  → {again}", said.unwrap_or_default());
        }
        for part in &self.args.print {
            match part {
                Part::Headers => line = format!("{line}\n{}", headers(&delivery.headers)),
                Part::Body => line = format!("{line}\n{}", delivery.body),
            }
        }
        line
    }
}

fn headers(headers: &BTreeMap<String, String>) -> String {
    headers.iter().map(|(name, value)| format!("{name}: {value}")).collect::<Vec<_>>().join("\n")
}
