//! `tostao trigger`: makes an event happen through the API, as an integrator's program would.
//!
//! What cannot be made to happen at will is sent as its example, to this machine's listener, and
//! said to be one.

use std::time::Duration;

use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use url::form_urlencoded::Serializer;

use crate::commands::client::Done;
use crate::commands::client::api::{Api, ApiArgs};
use crate::commands::client::events::{name_receivers, receiver};
use crate::commands::client::failure::Failure;
use crate::commands::client::listen::name_of_this_machine;
use crate::commands::client::listener::Listener;
use crate::commands::client::span::span;
use crate::commands::client::terminal::Terminal;
use crate::commands::client::trigger::trail::Trail;

mod recipes;
mod trail;

const EVENTS: &str = "/api/webhooks/events";
/// How often it looks for the event, and for its delivery.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// An event is there when the request that causes it ends, except where a bank has to answer.
const EVENT_TIME_MAX: Duration = Duration::from_secs(5);
/// How long a listener is waited for that may sleep.
const SLEEPER_TIME_MAX: Duration = Duration::from_secs(2);
const COUNT_MAX: i64 = 100;
/// The error of a delivery whose receiver answered with a bad status.
const REFUSED: &str = "status";
/// What stands before the name of an event whose object is a payment.
const OF_TRANSACTIONS: &str = "transaction.";

/// The arguments of `trigger`.
#[derive(Debug, Args)]
pub struct TriggerArgs {
    /// The event type, such as transaction.paid; `tostao events types` lists them
    event: String,
    /// The amount of a payment, in cents
    #[arg(long, default_value = "4990", value_name = "CENTS")]
    amount: i64,
    /// The payment method
    #[arg(long, value_enum, default_value = "pix")]
    method: Method,
    /// Pay this payment link
    #[arg(long, value_name = "SLUG")]
    link: Option<String>,
    /// How many times
    #[arg(long, default_value = "1", value_parser = clap::value_parser!(i64).range(1..=COUNT_MAX))]
    count: i64,
    /// Wait until every subscriber has answered; failing is exit code 4
    #[arg(
        long,
        value_parser = span,
        value_name = "SPAN",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "10s"
    )]
    wait: Option<Duration>,
    /// Send the event's example instead of making it happen
    #[arg(long)]
    sample: bool,
    #[command(flatten)]
    api: ApiArgs,
}

/// A payment method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Method {
    Pix,
    Boleto,
    Card,
}

impl TriggerArgs {
    /// Where the command prints.
    pub fn terminal(&self) -> Terminal {
        self.api.terminal()
    }
}

/// Makes the event happen, as often as was asked for.
pub async fn run(args: TriggerArgs) -> Done {
    let (api, terminal) = (args.api.api()?, args.terminal());
    let caller = api.get("/api/whoami").await?;
    if caller["data"]["environment"] != "development" {
        return Err(Failure::Usage(terminal.lang.cli_trigger_is_for_development().to_owned()));
    }
    for _ in 0..args.count {
        let mut trail = Trail::default();
        let ended = once(&api, &args, terminal, &mut trail).await;
        if ended.is_ok() || trail.holds_something() {
            let done = ended.as_ref().ok().cloned();
            let text = || done.unwrap_or_else(|| trail.text(&args.event, terminal.lang));
            terminal.print(text, &trail.json(&args.event))?;
        }
        ended?;
    }
    Ok(())
}

/// Makes the event happen once, and waits if that is asked for; what was done.
async fn once(
    api: &Api,
    args: &TriggerArgs,
    terminal: Terminal,
    trail: &mut Trail,
) -> Result<String, Failure> {
    let (start, lang) = (Instant::now(), terminal.lang);
    let (id, done) = happen(api, args, terminal, trail).await?;
    trail.is_sample = done.is_none();
    let mut text = match done {
        Some(done) => format!("{done}\n{} {id}", args.event),
        None if args.sample => lang.cli_sample_sent(&args.event, &id),
        None => lang.cli_sample_instead(&args.event, &id),
    };
    if let Some(wait) = args.wait {
        let deliveries = delivered(api, &id, wait, lang.cli_no_subscriber()).await?;
        let ms = u64::try_from(start.elapsed().as_millis())?;
        (trail.deliveries, trail.ms) = (Some(deliveries.clone()), Some(ms));
        expect_good(&deliveries, &args.event, terminal)?;
        let number = deliveries.as_array().map_or(0, Vec::len);
        text = format!("{text}\n{}", lang.cli_delivered(number, ms));
    }
    Ok(text)
}

