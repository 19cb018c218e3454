//! The token with which a buyer manages their subscription, instead of an API key.

use crate::platform::ids::{MerchantId, Mode, Scope, SubscriptionId};
use crate::platform::named_tokens;
use crate::platform::secrets::{Purpose, Secrets};

/// What a token names. The clock is not part of it, so the scope is not complete yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Named {
    pub merchant: MerchantId,
    pub mode: Mode,
    pub subscription: SubscriptionId,
}

/// Writes the token of a subscription.
pub fn write(secrets: &Secrets, scope: Scope, subscription: SubscriptionId) -> String {
    named_tokens::write(secrets, Purpose::ManageToken, scope, subscription.0)
}

/// Reads a token; `None` if we did not issue it.
pub fn read(secrets: &Secrets, token: &str) -> Option<Named> {
    let named = named_tokens::read(secrets, Purpose::ManageToken, token)?;
    let (merchant, mode) = (named.merchant, named.mode);
    Some(Named { merchant, mode, subscription: SubscriptionId(named.id) })
}
