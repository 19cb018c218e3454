//! Which fields of a request differ from those of the first one with its key.
//!
//! A keyed hash of each top-level field is stored with the key. It is bound to the key's row, so
//! equal values of two requests do not look equal, and without the server's secret no value can be
//! guessed.

use std::collections::BTreeSet;
use std::ops::Range;

use bytes::Bytes;
use serde_json::Value;

use crate::platform::persons;
use crate::platform::secrets::{Purpose, Secrets, sha256};

/// A request with more fields is stored without their hashes.
const FIELDS_MAX: usize = 32;
const NAME_LENGTH_MAX: usize = 40;
const HASH_BYTES: usize = 8;

/// The request's path.
const PATH: &str = "path";
/// A body that is no object, such as one that was not sent.
const BODY: &str = "body";

/// A request as its key sees it: the path and, on the next line, the body with sorted fields.
pub struct CanonicalRequest {
    text: String,
    /// The names of the top-level fields, and where their values are in the text.
    fields: Vec<(String, Range<usize>)>,
}

impl CanonicalRequest {
    pub fn new(path: &str, body: &Bytes) -> Self {
        let mut text = format!("{path}\n");
        let mut fields = vec![(PATH.to_owned(), 0..path.len())];
        // Objects keep their keys sorted, so the same fields in another order are the same body.
        match serde_json::from_slice(body).unwrap_or(Value::Null) {
            Value::Object(object) => {
                text.push('{');
                for (name, value) in object {
                    let comma = if text.ends_with('{') { "" } else { "," };
                    text.extend([comma, &Value::from(name.as_str()).to_string(), ":"]);
                    let start = text.len();
                    text.push_str(&value.to_string());
                    fields.push((name, start..text.len()));
                }
                text.push('}');
            }
            other => {
                text.push_str(&other.to_string());
                // With the end of the line, which no field's value begins with.
                fields.push((BODY.to_owned(), path.len()..text.len()));
            }
        }
        Self { text, fields }
    }

    /// Equal for equal requests.
    pub fn fingerprint(&self) -> [u8; 32] {
        sha256(self.text.as_bytes())
    }

    /// The hashes of the fields, bound to `aad`: first one of nothing, which shows the secret that
    /// they are made with, then each after its name. Empty if the names are none of an API's.
    pub fn hashes(&self, secrets: &Secrets, aad: &[u8]) -> Vec<u8> {
        if self.fields.len() > FIELDS_MAX || !self.fields.iter().all(|(name, _)| is_name(name)) {
            return Vec::new();
        }
        let signer = secrets.signer(Purpose::RequestFields, aad);
        let mut hashes = signer.sign(&[])[..HASH_BYTES].to_vec();
        for (name, range) in &self.fields {
            let value = &self.text[range.clone()];
            let signature = signer.sign(&["\n", name, "\n", value].map(str::as_bytes));
            hashes.extend(u8::try_from(name.len()));
            hashes.extend_from_slice(name.as_bytes());
            hashes.extend_from_slice(&signature[..HASH_BYTES]);
        }
        hashes
    }
}

/// The names of the fields whose hashes differ, sorted; none if the hashes cannot be compared.
pub fn differing(first: &[u8], second: &[u8]) -> Vec<String> {
    let (Some((first_secret, first)), Some((secret, second))) =
        (first.split_at_checked(HASH_BYTES), second.split_at_checked(HASH_BYTES))
    else {
        return Vec::new();
    };
    if first_secret != secret {
        return Vec::new();
    }
    let (first, second): (BTreeSet<_>, BTreeSet<_>) =
        (entries(first).collect(), entries(second).collect());
    let names: BTreeSet<_> = first.symmetric_difference(&second).map(|(name, _)| *name).collect();
    names.into_iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect()
}

/// Whether the request may have named a buyer, by the names of its fields.
pub fn may_name_a_buyer(hashes: &[u8]) -> bool {
    let named = hashes.get(HASH_BYTES..).unwrap_or_default();
    entries(named).any(|(name, _)| persons::names_one(name))
}

