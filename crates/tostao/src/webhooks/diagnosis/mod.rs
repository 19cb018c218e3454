//! Why deliveries to an endpoint fail: each step on their way is tried, from the address to what
//! the receiver makes of a forgery, and named with what to do about it.
//!
//! The sample that is sent has `test: true` and is stored nowhere. Each step ends within its time,
//! whatever the server does, and all of them within 25 seconds.

use std::time::Duration;

use db::tx::Tx;
use futures_util::future::try_join3;
use outbound::target::Target;
use url::Url;

use crate::app::App;
use crate::events::{EventRecord, Sample};
use crate::platform::error::{Error, Result};
use crate::platform::ids::{EventId, Scope, WebhookId};
use crate::webhooks::deliveries;
use crate::webhooks::diagnosis::finding::{Finding, Reason, StepOutcome};
use crate::webhooks::diagnosis::probe::Probe;
use crate::webhooks::secret::Secret;
use crate::webhooks::{WebhookEndpoint, store};

pub mod finding;
mod past;
mod probe;
mod server;

/// How many past deliveries are looked at, of how many days.
const PAST_MAX: i64 = 1_000;
const PAST: Duration = Duration::from_secs(30 * 24 * 3600);
/// Names of parameters in whose values people put secrets.
const SECRETS: [&str; 6] = ["apikey", "key", "password", "secret", "senha", "token"];

/// A step with what it found.
#[derive(Debug, Clone)]
pub struct Step {
    pub name: StepName,
    pub finding: Finding,
    /// What was looked at.
    pub detail: Option<String>,
    pub took: Option<Duration>,
}

impl Step {
    fn new(name: StepName, finding: Finding, took: Option<Duration>) -> Self {
        Self { name, finding, detail: None, took }
    }

    fn with_detail(self, detail: String) -> Self {
        Self { detail: Some(detail), ..self }
    }
}

/// The steps, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepName {
    State,
    Address,
    Dns,
    Connect,
    Tls,
    Answer,
    Again,
    Unsigned,
    Stale,
    History,
}

impl StepName {
    const ALL: [Self; 10] = [
        Self::State,
        Self::Address,
        Self::Dns,
        Self::Connect,
        Self::Tls,
        Self::Answer,
        Self::Again,
        Self::Unsigned,
        Self::Stale,
        Self::History,
    ];

    /// The name, for a program.
    pub const fn name(self) -> &'static str {
        match self {
            Self::State => "state",
            Self::Address => "address",
            Self::Dns => "dns",
            Self::Connect => "connect",
            Self::Tls => "tls",
            Self::Answer => "answer",
            Self::Again => "again",
            Self::Unsigned => "unsigned",
            Self::Stale => "stale",
            Self::History => "history",
        }
    }
}

/// Diagnoses an endpoint; forgeries are sent only if the owner asks for them.
pub async fn diagnose(
    app: &App,
    scope: Scope,
    id: WebhookId,
    sample: Sample,
    probes_refusals: bool,
) -> Result<Vec<Step>> {
    let since = app.database.sources().first_id(app.now().minus(PAST));
    let unit = async move |tx: &Tx| {
        try_join3(
            store::find(tx, scope, id),
            store::secret(tx, scope, id),
            deliveries::past(tx, scope, id, since, PAST_MAX),
        )
        .await
    };
    let (found, sealed, past) = app.read(unit).await?;
    let none = || Error::NotFound("Webhook subscription");
    let (endpoint, sealed) = Option::zip(found, sealed).ok_or_else(none)?;
    let finding = if endpoint.active { Finding::Enabled } else { Finding::Disabled };
    let mut steps = vec![Step::new(StepName::State, finding, None)];
    let address = |finding| {
        Step::new(StepName::Address, finding, None).with_detail(endpoint.url.without_query())
    };
    match destination(app, &endpoint, &sealed) {
        Err(finding) => steps.push(address(finding)),
        Ok((target, secret, finding)) => {
            steps.push(address(finding));
            if server::examine(app, &target, &mut steps).await {
                let target = target.owned_by(scope.merchant.0.as_u128());
                let event = event(app, sample);
                let probe = Probe::new(app, scope.mode, target, &secret, &event);
                probe.send_all(probes_refusals, &mut steps).await;
            }
        }
    }
    steps.push(Step::new(StepName::History, past::judge(&past), None));
    Ok(complete(&steps, probes_refusals))
}

