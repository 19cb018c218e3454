//! The decision about money set aside, as a form has it.

use brazil::pix_key::PixKeyType;
use serde::Deserialize;

use crate::dashboard::form::{Field, WrongField, explain, given};
use crate::dashboard::parts::{NamedChoice, NamedSelect, Text};
use crate::dashboard::transactions::unmatched::view::Payee;
use crate::platform::error::{Error, FieldError, Result};
use crate::platform::http::card_data;
use crate::platform::messages::Lang;
use crate::transactions::returns::api::ReturnPaymentRequest;

/// The fields whose errors the page shows.
pub const SHOWN: [&str; 2] = ["refundPixKey", "pixKeyType"];
/// What the buttons say.
pub const ACCEPT: &str = "accept";
pub const RETURN: &str = "return";
/// The types of keys, the most usual ones first.
const TYPES: [(PixKeyType, Text); 5] = [
    (PixKeyType::Cpf, Lang::withdraw_cpf),
    (PixKeyType::Cnpj, Lang::withdraw_cnpj),
    (PixKeyType::Email, Lang::withdraw_email),
    (PixKeyType::Phone, Lang::withdraw_phone),
    (PixKeyType::Random, Lang::withdraw_random),
];

/// What is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    Accept,
    Return,
}

/// The fields by the names of the body's, and the button that was pressed.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct DecideForm {
    pub decision: String,
    pub refund_pix_key: String,
    pub pix_key_type: String,
    pub attempt: String,
    /// Set by the button that leads from the review back to the page.
    pub back: String,
}

impl DecideForm {
    /// What was decided.
    pub fn decision(&self) -> Result<Decision> {
        match &*self.decision {
            ACCEPT => Ok(Decision::Accept),
            RETURN => Ok(Decision::Return),
            _ => Err(Error::field("decision", "INVALID_VALUE", "must be accept or return")),
        }
    }

    /// The body of a return.
    pub fn body(&self) -> Result<ReturnPaymentRequest> {
        let typed = [("refundPixKey", &*self.refund_pix_key), ("pixKeyType", &*self.pix_key_type)];
        card_data::refuse_typed(typed)?;
        let refund_pix_key = given(&self.refund_pix_key);
        let pix_key_type = given(&self.pix_key_type).filter(|_| refund_pix_key.is_some());
        Ok(ReturnPaymentRequest { refund_pix_key, pix_key_type })
    }

    /// What was filled in, for the review.
    pub fn filled(&self) -> Vec<(&'static str, String)> {
        let Self { decision, refund_pix_key, pix_key_type, .. } = self.clone();
        vec![("decision", decision), ("refundPixKey", refund_pix_key), ("pixKeyType", pix_key_type)]
    }

    /// What must be the same when the form is posted again.
    pub fn values(&self) -> String {
        [&*self.decision, &*self.refund_pix_key, &*self.pix_key_type].join("\n")
    }

    /// The fields of the key as they were typed.
    pub fn payee(&self, wrong: &[FieldError], lang: Lang) -> Payee {
        let choice = |(of, name): (PixKeyType, Text)| NamedChoice {
            value: of.as_str().to_owned(),
            name: name(lang).to_owned(),
            is_chosen: of.as_str() == self.pix_key_type,
        };
        let type_error = wrong.iter().find(|wrong| wrong.field == "pixKeyType");
        let error = type_error.map(|wrong| explain(wrong, lang));
        Payee {
            key: Field::judged("refundPixKey", &self.refund_pix_key, wrong, lang),
            key_type: NamedSelect { choices: TYPES.map(choice).into(), error },
        }
    }
}

impl Payee {
    /// What is wrong, for the summary above the page.
    pub fn wrong(&self, lang: Lang) -> Vec<WrongField> {
        let key_type = Field { value: String::new(), error: self.key_type.error.clone() };
        let fields = [
            key_type.wrong("pixKeyType", lang.withdraw_key_type()),
            self.key.wrong("refundPixKey", lang.refund_key()),
        ];
        fields.into_iter().flatten().collect()
    }
}
