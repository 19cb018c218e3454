//! Every request that came in, for the test to read.

use serde_json::{Map, Value, json};

use crate::call::Call;
use crate::clock::instant;
use jiff::Timestamp;

/// Fields whose content no log may hold, a fake bank's neither: tests copy logs into reports.
const SECRETS: [&str; 4] = ["client_secret", "number", "cvv", "password"];

#[derive(Debug, Clone)]
pub struct Entry {
    pub at: Timestamp,
    pub operation: String,
    listener: &'static str,
    method: String,
    path: String,
    query: String,
    headers: Vec<(String, String)>,
    body: Value,
    pub fault: Option<Value>,
    /// Absent while there is no answer, and for ever where none was sent.
    pub status: Option<u16>,
    /// What a schema validator between the listener and the core objected to.
    pub violations: Vec<Value>,
}

impl Entry {
    pub fn of(call: &Call, operation: &str, at: Timestamp) -> Self {
        Self {
            at,
            operation: operation.to_owned(),
            listener: call.listener.name(),
            method: call.method.clone(),
            path: call.path.clone(),
            query: call.raw_query.clone(),
            headers: headers(call),
            body: body(call),
            fault: None,
            status: None,
            violations: Vec::new(),
        }
    }

    pub fn json(&self, number: usize) -> Value {
        let pairs = self.headers.iter().map(|(name, value)| (name.clone(), json!(value)));
        json!({
            "number": number,
            "at": instant(self.at),
            "operation": self.operation,
            "listener": self.listener,
            "method": self.method,
            "path": self.path,
            "query": self.query,
            "headers": pairs.collect::<Map<_, _>>(),
            "body": self.body,
            "fault": self.fault,
            "status": self.status,
            "violations": self.violations,
        })
    }
}

/// Authorization keeps its scheme and loses the rest.
fn headers(call: &Call) -> Vec<(String, String)> {
    let shown = |(name, value): (&http::HeaderName, &http::HeaderValue)| {
        let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
        let value = match name.as_str() {
            "authorization" | "proxy-authorization" | "cookie" => {
                format!("{} …", value.split(' ').next().unwrap_or_default())
            }
            _ => value,
        };
        (name.as_str().to_owned(), value)
    };
    call.headers.iter().map(shown).collect()
}

fn body(call: &Call) -> Value {
    if call.body.is_empty() {
        return Value::Null;
    }
    let form = || call.form().into_iter().map(|(key, value)| (key, json!(value))).collect();
    let mut value = match &call.json {
        Some(value) => value.clone(),
        None if call.is_form() => Value::Object(form()),
        None => json!(String::from_utf8_lossy(&call.body)),
    };
    mask(&mut value);
    value
}

fn mask(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let is_secret = SECRETS.contains(&name.as_str()) && value.is_string();
                if is_secret && !is_address(name, value) {
                    *value = json!("…");
                } else {
                    mask(value);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(mask),
        _ => {}
    }
}

/// A house has a `number`, too, and no house has thirteen digits.
fn is_address(name: &str, value: &Value) -> bool {
    name == "number" && value.as_str().is_some_and(|text| text.len() < 13)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use serde_json::json;

    use super::Entry;
    use crate::call::{Call, Listener};

    #[test]
    fn secrets_and_card_numbers_are_masked_and_houses_are_not() {
        let body = json!({
            "client_secret": "s",
            "card": { "number": "4000000000000010", "cvv": "123" },
            "address": { "number": "42" },
        });
        let mut headers = http::HeaderMap::new();
        headers.insert("authorization", "Basic c2VjcmV0".parse().unwrap());
        let uri = "/core/v5/tokens?appId=pk".parse().unwrap();
        let body = Bytes::from(body.to_string());
        let call = Call::new(Listener::Plain, "POST", &uri, headers, body);

        let entry =
            Entry::of(&call, "pagarme.token.create", "2026-11-22T12:00:00Z".parse().unwrap());

        let entry = entry.json(1);
        assert_eq!(entry["headers"]["authorization"], "Basic …");
        assert_eq!(
            entry["body"],
            json!({
                "client_secret": "…",
                "card": { "number": "…", "cvv": "…" },
                "address": { "number": "42" },
            })
        );
    }
}
