//! The form of a new payout key, which becomes the body that programs send.

use serde::{Deserialize, Serialize};

use crate::dashboard::balance::pix_key;
use crate::dashboard::form::{Field, WrongField};
use crate::dashboard::parts::Choice;
use crate::platform::error::{FieldError, Result};
use crate::platform::http::card_data;
use crate::platform::messages::Lang;
use crate::withdrawals::payout_keys::api::CreatePayoutKeyRequest;

/// The fields whose errors the form shows.
pub const SHOWN: [&str; 3] = ["label", "pixKeyType", "pixKey"];

/// The fields by the names of the body's.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct KeyForm {
    pub label: String,
    pub pix_key_type: String,
    pub pix_key: String,
}

/// The fields as they were typed, with what is wrong with them.
pub struct KeyFields {
    pub label: Field,
    pub key_type: Field,
    pub types: Vec<Choice>,
    pub key: Field,
}

impl KeyForm {
    /// The body of the request.
    pub fn body(&self) -> Result<CreatePayoutKeyRequest> {
        card_data::refuse_typed([("label", &*self.label), ("pixKey", &*self.pix_key)])?;
        Ok(CreatePayoutKeyRequest {
            label: self.label.clone(),
            pix_key: self.pix_key.trim().to_owned(),
            pix_key_type: self.pix_key_type.clone(),
        })
    }

    /// The fields as they were typed.
    pub fn fields(&self, wrong: &[FieldError], lang: Lang) -> KeyFields {
        let field = |name, value| Field::judged(name, value, wrong, lang);
        KeyFields {
            label: field("label", &self.label),
            key_type: field("pixKeyType", &self.pix_key_type),
            types: pix_key::types(&self.pix_key_type, lang),
            key: field("pixKey", &self.pix_key),
        }
    }
}

impl KeyFields {
    /// What is wrong, for the summary above the form.
    pub fn wrong(&self, lang: Lang) -> Vec<WrongField> {
        let fields = [
            self.label.wrong("label", lang.payout_key_label()),
            self.key_type.wrong("pixKeyType", lang.withdraw_key_type()),
            self.key.wrong("pixKey", lang.withdraw_key()),
        ];
        fields.into_iter().flatten().collect()
    }
}
