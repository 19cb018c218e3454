//! Every way money moves. An auditor can read this file and no other.

use ledger::account::Account;
use ledger::cents::Cents;
use ledger::posting::{Posting, Transfer};
use uuid::Uuid;

use crate::books::chart::Place::{Available, FeeRevenue, Outside, Pending, Suspense};
use crate::ids::{Scope, TransactionId, UnmatchedId};

/// A fact that moves money, in the order of a sale's life.
#[derive(Debug, Clone, Copy)]
pub enum Movement {
    /// A buyer's PIX arrived and pays his charge; it settles at once.
    PaymentCaptured { of: TransactionId, scope: Scope, amount: Cents, fee: Cents },
    /// A PIX arrived that no open charge accounts for: too little, too much, or a second time.
    PaymentUnmatched { of: UnmatchedId, scope: Scope, amount: Cents },
    /// The merchant took such money for his own.
    SuspenseReleased { of: UnmatchedId, scope: Scope, amount: Cents },
    /// Simulated payments were deleted; all that they had brought goes back.
    DevelopmentCleared {
        of: Uuid,
        scope: Scope,
        available: Cents,
        pending: Cents,
        suspense: Cents,
        fees: Cents,
    },
}

impl Movement {
    /// The name under which the ledger keeps it.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::PaymentCaptured { .. } => "payment_captured",
            Self::PaymentUnmatched { .. } => "payment_unmatched",
            Self::SuspenseReleased { .. } => "suspense_released",
            Self::DevelopmentCleared { .. } => "development_cleared",
        }
    }

    /// What it moves: each transfer debits one account and credits another.
    pub fn transfers(&self) -> Vec<Transfer> {
        match *self {
            Self::PaymentCaptured { scope, amount, fee, .. } => vec![
                transfer(Outside.of(scope), Available.of(scope), amount),
                transfer(Available.of(scope), FeeRevenue.of(scope), fee),
            ],
            Self::PaymentUnmatched { scope, amount, .. } => {
                vec![transfer(Outside.of(scope), Suspense.of(scope), amount)]
            }
            Self::SuspenseReleased { scope, amount, .. } => {
                vec![transfer(Suspense.of(scope), Available.of(scope), amount)]
            }
            Self::DevelopmentCleared { scope, available, pending, suspense, fees, .. } => vec![
                transfer(Available.of(scope), Outside.of(scope), available),
                transfer(Pending.of(scope), Outside.of(scope), pending),
                transfer(Suspense.of(scope), Outside.of(scope), suspense),
                transfer(FeeRevenue.of(scope), Outside.of(scope), fees),
            ],
        }
    }

    /// The posting that books it, once for ever.
    pub fn posting(&self) -> Posting {
        let (subject, scope) = match *self {
            Self::PaymentCaptured { of, scope, .. } => (of.0, scope),
            Self::PaymentUnmatched { of, scope, .. } | Self::SuspenseReleased { of, scope, .. } => {
                (of.0, scope)
            }
            Self::DevelopmentCleared { of, scope, .. } => (of, scope),
        };
        Posting { subject, kind: self.kind(), book: scope.mode.book(), transfers: self.transfers() }
    }
}

fn transfer(debit: Account, credit: Account, amount: Cents) -> Transfer {
    Transfer { debit, credit, amount }
}
