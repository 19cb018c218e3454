//! Pagar.me's errors: a message, and the fields of the request that are wrong.

use serde::Deserialize;
use serde_json::Value;
use upstream::failure::{ErrorObject, Meaning};

/// The status of what is valid and cannot be done.
pub const IMPOSSIBLE: u16 = 412;

#[derive(Deserialize)]
struct OwnError {
    message: String,
    #[serde(default)]
    errors: Value,
}

/// Reads an error object; a proxy's page is none.
///
/// Its code is the names of the wrong fields, or the status. The texts of the fields are not read:
/// they may quote what a person entered.
pub fn read(status: u16, body: &[u8]) -> Option<ErrorObject> {
    let OwnError { message: text, errors } = serde_json::from_slice(body).ok()?;
    let fields: Vec<_> = errors.as_object().into_iter().flat_map(|it| it.keys().cloned()).collect();
    let code = if fields.is_empty() { status.to_string() } else { fields.join(",") };
    Some(ErrorObject { code, text, meaning: Meaning::Refused })
}

/// Whether a refusal says that a token is unknown, used or expired.
pub fn is_about_the_token(code: &str, text: &str) -> bool {
    code.contains("token") || text.to_ascii_lowercase().contains("token")
}

/// Whether a refusal says that the card's issuer did not verify the card.
pub fn is_unverified(text: &str) -> bool {
    text.contains("verification failed")
}

#[cfg(test)]
mod tests {
    use super::{is_about_the_token, is_unverified, read};

    #[test]
    fn an_error_is_known_by_the_fields_that_are_wrong_or_by_its_status() {
        let code = |body: &str| read(422, body.as_bytes()).map(|error| error.code);
        let used = r#"{"message":"The request is invalid.","errors":
            {"order.customer.name":["a"],"order.payments[0].credit_card.card_token":["b"]}}"#;
        let fields = "order.customer.name,order.payments[0].credit_card.card_token";
        assert_eq!(code(used).as_deref(), Some(fields));
        assert_eq!(code(r#"{"message":"Charge not found."}"#).as_deref(), Some("422"));
        assert_eq!(code(r#"{"message":"a","errors":null}"#).as_deref(), Some("422"));
        for body in ["<html>", "{}", r#"{"nome":"a"}"#] {
            assert_eq!(code(body), None, "{body}");
        }
    }

    #[test]
    fn a_token_that_cannot_be_used_is_known_from_other_errors() {
        assert!(is_about_the_token("order.payments[0].credit_card.card_token", "a"));
        assert!(is_about_the_token("404", "Token not found."));
        assert!(!is_about_the_token("404", "Card not found."));
        assert!(is_unverified("Could not create credit card. The card verification failed."));
        assert!(!is_unverified("Too many requests."));
    }
}
