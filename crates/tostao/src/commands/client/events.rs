//! `tostao events`: the outbox.

use std::time::Duration;

use clap::{Args, Subcommand};
use db::hex::hex;
use db::time::Timestamp;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};
use url::Url;
use url::form_urlencoded::Serializer;

use crate::commands::client::Done;
use crate::commands::client::api::{Api, ApiArgs, plain, rows};
use crate::commands::client::failure::Failure;
use crate::commands::client::forward::{Forwarded, forward, program};
use crate::commands::client::listen::name_of_this_machine;
use crate::commands::client::listener::Listener;
use crate::commands::client::span::span;
use crate::commands::client::terminal::Terminal;
use crate::commands::client::webhooks::{WEBHOOKS, subscribed};
use crate::platform::messages::Lang;
use crate::webhooks::secret::Secret;

const EVENTS: &str = "/api/webhooks/events";
const TYPES: &str = "/api/webhooks/event-types";
const LISTENERS: &str = "/api/dev/listeners";
/// A program may take half a minute to start, and ten seconds to answer.
const RESEND_TIME_MAX: Duration = Duration::from_secs(60);
/// How long to wait for news of a recovery.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// The rows of one page.
const PAGE: u64 = 100;

/// The commands about events.
#[derive(Debug, Subcommand)]
pub enum EventsCommand {
    /// List events, newest first
    List(ListArgs),
    /// Show an event with its data and its deliveries
    Show {
        id: String,
        #[command(flatten)]
        api: ApiArgs,
    },
    /// List the event types
    Types(ApiArgs),
    /// Print an example of an event's data
    Sample {
        event: String,
        #[command(flatten)]
        api: ApiArgs,
    },
    /// Deliver events again
    Resend(ResendArgs),
}

/// The arguments of `events list`.
#[derive(Debug, Args)]
pub struct ListArgs {
    #[command(flatten)]
    filter: FilterArgs,
    /// How many at most
    #[arg(long, default_value = "20", value_parser = clap::value_parser!(u64).range(1..=10_000))]
    limit: u64,
    #[command(flatten)]
    api: ApiArgs,
}

/// Which events.
#[derive(Debug, Args)]
struct FilterArgs {
    /// Only of this type
    #[arg(long)]
    event: Option<String>,
    /// Only with a delivery that is PENDING, DELIVERED or FAILED
    #[arg(long)]
    status: Option<String>,
    /// Only of the last 45s, 10m, 2h or 30d
    #[arg(long, value_parser = span, value_name = "SPAN")]
    since: Option<Duration>,
}

/// The arguments of `events resend`.
#[derive(Debug, Args)]
pub struct ResendArgs {
    /// The event
    #[arg(required_unless_present = "failed")]
    id: Option<String>,
    /// All that the webhook of --to has not accepted yet, oldest first, also while it was disabled
    #[arg(long, conflicts_with = "id", requires_all = ["to", "since"])]
    failed: bool,
    /// How far back to look for failed ones
    #[arg(long, value_parser = span, value_name = "SPAN", requires = "failed")]
    since: Option<Duration>,
    /// Only to this webhook
    #[arg(long, value_name = "WEBHOOK")]
    to: Option<String>,
    /// To a program on this machine, signed with the secret of `tostao listen --secret`
    #[arg(long, value_name = "URL", conflicts_with_all = ["to", "failed"], value_parser = program)]
    forward_to: Option<Url>,
    #[command(flatten)]
    api: ApiArgs,
}

impl EventsCommand {
    /// Where the command prints.
    pub fn terminal(&self) -> Terminal {
        match self {
            Self::List(args) => args.api.terminal(),
            Self::Show { api, .. } | Self::Types(api) | Self::Sample { api, .. } => api.terminal(),
            Self::Resend(args) => args.api.terminal(),
        }
    }
}

/// Runs a command about events.
pub async fn run(command: EventsCommand) -> Done {
    let terminal = command.terminal();
    match command {
        EventsCommand::List(args) => list(&args, terminal).await,
        EventsCommand::Show { id, api } => {
            let api = api.api()?;
            let mut found = [api.get(&format!("{EVENTS}/{id}")).await?["data"].take()];
            name_receivers(&api, &mut found).await?;
            let [event] = &found;
            terminal.print(|| serde_json::to_string_pretty(event).unwrap_or_default(), event)
        }
        EventsCommand::Types(api) => {
            for kind in rows(api.api()?.get(TYPES).await?) {
                let text = || {
                    let aliases = kind["aliases"].as_array().into_iter().flatten();
                    let aliases: Vec<_> = aliases.filter_map(Value::as_str).collect();
                    let line = format!("{:<32} {}", plain(&kind["name"]), aliases.join(" "));
                    line.trim_end().to_owned()
                };
                terminal
                    .print(text, &json!({ "name": kind["name"], "aliases": kind["aliases"] }))?;
            }
            Ok(())
        }
        EventsCommand::Sample { event, api } => {
            let kinds = rows(api.api()?.get(TYPES).await?);
            let kind = kinds.into_iter().find(|kind| kind["name"] == *event);
            let unknown = || Failure::Usage(terminal.lang.cli_unknown_event(&event));
            let kind = kind.ok_or_else(unknown)?;
            let text = || serde_json::to_string_pretty(&kind["example"]).unwrap_or_default();
            terminal.print(text, &kind["example"])
        }
        EventsCommand::Resend(args) => resend(&args, terminal).await,
    }
}

