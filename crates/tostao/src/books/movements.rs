//! Every way money moves. An auditor can read this file and no other.

use ledger::account::Account;
use ledger::cents::Cents;
use ledger::posting::{Posting, Transfer};
use uuid::Uuid;

use crate::books::chart::Place::{Available, FeeRevenue, Outside, Suspense};
use crate::ids::{Scope, TransactionId};

/// A fact that moves money, in the order of a sale's life.
#[derive(Debug, Clone, Copy)]
pub enum Movement {
    /// A buyer's PIX arrived and pays his charge; it settles at once.
    PaymentCaptured { of: TransactionId, scope: Scope, amount: Cents, fee: Cents },
    /// A PIX arrived that no open charge accounts for: too little, too much, or a second time.
    PaymentUnmatched { of: Uuid, scope: Scope, amount: Cents },
}

impl Movement {
    /// The name under which the ledger keeps it.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::PaymentCaptured { .. } => "payment_captured",
            Self::PaymentUnmatched { .. } => "payment_unmatched",
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
        }
    }

    /// The posting that books it, once for ever.
    pub fn posting(&self) -> Posting {
        let (subject, scope) = match *self {
            Self::PaymentCaptured { of, scope, .. } => (of.0, scope),
            Self::PaymentUnmatched { of, scope, .. } => (of, scope),
        };
        Posting { subject, kind: self.kind(), book: scope.mode.book(), transfers: self.transfers() }
    }
}

fn transfer(debit: Account, credit: Account, amount: Cents) -> Transfer {
    Transfer { debit, credit, amount }
}
