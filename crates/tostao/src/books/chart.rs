//! The chart of accounts: every place where money can be.
//!
//! Each merchant has his own set in each mode, so no row is shared between merchants and no
//! development cent can reach a real account. Totals of the platform are sums over them.

use ledger::account::{Account, Floor};

use crate::platform::ids::Scope;

/// An account of the chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The world outside: what buyers paid in less what was paid out, as a negative number.
    Outside,
    /// What the platform has advanced to the merchant and not got back, as a negative number.
    Advanced,
    /// What starting over in development left of payments that others have a part of.
    Cleared,
    /// What the merchant may withdraw.
    Available,
    /// What is the merchant's but not settled yet.
    Pending,
    /// What is on its way back to payers, until it has arrived or was refused.
    Refunding,
    /// What is on its way out, until the bank has paid it or refused to.
    Withdrawing,
    /// What buyers contest, until somebody has decided whose it is.
    Disputed,
    /// What arrived without a charge to credit it to, until somebody decides.
    Suspense,
    /// What the merchant earned by inviting others, until it is released.
    ReferralPending,
    /// What of it was released, and not moved to `Available` yet.
    ReferralAvailable,
    /// What the platform earned in fees.
    FeeRevenue,
    /// What the platform spent on rewards for invitations, as a negative number.
    ReferralExpense,
}

impl Place {
    /// Every account.
    pub const ALL: &'static [Self] = &[
        Self::Outside,
        Self::Advanced,
        Self::Cleared,
        Self::Available,
        Self::Pending,
        Self::Refunding,
        Self::Withdrawing,
        Self::Disputed,
        Self::Suspense,
        Self::ReferralPending,
        Self::ReferralAvailable,
        Self::FeeRevenue,
        Self::ReferralExpense,
    ];

    /// Where a merchant's payments leave money or a debt: all but the world outside, and what is
    /// left when they are deleted.
    pub const HELD: [Self; 11] = [
        Self::Advanced,
        Self::Available,
        Self::Pending,
        Self::Refunding,
        Self::Withdrawing,
        Self::Disputed,
        Self::Suspense,
        Self::ReferralPending,
        Self::ReferralAvailable,
        Self::FeeRevenue,
        Self::ReferralExpense,
    ];

    /// Its number: 1xxx mirrors the world and what merchants owe, 2xxx is owed to merchants, 4xxx
    /// is what the platform earns, 5xxx what it spends.
    pub const fn code(self) -> i64 {
        match self {
            Self::Outside => 1000,
            Self::Advanced => 1100,
            Self::Cleared => 1900,
            Self::Available => 2000,
            Self::Pending => 2100,
            Self::Refunding => 2200,
            Self::Withdrawing => 2300,
            Self::Disputed => 2400,
            Self::Suspense => 2900,
            Self::ReferralPending => 2700,
            Self::ReferralAvailable => 2710,
            Self::FeeRevenue => 4000,
            Self::ReferralExpense => 5200,
        }
    }

    /// Its name in documents and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Outside => "outside",
            Self::Advanced => "advanced",
            Self::Cleared => "cleared",
            Self::Available => "available",
            Self::Pending => "pending",
            Self::Refunding => "refunding",
            Self::Withdrawing => "withdrawing",
            Self::Disputed => "disputed",
            Self::Suspense => "suspense",
            Self::ReferralPending => "referral pending",
            Self::ReferralAvailable => "referral available",
            Self::FeeRevenue => "fee revenue",
            Self::ReferralExpense => "referral expense",
        }
    }

    /// Whether the ledger lets it fall below zero without being forced to.
    pub const fn floor(self) -> Floor {
        match self {
            Self::Outside | Self::Advanced | Self::Cleared | Self::ReferralExpense => Floor::None,
            Self::Available
            | Self::Pending
            | Self::Refunding
            | Self::Withdrawing
            | Self::Disputed
            | Self::Suspense
            | Self::ReferralPending
            | Self::ReferralAvailable
            | Self::FeeRevenue => Floor::Zero,
        }
    }

    /// The account of one merchant.
    pub fn of(self, scope: Scope) -> Account {
        Account { owner: scope.merchant.0, code: self.code(), floor: self.floor() }
    }
}
