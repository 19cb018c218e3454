//! The form of an advance, which becomes the body that programs send.

use serde::Deserialize;

use crate::advances::api::CreateAdvanceRequest;
use crate::dashboard::form::{Field, WrongField, cents, given};
use crate::platform::error::{FieldError, FieldFault, Result};
use crate::platform::http::card_data;
use crate::platform::messages::Lang;

/// The fields whose errors the form shows.
pub const SHOWN: [&str; 2] = ["amountCents", "reason"];

/// The fields by the names of the body's.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct AdvanceForm {
    /// As people type an amount.
    pub amount_cents: String,
    pub reason: String,
    pub attempt: String,
    /// Set by the button that leads from the review back to the form.
    pub back: String,
}

/// The fields as they were typed, with what is wrong with them.
pub struct AdvanceFields {
    pub amount: Field,
    pub reason: Field,
}

impl AdvanceForm {
    /// The body of the request.
    pub fn body(&self) -> Result<CreateAdvanceRequest> {
        card_data::refuse_typed([("reason", &*self.reason)])?;
        let missing = || FieldFault::new("REQUIRED", "is required");
        let amount = cents(&self.amount_cents).and_then(|amount| amount.ok_or_else(missing));
        Ok(CreateAdvanceRequest {
            amount_cents: amount.map_err(|fault| fault.of("amountCents"))?,
            reason: given(&self.reason),
        })
    }

    /// What must be the same when the form is posted again.
    pub fn values(&self) -> String {
        [&*self.amount_cents, &*self.reason].join("\n")
    }

    /// The fields as they were typed.
    pub fn fields(&self, wrong: &[FieldError], lang: Lang) -> AdvanceFields {
        let field = |name, value| Field::judged(name, value, wrong, lang);
        AdvanceFields {
            amount: field("amountCents", &self.amount_cents),
            reason: field("reason", &self.reason),
        }
    }
}

impl AdvanceFields {
    /// What is wrong, for the summary above the form.
    pub fn wrong(&self, lang: Lang) -> Vec<WrongField> {
        let fields = [
            self.amount.wrong("amountCents", lang.withdraw_amount()),
            self.reason.wrong("reason", lang.advance_reason()),
        ];
        fields.into_iter().flatten().collect()
    }
}
