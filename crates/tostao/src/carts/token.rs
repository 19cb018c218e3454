//! The signed token in a cart's recovery URL, which names the cart.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use uuid::Uuid;

use crate::platform::ids::{CartId, Scope};
use crate::platform::secrets::{Purpose, Secrets};

/// Half of a signature; 128 bits cannot be guessed.
const SIGNED: usize = 16;

/// Writes the token of a cart.
pub fn write(secrets: &Secrets, scope: Scope, id: CartId) -> String {
    let signature = secrets.sign(Purpose::CartAddress, &named(scope, id));
    URL_SAFE_NO_PAD.encode([&id.0.as_bytes()[..], &signature[..SIGNED]].concat())
}

/// Reads a token; `None` if we did not sign it for this scope.
pub fn read(secrets: &Secrets, scope: Scope, token: &str) -> Option<CartId> {
    let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
    let (id, given) = bytes.split_at_checked(16)?;
    let id = CartId(Uuid::from_slice(id).ok()?);
    secrets.verify_start(Purpose::CartAddress, &named(scope, id), given, SIGNED).then_some(id)
}

fn named(scope: Scope, id: CartId) -> Vec<u8> {
    let mode = [u8::from(!scope.mode.is_development())];
    [&scope.merchant.0.as_bytes()[..], &mode, id.0.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use uuid::Uuid;

    use super::{read, write};
    use crate::platform::ids::{CartId, MerchantId, Mode, Scope};
    use crate::platform::secrets::Secrets;

    #[test]
    fn only_our_own_token_names_a_cart_of_its_scope() {
        let secrets = Secrets::derive("a secret of more than 32 characters");
        let merchant = MerchantId(Uuid::from_u128(7));
        let scope = Scope { merchant, mode: Mode::Production, ahead: Duration::ZERO };
        let id = CartId(Uuid::from_u128(9));
        let token = write(&secrets, scope, id);
        assert_eq!(read(&secrets, scope, &token), Some(id));
        let other = Scope { mode: Mode::Development, ..scope };
        assert_eq!(read(&secrets, other, &token), None);
        for wrong in ["", "abc", &token[1..], &write(&Secrets::derive("other"), scope, id)] {
            assert_eq!(read(&secrets, scope, wrong), None, "{wrong}");
        }
    }
}
