//! The fields of a client that a merchant sends, and their validation.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::clients::CustomerDetails;
use crate::platform::error::{FieldErrors, FieldFault, Result};
use crate::platform::fields;
use crate::platform::http::patch::{Omittable, Patch};

/// The fields to update; omitted fields keep their values.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "UpdateCustomerRequest")]
pub struct ClientParams {
    #[schemars(length(min = 1, max = 255))]
    pub name: Omittable<String>,
    #[schemars(email)]
    pub email: Omittable<String>,
    /// The CPF or CNPJ, with or without punctuation.
    pub document: Patch<String>,
    /// The phone number, 8 to 15 digits, with or without an international prefix.
    pub phone: Patch<String>,
}

impl ClientParams {
    /// Sets a customer's fields; every error is reported at once.
    pub fn apply(&self, customer: &mut CustomerDetails) -> Result<()> {
        let mut wrong = FieldErrors::new();
        let name = self.name.as_ref().map(|name| fields::name(name, 1, 255));
        wrong.assign("name", &mut customer.name, name);
        let email = self.email.as_ref().map(|email| fields::email(email));
        wrong.assign("email", &mut customer.email, email);
        let document = self.document.read(|text| unless_blank(text, fields::document));
        wrong.assign("document", &mut customer.document, document);
        let phone = self.phone.read(|text| unless_blank(text, fields::phone));
        wrong.assign("phone", &mut customer.phone, phone);
        wrong.finish()
    }
}

/// A blank text counts as absent, as it does at a checkout.
fn unless_blank<T>(
    text: &str,
    rule: impl FnOnce(&str) -> Result<T, FieldFault>,
) -> Result<Option<T>, FieldFault> {
    if text.trim().is_empty() { Ok(None) } else { rule(text).map(Some) }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::ClientParams;
    use crate::clients::CustomerDetails;
    use crate::platform::error::Error;

    fn faults(body: &Value) -> Vec<String> {
        let params: ClientParams = serde_json::from_value(body.clone()).unwrap();
        match params.apply(&mut CustomerDetails::default()) {
            Ok(()) => Vec::new(),
            Err(Error::Invalid(fields)) => {
                fields.into_iter().map(|f| format!("{} {}", f.field, f.code)).collect()
            }
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn each_field_has_its_rule() {
        let table = [
            (json!({}), vec![]),
            (json!({ "name": "Ana", "email": "ana@example.com" }), vec![]),
            (json!({ "document": "529.982.247-25", "phone": "(11) 91234-5678" }), vec![]),
            (json!({ "document": "12.abc.345/01de-35" }), vec![]),
            (json!({ "document": null, "phone": null }), vec![]),
            (json!({ "document": " ", "phone": "" }), vec![]),
            (json!({ "name": "" }), vec!["name INVALID_LENGTH"]),
            (json!({ "name": "a".repeat(256) }), vec!["name INVALID_LENGTH"]),
            (json!({ "email": "ana" }), vec!["email INVALID_EMAIL"]),
            (json!({ "email": "" }), vec!["email INVALID_EMAIL"]),
            (json!({ "document": "529.982.247-24" }), vec!["document INVALID_DOCUMENT"]),
            (json!({ "phone": "1234567" }), vec!["phone INVALID_PHONE"]),
            (
                json!({ "name": " ", "email": "@", "document": "1", "phone": "x" }),
                vec![
                    "name INVALID_LENGTH",
                    "email INVALID_EMAIL",
                    "document INVALID_DOCUMENT",
                    "phone INVALID_PHONE",
                ],
            ),
        ];
        for (body, expected) in table {
            assert_eq!(faults(&body), expected, "{body}");
        }
    }
}
