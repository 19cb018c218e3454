//! What a receiver gets: the body, and the headers that authenticate it.

use std::collections::HashMap;

use db::time::Timestamp;

use crate::events::EventRecord;
use crate::platform::ids::Mode;
use crate::platform::openapi::API_VERSION;
use crate::webhooks::secret::Secret;

const USER_AGENT: &str = "Tostao-Webhooks/1";

/// The content of the headers of one attempt.
#[derive(Debug)]
pub struct SignatureInput<'a> {
    pub event_name: &'a str,
    /// Counted from 1 in every series.
    pub attempt: i64,
    /// When it is sent, by the system clock: receivers compare it with theirs.
    pub sent_at: Timestamp,
    pub secret: &'a Secret,
    /// The secret before the last rotation, while it is still valid.
    pub previous: Option<&'a Secret>,
}

/// Renders the body; every attempt sends the same bytes.
///
/// Only `data` can hold anything that JSON would have to escape, and it is JSON already.
pub fn body(mode: Mode, event_record: &EventRecord, event_name: &str) -> String {
    let EventRecord { id, object, sequence, data, created_at, .. } = event_record;
    let development = mode.is_development();
    let test = if event_record.sample { r#","test":true"# } else { "" };
    let head = format!(r#""id":"{id}","event":"{event_name}","devMode":{development}"#);
    let origin = format!(r#""createdAt":"{created_at}","apiVersion":"{API_VERSION}""#);
    let about = format!(r#""objectId":"{object}","sequence":{sequence}{test}"#);
    format!(r#"{{{head},"data":{data},{origin},{about}}}"#)
}

/// Signs one attempt; the time and its signature are new each time.
pub fn headers(
    event_record: &EventRecord,
    input: &SignatureInput<'_>,
    body: &str,
) -> HashMap<String, String> {
    let id = event_record.id.to_string();
    let seconds = input.sent_at.seconds();
    let own = input.secret.sign_body(body);
    let mut standard = input.secret.sign_message(&id, seconds, body);
    if let Some(previous) = input.previous {
        standard = format!("{standard} {}", previous.sign_message(&id, seconds, body));
    }
    let pairs = [
        ("content-type", "application/json".to_owned()),
        ("user-agent", USER_AGENT.to_owned()),
        ("x-webhook-signature", own.clone()),
        ("x-service-signature", own),
        ("x-webhook-id", id.clone()),
        ("x-webhook-event", input.event_name.to_owned()),
        ("x-webhook-timestamp", seconds.to_string()),
        ("x-webhook-attempt", input.attempt.to_string()),
        ("webhook-id", id),
        ("webhook-timestamp", seconds.to_string()),
        ("webhook-signature", standard),
    ];
    pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use db::time::Timestamp;
    use serde_json::{Value, json};
    use uuid::Uuid;

    use super::{SignatureInput, body, headers};
    use crate::events::EventRecord;
    use crate::events::names::Name;
    use crate::openapi::webhooks::HEADERS;
    use crate::platform::ids::{EventId, Mode};
    use crate::webhooks::secret::Secret;

    const NOW: Timestamp = Timestamp::from_micros(1_795_276_800_123_000);

    fn event_record(sample: bool) -> EventRecord {
        EventRecord {
            id: EventId(Uuid::from_u128(1)),
            name: Name::TransactionPaid,
            object: Uuid::from_u128(2),
            sequence: 3,
            data: r#"{"customer":{"name":"Ana \"A\""}}"#.into(),
            sample,
            created_at: NOW,
        }
    }

    #[test]
    fn the_body_is_json_with_the_stored_data_and_the_name_the_subscriber_used() {
        let text = body(Mode::Development, &event_record(false), "payment.completed");
        let expected = json!({
            "id": "00000000-0000-0000-0000-000000000001",
            "event": "payment.completed",
            "devMode": true,
            "data": { "customer": { "name": "Ana \"A\"" } },
            "createdAt": "2026-11-21T16:00:00.123Z",
            "apiVersion": "2.23.0",
            "objectId": "00000000-0000-0000-0000-000000000002",
            "sequence": 3,
        });
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), expected);
    }

    #[test]
    fn the_headers_of_a_delivery_are_those_that_are_described() {
        let secret = Secret::generate([1; 32]);
        let input = SignatureInput {
            event_name: "transaction.paid",
            attempt: 1,
            sent_at: NOW,
            secret: &secret,
            previous: None,
        };
        let sent: BTreeSet<_> = headers(&event_record(false), &input, "{}").into_keys().collect();
        let described = HEADERS.iter().map(|(name, _, _)| name.to_ascii_lowercase());
        let usual = ["content-type", "user-agent"].map(str::to_owned);
        assert_eq!(sent, described.chain(usual).collect());
    }

    #[test]
    fn only_a_sample_says_that_it_is_a_test() {
        let text = body(Mode::Production, &event_record(true), "transaction.paid");
        let parsed: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(parsed["test"], true);
        assert_eq!(parsed["devMode"], false);
    }

    #[test]
    fn both_secrets_sign_the_message_during_a_rotation_and_only_the_new_one_the_body() {
        let (new, old) = (Secret::generate([1; 32]), Secret::generate([2; 32]));
        let event_record = event_record(false);
        let text = body(Mode::Production, &event_record, "transaction.paid");
        let input = SignatureInput {
            event_name: "transaction.paid",
            attempt: 4,
            sent_at: NOW,
            secret: &new,
            previous: Some(&old),
        };
        let sent = headers(&event_record, &input, &text);
        let id = "00000000-0000-0000-0000-000000000001";
        let seconds = 1_795_276_800;
        let signed = |secret: &Secret| secret.sign_message(id, seconds, &text);
        assert_eq!(sent["webhook-signature"], format!("{} {}", signed(&new), signed(&old)));
        assert_eq!(sent["x-webhook-signature"], new.sign_body(&text));
        assert_eq!(sent["x-service-signature"], new.sign_body(&text));
        assert_eq!((sent["webhook-id"].as_str(), sent["x-webhook-id"].as_str()), (id, id));
        assert_eq!(sent["webhook-timestamp"], "1795276800");
        assert_eq!(sent["x-webhook-timestamp"], "1795276800");
        assert_eq!(sent["x-webhook-attempt"], "4");
        assert_eq!(sent["x-webhook-event"], "transaction.paid");
    }
}
