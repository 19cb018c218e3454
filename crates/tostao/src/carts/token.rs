//! The signed token in a cart's recovery URL, which names the cart.

use crate::platform::ids::{CartId, Scope};
use crate::platform::secrets::{Purpose, Secrets};
use crate::platform::signed_tokens::{sign_name, verify_name};

/// Writes the token of a cart.
pub fn write(secrets: &Secrets, scope: Scope, id: CartId) -> String {
    sign_name(secrets, Purpose::CartAddress, scope, id.0)
}

/// Reads a token; `None` if we did not sign it for this scope.
pub fn read(secrets: &Secrets, scope: Scope, token: &str) -> Option<CartId> {
    let named = verify_name(secrets, Purpose::CartAddress, token, CartId)?;
    let is_here = (named.merchant, named.mode) == (scope.merchant, scope.mode);
    is_here.then_some(named.id)
}
