//! The form of a withdrawal, which becomes the body that programs send.

use db::time::Timestamp;
use serde::Deserialize;

use crate::dashboard::balance::pix_key;
use crate::dashboard::form::{Field, WrongField, cents, given};
use crate::dashboard::parts::Choice;
use crate::platform::error::{Error, FieldError, FieldFault, Result};
use crate::platform::http::card_data;
use crate::platform::messages::Lang;
use crate::withdrawals::Withdrawal;
use crate::withdrawals::payout_keys::PayoutKey;
use crate::withdrawals::validation::CreateWithdrawalRequest;

/// The field that chooses a saved key in place of a typed one.
const SAVED_KEY: &str = "payoutKeyId";

/// The fields by the names of the body's, and which saved key fills in two of them.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct WithdrawForm {
    /// As people type an amount.
    pub amount_cents: String,
    /// The id of a saved key; empty for a key that is typed.
    pub payout_key_id: String,
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
    /// The saved keys, usable or not.
    pub saved: Vec<SavedKey>,
    /// What is wrong with the choice.
    pub saved_key: Field,
    /// Whether one of the saved keys is chosen.
    pub is_saved: bool,
    pub key_type: Field,
    pub types: Vec<Choice>,
    pub key: Field,
    pub description: Field,
}

/// A saved key to choose.
pub struct SavedKey {
    pub id: String,
    pub name: String,
    /// From when on it can be chosen, if it cannot yet.
    pub waits_until: Option<String>,
    pub is_chosen: bool,
}

/// Whether a person may type a key that is not saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Typing {
    Allowed,
    SavedAlone,
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

    /// The form with the saved key that was chosen, where one was.
    pub fn resolved(&self, saved: &[PayoutKey], typing: Typing) -> Result<Self> {
        if self.payout_key_id.is_empty() {
            if typing == Typing::SavedAlone && self.pix_key.is_empty() {
                return Err(Error::field(SAVED_KEY, "REQUIRED", "is required"));
            }
            return Ok(self.clone());
        }
        let chosen = saved.iter().find(|saved| saved.id.to_string() == self.payout_key_id);
        let unknown = || Error::field(SAVED_KEY, "INVALID_VALUE", "must be a payout key");
        let chosen = chosen.ok_or_else(unknown)?;
        Ok(Self {
            pix_key_type: chosen.key.key_type().as_str().to_owned(),
            pix_key: chosen.key.as_str().to_owned(),
            ..self.clone()
        })
    }

    /// Whether the form names a saved key, by its id or by the key itself.
    pub fn names(&self, saved: &PayoutKey) -> bool {
        if self.payout_key_id.is_empty() {
            let (of, key) = (saved.key.key_type().as_str(), saved.key.as_str());
            return (of, key) == (&*self.pix_key_type, &*self.pix_key);
        }
        saved.id.to_string() == self.payout_key_id
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

    /// The fields by their names, for the review.
    pub fn filled(&self) -> Vec<(&'static str, String)> {
        vec![
            ("amountCents", self.amount_cents.clone()),
            ("pixKeyType", self.pix_key_type.clone()),
            ("pixKey", self.pix_key.clone()),
            ("description", self.description.clone()),
        ]
    }

    /// What must be the same when the form is posted again.
    pub fn values(&self) -> String {
        let Self { amount_cents, pix_key_type, pix_key, description, .. } = self;
        [amount_cents, pix_key_type, pix_key, description].map(String::as_str).join("\n")
    }

    /// The fields as they were typed.
    pub fn fields(
        &self,
        (saved, typing): (&[PayoutKey], Typing),
        now: Timestamp,
        wrong: &[FieldError],
        lang: Lang,
    ) -> WithdrawFields {
        let field = |name, value| Field::judged(name, value, wrong, lang);
        let saved = self.choices(saved, typing, now, lang);
        WithdrawFields {
            amount: field("amountCents", &self.amount_cents),
            is_saved: saved.iter().any(|one| one.is_chosen),
            saved,
            saved_key: field(SAVED_KEY, ""),
            key_type: field("pixKeyType", &self.pix_key_type),
            types: pix_key::types(&self.pix_key_type, lang),
            key: field("pixKey", &self.pix_key),
            description: field("description", &self.description),
        }
    }

    /// The saved keys to choose from; the newest usable one is chosen where the form names none.
    fn choices(
        &self,
        saved: &[PayoutKey],
        typing: Typing,
        now: Timestamp,
        lang: Lang,
    ) -> Vec<SavedKey> {
        let usable = |one: &&PayoutKey| one.usable_from <= now;
        let named = saved.iter().filter(usable).find(|one| self.names(one));
        let may_choose = typing == Typing::SavedAlone || self.pix_key.is_empty();
        let first = || saved.iter().find(usable).filter(|_| may_choose);
        let chosen = named.or_else(first).map(|one| one.id);
        let choice = |one: &PayoutKey| SavedKey {
            id: one.id.to_string(),
            name: format!("{}: {}", one.label, one.key.as_str()),
            waits_until: (one.usable_from > now)
                .then(|| lang.withdraw_key_from(lang.date_time(one.usable_from.micros()))),
            is_chosen: chosen == Some(one.id),
        };
        saved.iter().map(choice).collect()
    }
}

impl WithdrawFields {
    /// Whether a saved key can be chosen.
    pub fn has_usable(&self) -> bool {
        self.saved.iter().any(|one| one.waits_until.is_none())
    }

    /// What is wrong, for the summary above the form.
    pub fn wrong(&self, lang: Lang) -> Vec<WrongField> {
        let fields = [
            self.amount.wrong("amountCents", lang.withdraw_amount()),
            self.saved_key.wrong(SAVED_KEY, lang.withdraw_to()),
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
