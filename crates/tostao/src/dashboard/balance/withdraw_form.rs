//! The form of a withdrawal, which becomes the body that programs send.

use brazil::pix_key::PixKeyType;
use serde::Deserialize;

use crate::dashboard::form::{Field, WrongField, cents, given};
use crate::dashboard::parts::{Choice, Text};
use crate::platform::error::{FieldError, FieldFault, Result};
use crate::platform::http::card_data;
use crate::platform::messages::Lang;
use crate::withdrawals::Withdrawal;
use crate::withdrawals::validation::CreateWithdrawalRequest;

/// The types of keys, the most usual ones first.
const TYPES: [(PixKeyType, Text); 5] = [
    (PixKeyType::Cnpj, Lang::withdraw_cnpj),
    (PixKeyType::Cpf, Lang::withdraw_cpf),
    (PixKeyType::Email, Lang::withdraw_email),
    (PixKeyType::Phone, Lang::withdraw_phone),
    (PixKeyType::Random, Lang::withdraw_random),
];

/// The fields by the names of the body's.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct WithdrawForm {
    /// As people type an amount.
    pub amount_cents: String,
    pub pix_key_type: String,
    pub pix_key: String,
    pub description: String,
    pub attempt: String,
    /// Set by the button that leads from the review back to the form.
    pub back: String,
}

/// The fields as they were typed, with what is wrong with them.
pub struct WithdrawFields {
    pub amount: Field,
    pub key_type: Field,
    pub types: Vec<Choice>,
    pub key: Field,
    pub description: Field,
}

impl WithdrawForm {
    /// The form to withdraw to the key of an earlier withdrawal.
    pub fn again(earlier: &Withdrawal) -> Self {
        Self {
            pix_key_type: earlier.key.key_type().as_str().to_owned(),
            pix_key: earlier.key.as_str().to_owned(),
            ..Self::default()
        }
    }

    /// The body of the request.
    pub fn body(&self) -> Result<CreateWithdrawalRequest> {
        card_data::refuse_typed([("pixKey", &*self.pix_key), ("description", &*self.description)])?;
        let missing = || FieldFault::new("REQUIRED", "is required");
        let amount = cents(&self.amount_cents).and_then(|amount| amount.ok_or_else(missing));
        Ok(CreateWithdrawalRequest {
            amount_cents: amount.map_err(|fault| fault.of("amountCents"))?,
            pix_key: self.pix_key.trim().to_owned(),
            pix_key_type: self.pix_key_type.clone(),
            description: given(&self.description),
            idempotency_key: None,
        })
    }

    /// What must be the same when the form is posted again.
    pub fn values(&self) -> String {
        let Self { amount_cents, pix_key_type, pix_key, description, .. } = self;
        [amount_cents, pix_key_type, pix_key, description].map(String::as_str).join("\n")
    }

    /// The fields as they were typed.
    pub fn fields(&self, wrong: &[FieldError], lang: Lang) -> WithdrawFields {
        let field = |name, value| Field::judged(name, value, wrong, lang);
        let choice = |(of, name): (PixKeyType, Text)| Choice {
            value: of.as_str(),
            name: name(lang),
            is_chosen: of.as_str() == self.pix_key_type,
        };
        WithdrawFields {
            amount: field("amountCents", &self.amount_cents),
            key_type: field("pixKeyType", &self.pix_key_type),
            types: TYPES.map(choice).into(),
            key: field("pixKey", &self.pix_key),
            description: field("description", &self.description),
        }
    }
}

impl WithdrawFields {
    /// What is wrong, for the summary above the form.
    pub fn wrong(&self, lang: Lang) -> Vec<WrongField> {
        let fields = [
            self.amount.wrong("amountCents", lang.withdraw_amount()),
            self.key_type.wrong("pixKeyType", lang.withdraw_key_type()),
            self.key.wrong("pixKey", lang.withdraw_key()),
            self.description.wrong("description", lang.withdraw_description()),
        ];
        fields.into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::WithdrawForm;
    use crate::platform::error::Error;

    #[test]
    fn an_amount_is_typed_in_reais() {
        let of = |text: &str| {
            let form = WithdrawForm { amount_cents: text.to_owned(), ..WithdrawForm::default() };
            form.body()
        };
        assert_eq!(of(" R$ 5.000,00 ").ok().map(|body| body.amount_cents), Some(500_000));
        for wrong in ["", "muito"] {
            let Err(Error::Invalid(wrong)) = of(wrong) else { panic!("it is no amount") };
            assert_eq!(wrong[0].field, "amountCents");
        }
    }
}
