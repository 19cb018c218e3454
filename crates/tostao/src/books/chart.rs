//! The chart of accounts.
//!
//! Each merchant has their own accounts in each mode, so no row is shared between merchants and no
//! development cent can reach a live account. The platform's totals are sums over them.

use ledger::account::{Account, Floor};

use crate::platform::ids::Scope;

/// An account of the chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountKind {
    /// What buyers paid in less what was paid out, as a negative number.
    Outside,
    /// What the platform has advanced to the merchant and not been repaid, as a negative number.
    Advanced,
    /// Residue of deleted development payments that other merchants have a part of.
    Cleared,
    /// What the merchant may withdraw.
    Available,
    /// What is the merchant's but not settled yet.
    Pending,
    /// Refunds in progress, until they have arrived or were refused.
    Refunding,
    /// Withdrawals in progress, until the bank has paid or refused them.
    Withdrawing,
    /// Disputed payments, until the dispute is decided.
    Disputed,
    /// Money that arrived without a charge to credit it to, until it is decided on.
    Suspense,
    /// Referral rewards that are not released yet.
    ReferralPending,
    /// Released referral rewards that are not moved to `Available` yet.
    ReferralAvailable,
    /// The platform's fee revenue.
    FeeRevenue,
    /// The platform's expense for referral rewards, as a negative number.
    ReferralExpense,
}

impl AccountKind {
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

    /// Accounts in which a merchant's payments leave money or a debt: all but `Outside`, and
    /// `Cleared`, which holds what is left when they are deleted.
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

    /// The account number: 1xxx is the outside world and what merchants owe, 2xxx is owed to
    /// merchants, 4xxx is the platform's revenue, 5xxx its expense.
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

    /// The name in documents and reports.
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

    /// Whether the ledger lets the balance fall below zero without a forced transfer.
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
