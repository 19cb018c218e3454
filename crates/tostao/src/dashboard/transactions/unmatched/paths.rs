//! Where the pages are, within a mode.

use crate::platform::ids::{TransactionId, UnmatchedId};

/// The path of the list in its mode.
pub const UNMATCHED: &str = "/transactions/unmatched";

/// The path of the page where money beside a payment is decided on.
pub fn decide_path(of: TransactionId, money: UnmatchedId) -> String {
    format!("/transactions/{of}/unmatched/{money}")
}
