//! The personal data of buyers in JSON: what erasing removes, and what callers without
//! `customers:read` do not see.

use serde_json::{Map, Value};

/// Fields that are always text.
const EMPTIED: [&str; 2] = ["name", "email"];
/// Fields that may be null.
const NULLED: [&str; 9] = [
    "taxId",
    "document",
    "phone",
    "address",
    "clientName",
    "clientEmail",
    "clientDocument",
    "clientPhone",
    "recoveryUrl",
];
/// The fields of responses that hold a buyer.
const HOLDERS: [&str; 2] = ["client", "customer"];
/// The fields of requests that name a buyer.
const NAMING: [&str; 4] = ["customer", "document", "email", "phone"];

/// Blanks a person's data; false if there is none.
pub fn blank(person: &mut Map<String, Value>) -> bool {
    let mut changed = false;
    let empty = EMPTIED.map(|name| (name, Value::from("")));
    let null = NULLED.map(|name| (name, Value::Null));
    for (name, blank) in empty.into_iter().chain(null) {
        if let Some(field) = person.get_mut(name).filter(|field| **field != blank) {
            *field = blank;
            changed = true;
        }
    }
    changed
}

/// Blanks the data of every buyer in a response.
pub fn hide(response: &mut Value) {
    match response {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::Object(buyer) if HOLDERS.contains(&name.as_str()) => {
                        blank(buyer);
                    }
                    value => hide(value),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(hide),
        _ => {}
    }
}

/// Whether a response says by an id which buyer it is about.
pub fn is_about_one(response: &Value) -> bool {
    match response {
        Value::Object(fields) => fields.iter().any(|(name, value)| {
            HOLDERS.contains(&name.as_str()) && value["id"].is_string() || is_about_one(value)
        }),
        Value::Array(values) => values.iter().any(is_about_one),
        _ => false,
    }
}

/// Whether a request's field of this name names a buyer.
pub fn names_one(field: &[u8]) -> bool {
    NAMING.iter().any(|name| name.as_bytes() == field)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{hide, is_about_one};

    #[test]
    fn buyers_are_found_and_hidden_wherever_a_response_has_them() {
        let buyer = json!({ "id": "1", "name": "Ana", "email": "ana@example.com", "phone": "1" });
        let hidden = json!({ "id": "1", "name": "", "email": "", "phone": null });
        let product = json!({ "id": "2", "name": "Caneca" });
        let mut response = json!({ "data": [{ "customer": buyer }, product], "client": buyer });
        assert!(is_about_one(&response));
        hide(&mut response);
        let expected = json!({ "data": [{ "customer": hidden }, product], "client": hidden });
        assert_eq!(response, expected);
        for other in [json!({ "data": product }), json!({ "customer": null, "code": "X" })] {
            assert!(!is_about_one(&other), "{other}");
        }
    }
}
