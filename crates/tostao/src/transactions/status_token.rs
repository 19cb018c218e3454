//! The token in the address of a buyer's page: it names the payment and proves that we gave it.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use uuid::Uuid;

use crate::ids::{MerchantId, Mode, Scope, TransactionId};
use crate::secrets::{Purpose, Secrets};

const NAMED: usize = 16 + 1 + 16;
/// Half of the signature; nobody guesses 128 bits.
const SIGNED: usize = 16;

/// What a token names. The clock is not part of it, so the scope is not complete yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Named {
    pub merchant: MerchantId,
    pub mode: Mode,
    pub transaction: TransactionId,
}

/// Writes the token of a payment.
pub fn write(secrets: &Secrets, scope: Scope, transaction: TransactionId) -> String {
    let mut bytes = Vec::with_capacity(NAMED + SIGNED);
    bytes.extend_from_slice(scope.merchant.0.as_bytes());
    bytes.push(u8::from(!scope.mode.is_development()));
    bytes.extend_from_slice(transaction.0.as_bytes());
    let signature = secrets.sign(Purpose::StatusToken, &bytes);
    bytes.extend_from_slice(&signature[..SIGNED]);
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Reads a token; `None` if we did not give it.
pub fn read(secrets: &Secrets, token: &str) -> Option<Named> {
    let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
    let (named, signature) = bytes.split_at_checked(NAMED)?;
    let expected = secrets.sign(Purpose::StatusToken, named);
    if !crate::secrets::same(&expected[..SIGNED], signature) {
        return None;
    }
    let mode = if named[16] == 0 { Mode::Development } else { Mode::Production };
    let merchant = MerchantId(Uuid::from_slice(&named[..16]).ok()?);
    Some(Named { merchant, mode, transaction: TransactionId(Uuid::from_slice(&named[17..]).ok()?) })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use uuid::Uuid;

    use super::{read, write};
    use crate::ids::{MerchantId, Mode, Scope, TransactionId};
    use crate::secrets::Secrets;

    #[test]
    fn only_our_own_token_names_a_payment() {
        let secrets = Secrets::derive("a secret of more than 32 characters");
        let merchant = MerchantId(Uuid::from_u128(7));
        let scope = Scope { merchant, mode: Mode::Production, ahead: Duration::ZERO };
        let transaction = TransactionId(Uuid::from_u128(9));
        let token = write(&secrets, scope, transaction);
        let named = read(&secrets, &token).expect("is ours");
        assert_eq!((named.merchant, named.mode), (merchant, Mode::Production));
        assert_eq!(named.transaction, transaction);
        for index in 0..token.len() {
            let mut wrong = token.clone().into_bytes();
            wrong[index] = if wrong[index] == b'A' { b'B' } else { b'A' };
            let wrong = String::from_utf8(wrong).expect("ASCII stays ASCII");
            assert_eq!(read(&secrets, &wrong), None, "{wrong}");
        }
    }
}
