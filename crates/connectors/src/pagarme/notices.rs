//! Pagar.me's notices, of which only the charge's id is read.
//!
//! A notice has an id of its own (`hook_…`). It is not kept: the charge is asked about, and its
//! answer books nothing twice, however often a notice comes. Notices about orders name no more than
//! those about their charges, and would only double the questions.

use rails::connection::{Notice, Subject};
use rails::entries::is_name;
use rails::error::ProviderError;
use serde::Deserialize;
use serde_json::Value;

/// How the kinds of notice begin that are about a charge.
const OF_CHARGE: &str = "charge.";

#[derive(Deserialize)]
struct Message {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    data: Value,
}

/// Reads which charge a message is about.
pub fn read(body: &[u8]) -> Result<Vec<Notice>, ProviderError> {
    let Message { kind, data } = serde_json::from_slice(body)
        .map_err(|_| ProviderError::refused("the message is no JSON object with a `type`"))?;
    let id = data["id"].as_str().filter(|id| kind.starts_with(OF_CHARGE) && is_charge(id));
    let notice = |id: &str| Notice { subject: Subject::CardCharge, id: id.to_owned() };
    Ok(id.map(notice).into_iter().collect())
}

/// Whether a text can be the id of a charge.
pub fn is_charge(id: &str) -> bool {
    id.starts_with("ch_") && is_name(id)
}

#[cfg(test)]
mod tests {
    use rails::connection::{Notice, Subject};

    use super::read;

    #[test]
    fn a_notice_names_its_charge_and_nothing_else_of_it_is_kept() {
        let named = |body: &str| read(body.as_bytes()).expect("is a message");
        let about = |id: &str| [Notice { subject: Subject::CardCharge, id: id.to_owned() }];
        let paid = r#"{"id":"hook_1","type":"charge.paid","data":{"id":"ch_1","amount":1}}"#;
        assert_eq!(named(paid), about("ch_1"));
        for body in [
            r#"{"id":"hook_1","type":"order.paid","data":{"id":"or_1"}}"#,
            r#"{"id":"hook_1","type":"charge.paid","data":{"id":"../orders"}}"#,
            r#"{"id":"hook_1","type":"charge.paid","data":{"id":7}}"#,
            r#"{"id":"hook_1","type":"charge.paid"}"#,
        ] {
            assert_eq!(named(body), [], "{body}");
        }
        for body in ["", "<html>", "[]", r#"{"data":{"id":"ch_1"}}"#] {
            assert!(read(body.as_bytes()).is_err(), "{body}");
        }
    }
}
