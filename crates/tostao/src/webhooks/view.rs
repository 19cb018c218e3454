//! What both versions of the API share: the view of a subscription, and the validation of its
//! fields.

use db::time::Timestamp;
use outbound::target::{Policy, Target};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::events::names::{ALIASES, ANY, Name};
use crate::platform::error::{Error, ErrorCode, FieldErrors, FieldFault, Result};
use crate::platform::fields;
use crate::platform::http::patch::Patch;
use crate::platform::ids::WebhookId;
use crate::platform::permissions::{Permission, Permissions};
use crate::platform::secrets::Secrets;
use crate::webhooks::endpoint_url::HIDDEN_QUERY;
use crate::webhooks::health::DisabledReason;
use crate::webhooks::secret::Secret;
use crate::webhooks::{Change, NewWebhook, WebhookEndpoint};

/// More than the number of names, so that a list of all of them is accepted.
const EVENTS_MAX: usize = 100;
const DESCRIPTION_MAX: usize = 1_000;

/// A webhook. `isActive` and `status` are equivalent.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "WebhookSubscription")]
pub struct EndpointView {
    id: WebhookId,
    /// The URL. Its query is replaced by `?…` for callers without `webhooks:write`, and if the
    /// server can no longer decrypt it.
    url: String,
    description: Option<String>,
    /// The event types that it receives, or `*` for all.
    events: Vec<String>,
    /// Whether it receives events.
    is_active: bool,
    status: WebhookStatus,
    /// When the webhook was disabled automatically.
    disabled_at: Option<Timestamp>,
    /// Why the webhook was disabled: `gone` after a 410 response, `failing` after five days of
    /// failures.
    disabled_reason: Option<DisabledReason>,
    /// Since when every delivery has failed; null if the last one succeeded.
    failing_since: Option<Timestamp>,
    /// How many deliveries have failed since then.
    failures: i64,
    /// When a delivery was last sent.
    last_triggered_at: Option<Timestamp>,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// The secret that signs deliveries; returned only when it is created or rotated.
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
}

/// Whether a webhook receives events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schemars(rename = "WebhookStatus")]
pub enum WebhookStatus {
    Active,
    Inactive,
}

impl EndpointView {
    /// A subscription as a caller with these permissions may see it at any time.
    pub fn new(secrets: &Secrets, permissions: &Permissions, webhook: WebhookEndpoint) -> Self {
        Self {
            id: webhook.id,
            url: shown_url(secrets, permissions, &webhook),
            description: webhook.description,
            events: webhook.events,
            is_active: webhook.active,
            status: if webhook.active { WebhookStatus::Active } else { WebhookStatus::Inactive },
            disabled_at: webhook.disabled.map(|disabled| disabled.at),
            disabled_reason: webhook.disabled.map(|disabled| disabled.reason),
            failing_since: webhook.failing.map(|failing| failing.since),
            failures: webhook.failing.map_or(0, |failing| failing.failures),
            last_triggered_at: webhook.last_triggered_at,
            created_at: webhook.created_at,
            updated_at: webhook.updated_at,
            secret: None,
        }
    }

    /// A subscription with its secret, which is shown once, to its creator.
    pub fn with_secret(secrets: &Secrets, (webhook, secret): (WebhookEndpoint, Secret)) -> Self {
        let secret = Some(secret.expose().to_owned());
        Self { secret, ..Self::new(secrets, &Permissions::All, webhook) }
    }
}

/// The URL as a caller with these permissions may see it: its query may hold a secret.
pub fn shown_url(
    secrets: &Secrets,
    permissions: &Permissions,
    webhook: &WebhookEndpoint,
) -> String {
    let whole = permissions.contains(Permission::WebhooksWrite);
    let url = webhook.url.open(secrets, webhook.id).filter(|_| whole);
    url.unwrap_or_else(|| webhook.url.without_query())
}

impl WebhookStatus {
    /// The same as a boolean.
    pub fn is_active(self) -> bool {
        self == Self::Active
    }
}

/// Validates a new subscription.
pub fn check_new(
    policy: Policy,
    url: String,
    events: Vec<String>,
    description: Option<&str>,
    active: bool,
) -> Result<NewWebhook> {
    let mut wrong = FieldErrors::new();
    let description =
        wrong.read("description", fields::optional_text(description, DESCRIPTION_MAX)).flatten();
    check_count(&mut wrong, &events);
    wrong.finish()?;
    check_url(policy, &url)?;
    Ok(NewWebhook { url, events: check_events(events)?, description, active })
}

