//! The form of a refund, which becomes the body that programs post.

use serde::Deserialize;

use crate::dashboard::form::{Field, WrongField};
use crate::platform::error::{Error, FieldError, Result};
use crate::platform::http::card_data;
use crate::platform::messages::Lang;
use crate::platform::typed_amount::typed_cents;
use crate::transactions::refunds::api::RefundTransactionRequest;

/// The fields by the names of the body's.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct RefundForm {
    /// As people type an amount; all that is left if it is empty.
    pub amount_cents: String,
    pub reason: String,
    pub refund_pix_key: String,
    pub pix_key_type: String,
    pub restock: String,
    pub external_id: String,
    pub attempt: String,
    /// Set by the button that leads from the review back to the form.
    pub back: String,
}

/// The fields as they were typed, with what is wrong with them.
pub struct RefundFields {
    pub amount: Field,
    pub reason: Field,
    pub key: Field,
    pub external_id: Field,
    pub restock: bool,
}

impl RefundForm {
    /// The body of the request.
    pub fn body(&self) -> Result<RefundTransactionRequest> {
        card_data::refuse_typed([
            ("amountCents", &*self.amount_cents),
            ("reason", &*self.reason),
            ("refundPixKey", &*self.refund_pix_key),
            ("externalId", &*self.external_id),
        ])?;
        let given = |text: &String| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let amount = given(&self.amount_cents).map(|text| {
            typed_cents(&text).ok_or_else(|| {
                Error::field("amountCents", "INVALID_VALUE", "must be an amount, like 20,00")
            })
        });
        Ok(RefundTransactionRequest {
            amount_cents: amount.transpose()?,
            reason: self.reason.clone(),
            refund_pix_key: given(&self.refund_pix_key),
            pix_key_type: given(&self.pix_key_type),
            restock: (!self.restock.is_empty()).then_some(true),
            external_id: given(&self.external_id),
        })
    }

    /// What must be the same when the form is posted again.
    pub fn values(&self) -> String {
        let Self { amount_cents, reason, refund_pix_key, pix_key_type, restock, .. } = self;
        let fields = [amount_cents, reason, refund_pix_key, pix_key_type, restock];
        fields.map(String::as_str).join("\n")
    }

    /// The fields as they were typed.
    pub fn fields(&self, wrong: &[FieldError], lang: Lang) -> RefundFields {
        let field = |name, value| Field::judged(name, value, wrong, lang);
        RefundFields {
            amount: field("amountCents", &self.amount_cents),
            reason: field("reason", &self.reason),
            key: field("refundPixKey", &self.refund_pix_key),
            external_id: field("externalId", &self.external_id),
            restock: !self.restock.is_empty(),
        }
    }
}

impl RefundFields {
    /// What is wrong, for the summary above the form.
    pub fn wrong(&self, lang: Lang) -> Vec<WrongField> {
        let fields = [
            self.amount.wrong("amountCents", lang.refund_amount()),
            self.reason.wrong("reason", lang.refund_reason()),
            self.key.wrong("refundPixKey", lang.refund_key()),
            self.external_id.wrong("externalId", lang.payment_reference()),
        ];
        fields.into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::RefundForm;
    use crate::platform::error::Error;

    #[test]
    fn what_is_left_empty_is_not_sent() {
        let form = RefundForm { reason: "Risco".to_owned(), ..RefundForm::default() };
        let body = form.body().expect("is right");
        assert_eq!(body.reason, "Risco");
        assert!(body.amount_cents.is_none() && body.refund_pix_key.is_none());
        assert!(body.restock.is_none() && body.external_id.is_none());
    }

    #[test]
    fn an_amount_is_typed_in_reais() {
        let of = |text: &str| {
            let form = RefundForm { amount_cents: text.to_owned(), ..RefundForm::default() };
            form.body()
        };
        assert_eq!(of(" R$ 20,00 ").ok().and_then(|body| body.amount_cents), Some(2_000));
        let Err(Error::Invalid(wrong)) = of("vinte") else { panic!("it is no amount") };
        assert_eq!(wrong[0].field, "amountCents");
    }
}
