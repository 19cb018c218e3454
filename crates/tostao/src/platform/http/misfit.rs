//! Renders a deserialization error for the caller: the field, and what it must be.
//!
//! Serde's messages name Rust types; these are replaced by the terms of the API.

use serde_path_to_error::Error as Located;

use crate::platform::error::{Error, Refusal};

/// Refuses the value at which deserialization stopped.
pub fn misfit(error: &Located<serde_json::Error>) -> Error {
    let (path, text) = (error.path().to_string(), error.inner().to_string());
    // The rest of the message is a line and a column, which do not help the caller.
    let message = text.split(" at line ").next().unwrap_or_default();
    let missing = message.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`'));
    let root = path == ".";
    match missing {
        Some(field) if root => Error::field(field, "REQUIRED", "is required"),
        Some(field) => Error::field(format!("{path}.{field}"), "REQUIRED", "is required"),
        None if root => {
            Error::refused(Refusal::InvalidJson, "The body must be a JSON object.".to_owned())
        }
        // An object in place of an enum value is read as a variant with content.
        None => Error::field(path.trim_end_matches(".?"), "INVALID_TYPE", plain(message)),
    }
}

/// Keeps what was expected, without repeating what the caller sent.
pub fn plain(message: &str) -> String {
    let told = match message {
        _ if message.starts_with("UUID parsing failed") => Some("must be a UUID"),
        "invalid digit found in string" | "cannot parse integer from empty string" => {
            Some("must be a whole number")
        }
        "number too large to fit in target type" => Some("is too large"),
        "number too small to fit in target type" => Some("is too small"),
        "provided string was not `true` or `false`" => Some("must be true or false"),
        _ => None,
    };
    if let Some(told) = told {
        return told.to_owned();
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
        "i8" | "i16" | "i32" | "i64" | "isize" => Some("a whole number"),
        "u8" | "u16" | "u32" | "u64" | "usize" => Some("a whole number of at least 0"),
        "f32" | "f64" => Some("a number"),
        "a boolean" => Some("true or false"),
        "a string" | "a borrowed string" | "string or map" => Some("a string"),
        "a character" => Some("one character"),
        "a formatted UUID string" => Some("a UUID"),
        "a sequence" => Some("a list"),
        "a map" => Some("an object"),
        _ if expected.starts_with("a tuple ") => Some("a list"),
        _ if expected.starts_with("struct ") => Some("an object"),
        // Values of an enum, in the backquotes in which serde lists them.
        _ if expected.contains('`') => Some(expected),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;
    use serde::de::DeserializeOwned;
    use serde_json::{Value, json};
    use uuid::Uuid;

    use crate::platform::error::Error;
    use crate::platform::http::body::parse;

    #[derive(Debug, Deserialize)]
    struct Holder<T> {
        #[expect(dead_code, reason = "only whether it can be read is of interest")]
        field: T,
    }

    #[derive(Debug, Deserialize)]
    struct Inner {}

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "UPPERCASE")]
    enum Word {
        Pix,
        Card,
    }

    #[derive(Debug, Deserialize)]
    enum Only {
        #[serde(rename = "PIX")]
        Pix,
    }

    fn told<T: DeserializeOwned + std::fmt::Debug>(value: &Value) -> String {
        let body = json!({ "field": value }).to_string();
        match parse::<Holder<T>>(body.as_bytes()) {
            Err(Error::Invalid(faults)) => {
                let [fault] = faults.try_into().expect("one field is wrong");
                assert_eq!((fault.field.as_str(), fault.code), ("field", "INVALID_TYPE"), "{body}");
                fault.message
            }
            other => panic!("{body}: {other:?}"),
        }
    }

    #[test]
    fn what_a_field_must_be_is_told_in_words_of_the_contract() {
        type Teller = fn(&Value) -> String;
        let (whole, natural) = ("must be a whole number", "must be a whole number of at least 0");
        let (list, object) = ("must be a list", "must be an object");
        let table: [(Teller, &str); 19] = [
            (told::<i8>, whole),
            (told::<i16>, whole),
            (told::<i32>, whole),
            (told::<i64>, whole),
            (told::<isize>, whole),
            (told::<u8>, natural),
            (told::<u16>, natural),
            (told::<u32>, natural),
            (told::<u64>, natural),
            (told::<usize>, natural),
            (told::<f32>, "must be a number"),
            (told::<f64>, "must be a number"),
            (told::<bool>, "must be true or false"),
            (told::<char>, "must be one character"),
            (told::<Option<i64>>, whole),
            (told::<Vec<i64>>, list),
            (told::<(i64, i64)>, list),
            (told::<BTreeMap<String, i64>>, object),
            (told::<Inner>, object),
        ];
        for (number, (told, expected)) in table.into_iter().enumerate() {
            assert_eq!(told(&json!("no such thing")), expected, "row {number}");
        }
        assert_eq!(told::<String>(&json!(1)), "must be a string");
        for id in [json!("abc"), json!(1)] {
            assert_eq!(told::<Uuid>(&id), "must be a UUID");
        }
        for numeric in [told::<i64>, told::<Option<i64>>] {
            assert_eq!(numeric(&json!(1.5)), whole);
        }
        assert_eq!(told::<u64>(&json!(-1)), natural);
    }

    #[test]
    fn a_word_that_is_none_is_refused_by_its_field_whatever_it_is() {
        let kind = "has a value of the wrong kind";
        for value in [json!(null), json!(1), json!(true), json!([]), json!({})] {
            assert_eq!(told::<Word>(&value), kind, "{value}");
        }
        assert_eq!(told::<Word>(&json!("CASH")), "must be `PIX` or `CARD`");
        assert_eq!(told::<Only>(&json!("CASH")), "must be `PIX`");
    }
}
