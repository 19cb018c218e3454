//! The token with which a buyer manages their subscription, instead of an API key.

use crate::platform::ids::{Scope, SubscriptionId};
use crate::platform::secrets::{Purpose, Secrets};
use crate::platform::signed_tokens::{TokenSubject, sign_name, verify_name};

/// Writes the token of a subscription.
pub fn write(secrets: &Secrets, scope: Scope, subscription: SubscriptionId) -> String {
    sign_name(secrets, Purpose::ManageToken, scope, subscription.0)
}

/// Reads a token; `None` if we did not issue it.
pub fn read(secrets: &Secrets, token: &str) -> Option<TokenSubject<SubscriptionId>> {
    verify_name(secrets, Purpose::ManageToken, token, SubscriptionId)
}