async fn list(args: &ListArgs, terminal: Terminal) -> Done {
    let api = args.api.api()?;
    let mut events = matching(&api, &args.filter, args.limit).await?;
    name_receivers(&api, &mut events).await?;
    for event in &events {
        let text = || {
            let deliveries = event["deliveries"].as_array().into_iter().flatten();
            let states: Vec<_> = deliveries.map(state).collect();
            let line = format!(
                "{}  {:<28} {}  {}",
                plain(&event["createdAt"]),
                plain(&event["event"]),
                plain(&event["id"]),
                states.join(" ")
            );
            line.trim_end().to_owned()
        };
        terminal.print(text, event)?;
    }
    terminal.expect_some(&events, terminal.lang.cli_no_events())
}

/// Says of each delivery to which address it goes, or to which `tostao listen`: otherwise the
/// reader does not know whose status it is.
pub async fn name_receivers(api: &Api, events: &mut [Value]) -> Done {
    let deliveries = events.iter().filter_map(|event| event["deliveries"].as_array());
    if deliveries.flatten().next().is_none() {
        return Ok(());
    }
    let webhooks = subscribed(api).await?;
    // Production has no listeners.
    let listeners = if events.iter().any(|event| event["devMode"] == true) {
        rows(api.get(LISTENERS).await?)
    } else {
        Vec::new()
    };
    let deliveries = events.iter_mut().filter_map(|event| event["deliveries"].as_array_mut());
    for delivery in deliveries.flatten() {
        let found = |all: &[Value], name: &str| {
            let to = all.iter().find(|one| one["id"] == delivery["subscriptionId"]);
            to.map(|one| one[name].clone())
        };
        let (url, listener) = (found(&webhooks, "url"), found(&listeners, "name"));
        for (name, value) in [("url", url), ("listener", listener)] {
            if let Some(value) = value {
                delivery[name] = value;
            }
        }
    }
    Ok(())
}

/// How a delivery stands, and where it goes.
fn state(delivery: &Value) -> String {
    format!("{} ({})", plain(&delivery["status"]), receiver(delivery))
}

/// Where a delivery goes that was named: to a `tostao listen`, to an address, or to a webhook that
/// is gone.
pub fn receiver(delivery: &Value) -> String {
    let named = |name: &str| delivery[name].as_str();
    match (named("listener"), named("url")) {
        (Some(name), _) => format!("listen {name}"),
        (None, Some(url)) => url.to_owned(),
        (None, None) => plain(&delivery["subscriptionId"]).to_owned(),
    }
}

/// The newest events that match, newest first.
async fn matching(api: &Api, filter: &FilterArgs, limit: u64) -> Result<Vec<Value>, Failure> {
    let after = match filter.since {
        Some(since) => Some(ago(api, since).await?),
        None => None,
    };
    let (mut found, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let rest = limit - u64::try_from(found.len())?;
        let mut query = Serializer::new(String::new());
        query.append_pair("limit", &rest.min(PAGE).to_string());
        let pairs = [
            ("event", filter.event.as_deref()),
            ("status", filter.status.as_deref()),
            ("after", after.as_deref()),
            ("cursor", cursor.as_deref()),
        ];
        for (name, value) in pairs {
            if let Some(value) = value {
                query.append_pair(name, value);
            }
        }
        let page = api.get(&format!("{EVENTS}?{}", query.finish())).await?;
        cursor = page["pagination"]["nextCursor"].as_str().map(str::to_owned);
        found.extend(rows(page));
        if cursor.is_none() || u64::try_from(found.len())? >= limit {
            return Ok(found);
        }
    }
}

/// A moment by the clock of the key's mode, which the developer may have advanced.
async fn ago(api: &Api, since: Duration) -> Result<String, Failure> {
    let now = api.get("/api/whoami").await?["data"]["now"].as_str().and_then(Timestamp::parse);
    let now = now.ok_or_else(|| anyhow::anyhow!("the server does not say what time it is"))?;
    Ok(now.minus(since).to_string())
}

async fn resend(args: &ResendArgs, terminal: Terminal) -> Done {
    let api = args.api.api()?;
    if let (Some(id), Some(to)) = (&args.id, &args.forward_to) {
        return resend_here(&api, id, to, terminal).await;
    }
    if let (Some(webhook), Some(since)) = (&args.to, args.since) {
        return recover(&api, webhook, since, terminal).await;
    }
    let Some(id) = &args.id else { return Ok(()) };
    let body = match &args.to {
        Some(webhook) => json!({ "subscriptionId": webhook }),
        None => json!({}),
    };
    let sent = api.post(&format!("{EVENTS}/{id}/redeliver"), &body).await?;
    let json = json!({ "eventId": id, "event": sent["data"]["event"], "resent": true });
    terminal.print(|| format!("{id}  {}", plain(&sent["data"]["event"])), &json)
}

