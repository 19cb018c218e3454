//! The token in the URL of a buyer's page: it names the payment and proves that we issued it.

use std::time::Duration;

use db::hex::hex;
use db::time::Timestamp;

use crate::platform::ids::{MerchantId, Mode, Scope, TransactionId};
use crate::platform::named_tokens;
use crate::platform::secrets::{Purpose, Secrets};
use crate::transactions::Transaction;
use crate::transactions::status::Status;

/// How long after a payment has ended its URLs are valid.
pub const GOOD_AFTER_END: Duration = Duration::from_hours(180 * 24);

/// 128 bits cannot be guessed.
const ATTEMPT_BYTES: usize = 16;

/// What a token names. The clock is not part of it, so the scope is not complete yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Named {
    pub merchant: MerchantId,
    pub mode: Mode,
    pub transaction: TransactionId,
}

/// Writes the token of a payment.
pub fn write(secrets: &Secrets, scope: Scope, transaction: TransactionId) -> String {
    named_tokens::write(secrets, Purpose::StatusToken, scope, transaction.0)
}

/// The attempt name of the form that pays after a decline: always the same for that payment, and
/// not guessable from its id.
pub fn attempt_after(secrets: &Secrets, declined: TransactionId) -> String {
    let name = format!("attempt after {declined}");
    hex(&secrets.sign(Purpose::StatusToken, name.as_bytes())[..ATTEMPT_BYTES])
}

/// Whether a payment ended so long ago that its URLs are no longer valid.
pub fn has_expired(transaction: &Transaction, now: Timestamp) -> bool {
    let open = [Status::Pending, Status::Processing, Status::Disputed];
    !open.contains(&transaction.status) && now.since(transaction.updated_at) > GOOD_AFTER_END
}

/// Reads a token; `None` if we did not issue it.
pub fn read(secrets: &Secrets, token: &str) -> Option<Named> {
    let named = named_tokens::read(secrets, Purpose::StatusToken, token)?;
    let (merchant, mode) = (named.merchant, named.mode);
    Some(Named { merchant, mode, transaction: TransactionId(named.id) })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use uuid::Uuid;

    use super::{read, write};
    use crate::platform::ids::{MerchantId, Mode, Scope, TransactionId};
    use crate::platform::secrets::Secrets;

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