/// Validates a change.
pub fn check_change(policy: Policy, change: Change) -> Result<Change> {
    let mut wrong = FieldErrors::new();
    let description = match &change.description {
        Patch::Set(text) => {
            let read =
                wrong.read("description", fields::optional_text(Some(text), DESCRIPTION_MAX));
            read.flatten().map_or(Patch::Clear, Patch::Set)
        }
        kept => kept.clone(),
    };
    if let Some(events) = &change.events {
        check_count(&mut wrong, events);
    }
    wrong.finish()?;
    if let Some(url) = &change.url {
        check_url(policy, url)?;
    }
    let events = change.events.map(check_events).transpose()?;
    Ok(Change { description, events, ..change })
}

/// Parses the name of one event, which may be an alias.
pub fn check_event(text: &str) -> Result<Name> {
    Name::parse(text).ok_or_else(|| unknown_event(text))
}

/// Checks how many events are named.
pub fn check_count(wrong: &mut FieldErrors, events: &[String]) {
    if !(1..=EVENTS_MAX).contains(&events.len()) {
        let message = format!("must name 1 to {EVENTS_MAX} events, or \"{ANY}\" for all");
        wrong.add("events", FieldFault::new("INVALID_LENGTH", message));
    }
}

/// The URL is stored as given, its query included.
fn check_url(policy: Policy, url: &str) -> Result<()> {
    let refused = |reason: String| Error::field("url", ErrorCode::InvalidWebhookUrl.name(), reason);
    if url.ends_with(HIDDEN_QUERY) {
        // It was read by a caller who cannot see the query, and would overwrite it with the
        // placeholder.
        return Err(refused("The URL's query is hidden; send the whole URL.".to_owned()));
    }
    Target::parse(url, policy).map(drop).map_err(|reason| refused(reason.to_string()))
}

/// Parses the names of events, each once.
pub fn check_events(events: Vec<String>) -> Result<Vec<String>> {
    let mut kept: Vec<String> = Vec::with_capacity(events.len());
    for text in events {
        if text != ANY {
            check_event(&text)?;
        }
        if !kept.contains(&text) {
            kept.push(text);
        }
    }
    Ok(kept)
}

fn unknown_event(text: &str) -> Error {
    let shown: String = text.chars().take(64).filter(|c| !c.is_control()).collect();
    let message = format!("Unknown event \"{shown}\". Valid: {}, {ANY}.", names());
    Error::refused(ErrorCode::InvalidEventName, message)
}

/// All names, followed by all aliases.
fn names() -> String {
    let own = Name::ALL.iter().map(|name| name.text());
    let others = ALIASES.iter().map(|(alias, _)| *alias);
    own.chain(others).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use outbound::target::Policy;

    use super::{check_change, check_new};
    use crate::platform::error::{ErrorCode, Result};
    use crate::platform::http::patch::Patch;
    use crate::webhooks::{Change, NewWebhook};

    const URL: &str = "https://example.com/hook?secret=abc";

    fn new(url: &str, events: &[&str]) -> Result<NewWebhook> {
        let events = events.iter().map(ToString::to_string).collect();
        check_new(Policy::default(), url.into(), events, Some("  shop "), true)
    }

    #[test]
    fn a_subscription_keeps_its_address_and_each_name_once_as_it_was_written() {
        let checked = new(URL, &["payment.completed", "*", "payment.completed"]).unwrap();
        assert_eq!(checked.url, URL);
        assert_eq!(checked.events, ["payment.completed", "*"]);
        assert_eq!(checked.description.as_deref(), Some("shop"));
    }

    #[test]
    fn what_is_wrong_with_a_subscription_has_its_own_code() {
        let table: [(&str, &[&str], ErrorCode); 5] = [
            ("http://example.com", &["*"], ErrorCode::InvalidWebhookUrl),
            ("https://127.0.0.1/", &["*"], ErrorCode::InvalidWebhookUrl),
            ("https://user@example.com/", &["*"], ErrorCode::InvalidWebhookUrl),
            (URL, &["transaction.paid", "nothing"], ErrorCode::InvalidEventName),
            (URL, &[], ErrorCode::ValidationError),
        ];
        for (url, events, code) in table {
            assert_eq!(new(url, events).unwrap_err().code(), code, "{url} {events:?}");
        }
        let message = new(URL, &["nothing"]).unwrap_err().message();
        assert!(message.contains("transaction.paid") && message.contains("payment.completed"));
    }

    #[test]
    fn an_empty_description_clears_it() {
        let change =
            Change { url: None, description: Patch::Set(" ".into()), events: None, active: None };
        let checked = check_change(Policy::default(), change).unwrap();
        assert_eq!(checked.description, Patch::Clear);
    }
}
