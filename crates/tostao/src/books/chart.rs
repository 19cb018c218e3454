//! The chart of accounts.
//!
//! Each merchant has their own accounts in each mode, so no row is shared between merchants and no
//! development cent can reach a live account. The platform's totals are sums over them.

use ledger::account::{Account, Floor};

use crate::platform::ids::Scope;

/// Defines the accounts: variant, number, name, floor, and what it holds.
///
/// 1xxx is the outside world and what merchants owe, 2xxx is owed to merchants, 4xxx is the
/// platform's revenue, 5xxx its expense.
macro_rules! chart {
    ($($name:ident = $code:literal, $text:literal, $floor:ident, $holds:literal;)+) => {
        /// An account of the chart.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum AccountKind {
            $(#[doc = $holds] $name,)+
        }

        impl AccountKind {
            /// Every account.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// The account number.
            pub const fn code(self) -> i64 {
                match self {
                    $(Self::$name => $code,)+
                }
            }

            /// The name in documents and reports.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)+
                }
            }

            /// What the account holds, for documents.
            pub const fn holds(self) -> &'static str {
                match self {
                    $(Self::$name => $holds,)+
                }
            }

            /// Whether the ledger lets the balance fall below zero without a forced transfer.
            pub const fn floor(self) -> Floor {
                match self {
                    $(Self::$name => Floor::$floor,)+
                }
            }
        }
    };
}

chart! {
    Outside = 1000, "outside", None,
        "What buyers paid in less what was paid out, as a negative number.";
    Advanced = 1100, "advanced", None,
        "What the platform has advanced to the merchant and not been repaid, as a negative number.";
    Cleared = 1900, "cleared", None,
        "Residue of deleted development payments that other merchants have a part of.";
    Available = 2000, "available", Zero, "What the merchant may withdraw.";
    Pending = 2100, "pending", Zero, "What is the merchant's but not settled yet.";
    Refunding = 2200, "refunding", Zero,
        "Refunds in progress, until they have arrived or were refused.";
    Withdrawing = 2300, "withdrawing", Zero,
        "Withdrawals in progress, until the bank has paid or refused them.";
    Disputed = 2400, "disputed", Zero, "Disputed payments, until the dispute is decided.";
    Suspense = 2900, "suspense", Zero,
        "Money that arrived without a charge to credit it to, until it is decided on.";
    ReferralPending = 2700, "referral pending", Zero,
        "Referral rewards that are not released yet.";
    ReferralAvailable = 2710, "referral available", Zero,
        "Released referral rewards that are not moved to `available` yet.";
    FeeRevenue = 4000, "fee revenue", Zero, "The platform's fee revenue.";
    ReferralExpense = 5200, "referral expense", None,
        "The platform's expense for referral rewards, as a negative number.";
}

impl AccountKind {
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

    /// The account of one merchant.
    pub fn of(self, scope: Scope) -> Account {
        Account { owner: scope.merchant.0, code: self.code(), floor: self.floor() }
    }
}