/// Where an endpoint's deliveries go, and what signs them.
fn destination(
    app: &App,
    endpoint: &WebhookEndpoint,
    sealed: &[u8],
) -> Result<(Target, Secret, Finding), Finding> {
    let secret = Secret::open(&app.secrets, endpoint.id, sealed);
    let url = endpoint.url.open(&app.secrets, endpoint.id);
    let (url, secret) = Option::zip(url, secret).ok_or(Finding::Unreadable)?;
    let target = Target::parse(&url, app.settings.webhook_policy())
        .map_err(|refused| Finding::AddressRefused(refused.to_string()))?;
    Ok((target, secret, judge_query(&url)))
}

/// Finds a parameter that looks like a secret.
fn judge_query(url: &str) -> Finding {
    let parsed = Url::parse(url).ok();
    let mut pairs = parsed.iter().flat_map(Url::query_pairs);
    let is_secret = |name: &str| {
        let letters = name.chars().filter(char::is_ascii_alphanumeric);
        let name: String = letters.map(|letter| letter.to_ascii_lowercase()).collect();
        SECRETS.iter().any(|secret| name.ends_with(secret))
    };
    match pairs.find(|(name, _)| is_secret(name)) {
        Some((name, _)) => Finding::SecretInAddress(name.into_owned()),
        None => Finding::AddressGood,
    }
}

/// The event that is sent; it did not happen.
fn event(app: &App, sample: Sample) -> EventRecord {
    let (sources, now) = (app.database.sources(), app.now());
    EventRecord {
        id: EventId(sources.new_id(now)),
        name: sample.name,
        object: sample.object,
        sequence: 1,
        data: sample.data,
        sample: true,
        created_at: now,
    }
}

/// Every step in its order; one that was not taken is skipped.
fn complete(taken: &[Step], probes_refusals: bool) -> Vec<Step> {
    let step = |name: StepName| {
        let step = taken.iter().find(|step| step.name == name).cloned();
        let skipped = || Finding::Skipped(reason(name, taken, probes_refusals));
        step.unwrap_or_else(|| Step::new(name, skipped(), None))
    };
    StepName::ALL.into_iter().map(step).collect()
}

/// Why a step was skipped.
fn reason(name: StepName, taken: &[Step], probes_refusals: bool) -> Reason {
    let outcome = |name: StepName| {
        taken.iter().find(|step| step.name == name).map(|step| step.finding.outcome())
    };
    match name {
        StepName::Unsigned | StepName::Stale if !probes_refusals => Reason::NotAskedFor,
        StepName::Tls if outcome(StepName::Answer).is_some() => Reason::NoTls,
        StepName::Again | StepName::Unsigned | StepName::Stale => match outcome(StepName::Answer) {
            None => Reason::StepFailed,
            Some(StepOutcome::Fail) => Reason::NotAccepted,
            Some(_) => Reason::TooSlow,
        },
        _ => Reason::StepFailed,
    }
}

#[cfg(test)]
mod tests {
    use super::finding::Finding;
    use super::judge_query;

    #[test]
    fn a_secret_in_the_address_is_found_by_its_name() {
        let secret = |name: &str| Finding::SecretInAddress(name.to_owned());
        let table = [
            ("https://example.com/a", Finding::AddressGood),
            ("https://example.com/a?shop=7&keyboard=br", Finding::AddressGood),
            ("https://example.com/a?secret=x", secret("secret")),
            ("https://example.com/a?shop=7&api_key=x", secret("api_key")),
            ("https://example.com/a?webhookToken=x", secret("webhookToken")),
        ];
        for (url, expected) in table {
            assert_eq!(judge_query(url), expected, "{url}");
        }
    }
}