/// Has the server send again what a webhook has not accepted, and prints how far it has come.
#[expect(clippy::disallowed_methods, reason = "the server works without a notice to this one")]
async fn recover(api: &Api, webhook: &str, since: Duration, terminal: Terminal) -> Done {
    let body = json!({ "since": ago(api, since).await? });
    let begun = api.post(&format!("{WEBHOOKS}/{webhook}/recover"), &body).await;
    let mut recovery = match begun {
        // It goes on with one that runs already.
        Err(Failure::Refused(refusal)) if refusal.body["currentStatus"] == "RUNNING" => {
            latest(api, webhook, terminal.lang).await?
        }
        begun => begun?["data"].take(),
    };
    let mut shown = Value::Null;
    loop {
        let is_running = plain(&recovery["status"]) == "RUNNING";
        // At first it has sent nothing, which says nothing.
        let is_news = recovery != shown && (recovery["resent"] != 0 || !is_running);
        if is_news {
            terminal.print(|| progress(&recovery, terminal.lang), &recovery)?;
        }
        match plain(&recovery["status"]) {
            "RUNNING" => sleep(LOOK_AGAIN).await,
            "FINISHED" => return Ok(()),
            _ => return Err(Failure::fault(terminal.lang.cli_recovery_stopped(webhook))),
        }
        shown = recovery;
        recovery = latest(api, webhook, terminal.lang).await?;
    }
}

/// A webhook's last recovery. Without the webhook, or after a reset, there is none, so it has
/// stopped.
async fn latest(api: &Api, webhook: &str, lang: Lang) -> Result<Value, Failure> {
    let recovery = match api.get(&format!("{WEBHOOKS}/{webhook}/recovery")).await {
        Err(Failure::Refused(refusal)) if refusal.status == 404 => Value::Null,
        found => found?["data"].take(),
    };
    if recovery.is_null() {
        return Err(Failure::fault(lang.cli_recovery_stopped(webhook)));
    }
    Ok(recovery)
}

/// How far a recovery has come.
fn progress(recovery: &Value, lang: Lang) -> String {
    let resent = &recovery["resent"];
    if recovery["status"] == "FINISHED" {
        return lang.cli_recovered(resent);
    }
    lang.cli_recovering(resent, plain(&recovery["checkedUntil"]))
}

/// Delivers an event to a program on this machine, by way of a listener for it alone.
async fn resend_here(api: &Api, id: &str, to: &Url, terminal: Terminal) -> Done {
    let secret = secret_of_this_machine(api).await?;
    let name = format!("resend-{}", hex(&api.sources.random::<6>()));
    let listener = Listener::open(api, &name, Some(&[]), None).await?;
    let sent = timeout(RESEND_TIME_MAX, resent(api, &listener, id, to, secret.as_ref())).await;
    // Without it the listener is deleted a day later.
    let _ = api.delete(&format!("{LISTENERS}/{}", listener.id)).await;
    let late = |_| Failure::NotReached(format!("{id}: no delivery within {RESEND_TIME_MAX:?}"));
    let forwarded = sent.map_err(late)??;
    let json = json!({ "eventId": id, "status": forwarded.status, "ms": forwarded.ms });
    let status = forwarded.status.map_or_else(|| "–".to_owned(), |status| status.to_string());
    terminal.print(|| format!("{id}  {status}  {} ms", forwarded.ms), &json)
}

/// The secret that programs on this machine verify with, if its listener exists: opening it would
/// have it receive events, or live for another day.
async fn secret_of_this_machine(api: &Api) -> Result<Option<Secret>, Failure> {
    let name = name_of_this_machine();
    let known = rows(api.get(LISTENERS).await?);
    let Some(own) = known.iter().find(|listener| listener["name"] == *name) else {
        return Ok(None);
    };
    match api.get(&format!("{LISTENERS}/{}", plain(&own["id"]))).await {
        // It was deleted meanwhile.
        Err(Failure::Refused(refusal)) if refusal.status == 404 => Ok(None),
        read => Ok(Some(Secret::of(plain(&read?["data"]["secret"]).to_owned()))),
    }
}

async fn resent(
    api: &Api,
    listener: &Listener,
    id: &str,
    to: &Url,
    secret: Option<&Secret>,
) -> Result<Forwarded, Failure> {
    let body = json!({ "subscriptionId": listener.id });
    api.post(&format!("{EVENTS}/{id}/redeliver"), &body).await?;
    let mut connection = listener.connect(api).await?;
    let lost = || Failure::NotReached("the connection was lost".to_owned());
    let delivery = connection.next().await?.ok_or_else(lost)?;
    let delivery = match secret {
        Some(secret) => delivery.signed_by(secret),
        None => delivery,
    };
    let forwarded = forward(&api.http, to, &delivery).await?;
    listener.answer(api, &delivery, &forwarded).await?;
    Ok(forwarded)
}