/// The names, each with its hash.
fn entries(mut hashes: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    std::iter::from_fn(move || {
        let (length, rest) = hashes.split_first()?;
        let (name, rest) = rest.split_at_checked(usize::from(*length))?;
        let (hash, rest) = rest.split_at_checked(HASH_BYTES)?;
        hashes = rest;
        Some((name, hash))
    })
}

/// Whether a name can be one of an API's field; any other could hold personal data.
fn is_name(name: &str) -> bool {
    (1..=NAME_LENGTH_MAX).contains(&name.len())
        && name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use serde_json::json;

    use super::{CanonicalRequest, FIELDS_MAX, differing};
    use crate::platform::secrets::{Secrets, sha256};

    fn request(path: &str, body: &str) -> CanonicalRequest {
        CanonicalRequest::new(path, &Bytes::copy_from_slice(body.as_bytes()))
    }

    #[test]
    fn a_fingerprint_is_that_of_the_path_and_the_body_with_sorted_fields() {
        for body in ["{}", "[1,{\"b\":1,\"a\":2}]", "null", "{\"b\\n\": [1.0, \"é\"], \"a\": {}}"]
        {
            let value: serde_json::Value = serde_json::from_str(body).unwrap();
            let whole = sha256(format!("/path\n{value}").as_bytes());
            assert_eq!(request("/path", body).fingerprint(), whole, "{body}");
        }
    }

    #[test]
    fn requests_with_different_fingerprints_differ_in_fields() {
        let secrets = Secrets::derive("a secret");
        let path = "/path";
        let table: &[(&str, &str, &str, &[&str])] = &[
            (r#"{"a":1,"b":2}"#, path, r#"{ "b": 2, "a": 1 }"#, &[]),
            (r#"{"a":1,"b":2}"#, path, r#"{"a":1,"b":3}"#, &["b"]),
            (r#"{"a":1,"b":{"c":1}}"#, path, r#"{"b":{"c":2}}"#, &["a", "b"]),
            (r#"{"a":null}"#, path, "{}", &["a"]),
            (r#"{"a":1}"#, "/other", r#"{"a":1}"#, &["path"]),
            (r#"{"path":"/other"}"#, "/other", r#"{"path":"/path"}"#, &["path"]),
            ("{}", path, "", &["body"]),
            ("1", path, r#"{"body":1}"#, &["body"]),
            ("[1]", path, "[2]", &["body"]),
        ];
        for (first, path, second, names) in table {
            let (first, second) = (request("/path", first), request(path, second));
            let hashes = |one: &CanonicalRequest| one.hashes(&secrets, b"row");
            assert_eq!(differing(&hashes(&first), &hashes(&second)), *names);
            assert_eq!(first.fingerprint() == second.fingerprint(), names.is_empty());
        }
    }

    #[test]
    fn hashes_of_another_row_or_secret_and_names_of_no_api_say_nothing() {
        let (one, other) = (request("/", r#"{"a":1}"#), request("/", r#"{"a":2}"#));
        let secrets = Secrets::derive("a secret");
        let hashes = one.hashes(&secrets, b"row");
        for others in [
            other.hashes(&secrets, b"another row"),
            other.hashes(&Secrets::derive("another"), b"row"),
            Vec::new(),
        ] {
            assert_eq!(differing(&hashes, &others), Vec::<String>::new());
        }
        for body in [r#"{"ana@example.com":1}"#, r#"{"":1}"#, r#"{"529.982.247-25":1}"#] {
            assert_eq!(request("/", body).hashes(&secrets, b"row"), b"");
        }
        let many: serde_json::Map<_, _> =
            (0..FIELDS_MAX).map(|number| (format!("f{number}"), json!(number))).collect();
        let many = serde_json::Value::from(many).to_string();
        assert_eq!(request("/", &many).hashes(&secrets, b"row"), b"");
    }
}
