//! The token in the URL of a buyer's page: it names the payment and proves that we issued it.

use std::time::Duration;

use db::hex::hex;
use db::time::Timestamp;

use crate::platform::ids::{Scope, TransactionId};
use crate::platform::secrets::{Purpose, Secrets};
use crate::platform::signed_tokens::{TokenSubject, sign_name, verify_name};
use crate::transactions::Transaction;
use crate::transactions::status::Status;

/// How long after a payment has ended its URLs are valid.
pub const GOOD_AFTER_END: Duration = Duration::from_hours(180 * 24);

/// 128 bits cannot be guessed.
const ATTEMPT_BYTES: usize = 16;

/// Writes the token of a payment.
pub fn write(secrets: &Secrets, scope: Scope, transaction: TransactionId) -> String {
    sign_name(secrets, Purpose::StatusToken, scope, transaction.0)
}

/// The attempt name of the form that pays after a decline: always the same for that payment, and
/// not guessable from its id.
pub fn retry_attempt_id(secrets: &Secrets, declined: TransactionId) -> String {
    hex(&secrets.sign(Purpose::AttemptAfter, declined.0.as_bytes())[..ATTEMPT_BYTES])
}

/// Whether a payment ended so long ago that its URLs are no longer valid.
pub fn has_expired(transaction: &Transaction, now: Timestamp) -> bool {
    let open = [Status::Pending, Status::Processing, Status::Disputed];
    !open.contains(&transaction.status) && now.since(transaction.updated_at) > GOOD_AFTER_END
}

/// Reads a token; `None` if we did not issue it.
pub fn read(secrets: &Secrets, token: &str) -> Option<TokenSubject<TransactionId>> {
    verify_name(secrets, Purpose::StatusToken, token, TransactionId)
}