/// Makes the event happen, or sends its example; the event's id, and what was done.
async fn happen(
    api: &Api,
    args: &TriggerArgs,
    terminal: Terminal,
    trail: &mut Trail,
) -> Result<(String, Option<String>), Failure> {
    let latest = latest(api, &args.event).await?;
    let order =
        recipes::Order { amount: args.amount, method: args.method, link: args.link.clone() };
    let recipe = if args.sample { None } else { recipes::of(&args.event) };
    if args.link.is_some() && !recipe.is_some_and(recipes::Recipe::pays_a_link) {
        return Err(Failure::Usage(terminal.lang.cli_link_is_not_paid(&args.event)));
    }
    if let Some(recipe) = recipe {
        let done = recipe.run(api, &order, terminal.lang, &mut trail.payment).await?;
        let event = new_event(api, &args.event, &latest["id"]).await?;
        let id = text(&event["id"])?;
        trail.event = Some(id.clone());
        // A payment that the server refuses to make has its id in the event alone.
        if trail.payment.is_none() && args.event.starts_with(OF_TRANSACTIONS) {
            trail.payment = event["objectId"].as_str().map(str::to_owned);
        }
        return Ok((id, Some(done)));
    }
    let listener = Listener::open(api, &name_of_this_machine(), None, None).await?;
    let path = format!("/api/webhooks/subscriptions/{}/test", listener.id);
    let sent = api.post(&path, &json!({ "event": args.event })).await?;
    let id = text(&sent["data"]["id"])?;
    trail.event = Some(id.clone());
    Ok((id, None))
}

/// The newest event of a type; null if there is none.
async fn latest(api: &Api, event: &str) -> Result<Value, Failure> {
    let query = Serializer::new(String::new()).append_pair("event", event).finish();
    let mut listed = api.get(&format!("{EVENTS}?limit=1&{query}")).await?;
    Ok(listed["data"].get_mut(0).map_or(Value::Null, Value::take))
}

/// Waits for an event of a type that is newer than the one before.
#[expect(clippy::disallowed_methods, reason = "another program writes the event")]
async fn new_event(api: &Api, event: &str, before: &Value) -> Result<Value, Failure> {
    let until = Instant::now() + EVENT_TIME_MAX;
    loop {
        let newest = latest(api, event).await?;
        if newest["id"].is_string() && newest["id"] != *before {
            return Ok(newest);
        }
        if Instant::now() > until {
            let message = format!("{event}: no event within {EVENT_TIME_MAX:?}");
            return Err(Failure::fault(message));
        }
        sleep(LOOK_EVERY).await;
    }
}

/// Waits until every delivery of an event has ended. A listener may be that of a machine which
/// sleeps, so one that does not answer is waited for a moment only, if another has accepted.
#[expect(clippy::disallowed_methods, reason = "another program delivers the event")]
async fn delivered(api: &Api, id: &str, wait: Duration, none: &str) -> Result<Value, Failure> {
    let start = Instant::now();
    let listeners = api.get("/api/dev/listeners").await?;
    let listeners: Vec<_> = listeners["data"].as_array().cloned().unwrap_or_default();
    let is_listener = |one: &Value| listeners.iter().any(|it| it["id"] == one["subscriptionId"]);
    let is_open = |one: &Value| one["status"] == "PENDING" && one["attempts"] == 0;
    loop {
        let mut event = api.get(&format!("{EVENTS}/{id}")).await?["data"].take();
        let mut all = event["deliveries"].as_array().cloned().unwrap_or_default();
        if all.is_empty() {
            return Err(Failure::fault(none));
        }
        let is_accepted = all.iter().any(|one| one["status"] == "DELIVERED");
        if is_accepted && start.elapsed() > SLEEPER_TIME_MAX {
            all.retain(|one| !(is_listener(one) && is_open(one)));
        }
        if !all.iter().any(is_open) || start.elapsed() > wait {
            event["deliveries"] = all.into();
            name_receivers(api, std::slice::from_mut(&mut event)).await?;
            return Ok(event["deliveries"].take());
        }
        sleep(LOOK_EVERY).await;
    }
}

/// Fails unless every subscriber has accepted the event.
fn expect_good(deliveries: &Value, event: &str, terminal: Terminal) -> Done {
    let mut all = deliveries.as_array().into_iter().flatten();
    let Some(bad) = all.find(|one| one["status"] != "DELIVERED") else { return Ok(()) };
    let to = receiver(bad);
    let message = match (bad["lastError"].as_str(), bad["lastStatusCode"].as_i64()) {
        (None, _) => terminal.lang.cli_unanswered(event, to),
        (Some(REFUSED), Some(status)) => {
            terminal.lang.cli_undelivered(event, to, format!("HTTP {status}"))
        }
        (Some(why), Some(status)) => {
            terminal.lang.cli_undelivered(event, to, format!("HTTP {status}, {why}"))
        }
        (Some(why), None) => terminal.lang.cli_undelivered(event, to, why),
    };
    Err(Failure::Fault { message, details: deliveries.clone() })
}

fn text(value: &Value) -> Result<String, Failure> {
    let text = value.as_str().map(str::to_owned);
    text.ok_or_else(|| anyhow::anyhow!("the response lacks a field").into())
}
