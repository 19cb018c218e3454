//! Renders a deserialization error for the caller: the field, and what it must be.
//!
//! Serde's messages name Rust types; these are replaced by the terms of the API.

use serde_path_to_error::Error as Located;

use crate::platform::error::{Error, ErrorCode};

/// Refuses the value at which deserialization stopped.
pub fn decode_error(error: &Located<serde_json::Error>) -> Error {
    let (path, text) = (error.path().to_string(), error.inner().to_string());
    // The rest of the message is a line and a column, which do not help the caller.
    let message = text.rsplit_once(" at line ").map_or(&*text, |(message, _)| message);
    let missing = message.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`'));
    let root = path == ".";
    match missing {
        Some(field) if root => Error::field(field, "REQUIRED", "is required"),
        Some(field) => Error::field(format!("{path}.{field}"), "REQUIRED", "is required"),
        None if root => {
            Error::refused(ErrorCode::InvalidJson, "The body must be a JSON object.".to_owned())
        }
        None => {
            let is_word = message.starts_with("unknown variant `");
            let code = if is_word { "INVALID_VALUE" } else { "INVALID_TYPE" };
            // An object in place of an enum value is read as a variant with content.
            Error::field(path.trim_end_matches(".?"), code, plain(message))
        }
    }
}

/// Keeps what was expected, without repeating what the caller sent.
pub fn plain(message: &str) -> String {
    let known = match message {
        _ if message.starts_with("UUID parsing failed") => Some("must be a UUID"),
        "invalid digit found in string" | "cannot parse integer from empty string" => {
            Some("must be a whole number")
        }
        "number too large to fit in target type" => Some("is too large"),
        "number too small to fit in target type" => Some("is too small"),
        "provided string was not `true` or `false`" => Some("must be true or false"),
        _ => None,
    };
    if let Some(known) = known {
        return known.to_owned();
    }
    // A syntax error in valid JSON: another kind of value is expected there.
    let expected = message.rsplit_once(", expected ");
    match expected.and_then(|(_, expected)| in_our_words(expected)) {
        Some(expected) => format!("must be {expected}"),
        None if message.starts_with("must ") => message.to_owned(),
        None => "has a value of the wrong kind".to_owned(),
    }
}

/// What was expected, unless it only makes sense to a Rust programmer.
fn in_our_words(expected: &str) -> Option<&str> {
    match expected {
        "i64" => Some("a whole number"),
        "u32" | "u64" => Some("a whole number of at least 0"),
        "a boolean" => Some("true or false"),
        "a string" | "a borrowed string" | "string or map" => Some("a string"),
        "a formatted UUID string" => Some("a UUID"),
        "a sequence" => Some("a list"),
        "a map" => Some("an object"),
        _ if expected.starts_with("struct ") => Some("an object"),
        // Values of an enum, in the backquotes in which serde lists them.
        _ if expected.contains('`') => Some(expected),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fmt::Debug;

    use serde::Deserialize;
    use serde::de::DeserializeOwned;
    use serde_json::{Value, json};
    use uuid::Uuid;

    use crate::platform::error::Error;
    use crate::platform::http::body::{Empty, parse};

    #[derive(Debug, Deserialize)]
    struct Holder<T> {
        #[expect(dead_code, reason = "only whether it can be read is of interest")]
        field: T,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "UPPERCASE")]
    enum Word {
        Pix,
        Card,
    }

    /// The message about a value where a `T` belongs, of the wrong type unless it is a word.
    fn message<T: DeserializeOwned + Debug>(value: &Value) -> String {
        let is_word = value == "CASH";
        let code = if is_word { "INVALID_VALUE" } else { "INVALID_TYPE" };
        let body = json!({ "field": value }).to_string();
        match parse::<Holder<T>>(body.as_bytes()) {
            Err(Error::Invalid(faults)) => {
                let [fault] = faults.try_into().expect("one field is wrong");
                assert_eq!((fault.field.as_str(), fault.code), ("field", code), "{body}");
                fault.message
            }
            other => panic!("{body}: {other:?}"),
        }
    }

    #[test]
    fn every_type_of_a_body_is_named_in_words_of_the_contract() {
        let (whole, natural) = ("must be a whole number", "must be a whole number of at least 0");
        let wrong = json!({ "no": "such thing" });
        for (message, expected) in [
            (message::<i64>(&wrong), whole),
            (message::<Option<i64>>(&json!(1.5)), whole),
            (message::<u32>(&wrong), natural),
            (message::<u64>(&json!(-1)), natural),
            (message::<bool>(&wrong), "must be true or false"),
            (message::<String>(&wrong), "must be a string"),
            (message::<Uuid>(&json!("abc")), "must be a UUID"),
            (message::<Uuid>(&json!(1)), "must be a UUID"),
            (message::<Vec<i64>>(&wrong), "must be a list"),
            (message::<BTreeMap<String, i64>>(&json!(1)), "must be an object"),
            (message::<Empty>(&json!([])), "must be an object"),
            (message::<Word>(&json!("CASH")), "must be `PIX` or `CARD`"),
            (message::<Word>(&json!(null)), "has a value of the wrong kind"),
            (message::<Word>(&json!({})), "has a value of the wrong kind"),
        ] {
            assert_eq!(message, expected);
        }
    }
}
