//! The form that moves rewards to the balance, which becomes the body that programs send.

use serde::Deserialize;

use crate::dashboard::form::cents;
use crate::platform::error::{FieldFault, Result};
use crate::platform::http::card_data;
use crate::referrals::api::WithdrawReferralRewardsRequest;

/// The field, by the name of the body's.
pub const AMOUNT: &str = "amountCents";

/// The fields by the names of the body's.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct WithdrawForm {
    /// As people type an amount.
    pub amount_cents: String,
    pub attempt: String,
    /// Set by the button that leads from the review back to the form.
    pub back: String,
}

impl WithdrawForm {
    /// The body of the request.
    pub fn body(&self) -> Result<WithdrawReferralRewardsRequest> {
        card_data::refuse_typed([(AMOUNT, &*self.amount_cents)])?;
        let missing = || FieldFault::new("REQUIRED", "is required");
        let amount = cents(&self.amount_cents).and_then(|amount| amount.ok_or_else(missing));
        let amount_cents = amount.map_err(|fault| fault.of(AMOUNT))?;
        Ok(WithdrawReferralRewardsRequest { amount_cents })
    }
}
