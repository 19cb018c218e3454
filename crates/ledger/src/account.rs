//! Accounts: owner, book, number in the chart of accounts, and minimum balance.

use uuid::Uuid;

/// Whether a balance may fall below zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Floor {
    /// The ledger rejects a transfer that would leave a negative balance, unless it is forced.
    Zero,
    /// The account mirrors the outside world.
    None,
}

/// An account; its balance is its credits less its debits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Account {
    /// The owner.
    pub owner: Uuid,
    /// Its number in the chart of accounts.
    pub code: i64,
    /// The minimum balance.
    pub floor: Floor,
}

impl Floor {
    /// The minimum balance, in cents.
    pub const fn minimum(self) -> i64 {
        match self {
            Self::Zero => 0,
            Self::None => i64::MIN,
        }
    }
}

impl Account {
    /// The order in which units lock accounts, so that two units never deadlock.
    pub(crate) fn key(&self) -> (Uuid, i64) {
        (self.owner, self.code)
    }
}
