//! Accounts: whose, in which book, under which number of the chart, and how far down they may go.

use uuid::Uuid;

/// Whether a balance may fall below zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Floor {
    /// The ledger refuses a transfer that would leave less than nothing, unless it is forced.
    Zero,
    /// The account mirrors the outside world.
    None,
}

/// Names an account; its balance is what was credited less what was debited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Account {
    /// Whose account it is.
    pub owner: Uuid,
    /// Its number in the chart of accounts.
    pub code: i64,
    /// How far down the balance may go.
    pub floor: Floor,
}

impl Floor {
    /// The least balance allowed, in cents.
    pub const fn minimum(self) -> i64 {
        match self {
            Self::Zero => 0,
            Self::None => i64::MIN,
        }
    }
}

impl Account {
    /// The order in which units take accounts, so that two of them never wait for each other.
    pub(crate) fn key(&self) -> (Uuid, i64) {
        (self.owner, self.code)
    }
}
