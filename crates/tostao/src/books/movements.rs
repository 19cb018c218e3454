//! Every way money moves. An auditor can read this file and no other.

use ledger::account::Account;
use ledger::cents::Cents;
use ledger::posting::{Posting, Transfer};
use uuid::Uuid;

use crate::books::chart::Place;
use crate::books::chart::Place::{Available, FeeRevenue, Outside, Pending, Suspense, Withdrawing};
use crate::ids::{ReceivableId, Scope, TransactionId, UnmatchedId, WithdrawalId};

/// A fact that moves money, in the order of a sale's life.
#[derive(Debug, Clone, Copy)]
pub enum Movement {
    /// A buyer's payment arrived; what is not settled at once becomes receivables.
    PaymentCaptured { of: TransactionId, scope: Scope, amount: Cents, fee: Cents, settled: bool },
    /// A part of it became the merchant's to withdraw.
    ReceivableSettled { of: ReceivableId, scope: Scope, net: Cents },
    /// A PIX arrived that no open charge accounts for: too little, too much, or a second time.
    PaymentUnmatched { of: UnmatchedId, scope: Scope, amount: Cents },
    /// The merchant took such money for his own.
    SuspenseReleased { of: UnmatchedId, scope: Scope, amount: Cents, fee: Cents },
    /// The merchant wants money out; it is held until the bank's answer is known.
    WithdrawalRequested { of: WithdrawalId, scope: Scope, amount: Cents },
    /// The bank paid what is left of it after the fee.
    WithdrawalCompleted { of: WithdrawalId, scope: Scope, net: Cents, fee: Cents },
    /// It will not be paid; all of it is the merchant's again, the fee included.
    WithdrawalFailed { of: WithdrawalId, scope: Scope, amount: Cents },
    /// Simulated payments were deleted; all that they had brought goes back.
    DevelopmentCleared { of: Uuid, scope: Scope, held: [Cents; Place::HELD.len()] },
}

impl Movement {
    /// The name under which the ledger keeps it.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::PaymentCaptured { .. } => "payment_captured",
            Self::ReceivableSettled { .. } => "receivable_settled",
            Self::PaymentUnmatched { .. } => "payment_unmatched",
            Self::SuspenseReleased { .. } => "suspense_released",
            Self::WithdrawalRequested { .. } => "withdrawal_requested",
            Self::WithdrawalCompleted { .. } => "withdrawal_completed",
            Self::WithdrawalFailed { .. } => "withdrawal_failed",
            Self::DevelopmentCleared { .. } => "development_cleared",
        }
    }

    /// What it moves: each transfer debits one account and credits another.
    pub fn transfers(&self) -> Vec<Transfer> {
        match *self {
            Self::PaymentCaptured { scope, amount, fee, settled, .. } => {
                let place = if settled { Available } else { Pending };
                vec![
                    transfer(Outside.of(scope), place.of(scope), amount),
                    transfer(place.of(scope), FeeRevenue.of(scope), fee),
                ]
            }
            Self::ReceivableSettled { scope, net, .. } => {
                vec![transfer(Pending.of(scope), Available.of(scope), net)]
            }
            Self::PaymentUnmatched { scope, amount, .. } => {
                vec![transfer(Outside.of(scope), Suspense.of(scope), amount)]
            }
            Self::SuspenseReleased { scope, amount, fee, .. } => vec![
                transfer(Suspense.of(scope), Available.of(scope), amount),
                transfer(Available.of(scope), FeeRevenue.of(scope), fee),
            ],
            Self::WithdrawalRequested { scope, amount, .. } => {
                vec![transfer(Available.of(scope), Withdrawing.of(scope), amount)]
            }
            Self::WithdrawalCompleted { scope, net, fee, .. } => vec![
                transfer(Withdrawing.of(scope), Outside.of(scope), net),
                transfer(Withdrawing.of(scope), FeeRevenue.of(scope), fee),
            ],
            Self::WithdrawalFailed { scope, amount, .. } => {
                vec![transfer(Withdrawing.of(scope), Available.of(scope), amount)]
            }
            Self::DevelopmentCleared { scope, held, .. } => Place::HELD
                .iter()
                .zip(held)
                .map(|(place, amount)| transfer(place.of(scope), Outside.of(scope), amount))
                .collect(),
        }
    }

    /// The posting that books it, once for ever.
    pub fn posting(&self) -> Posting {
        let (subject, scope) = match *self {
            Self::PaymentCaptured { of, scope, .. } => (of.0, scope),
            Self::ReceivableSettled { of, scope, .. } => (of.0, scope),
            Self::PaymentUnmatched { of, scope, .. } | Self::SuspenseReleased { of, scope, .. } => {
                (of.0, scope)
            }
            Self::WithdrawalRequested { of, scope, .. }
            | Self::WithdrawalCompleted { of, scope, .. }
            | Self::WithdrawalFailed { of, scope, .. } => (of.0, scope),
            Self::DevelopmentCleared { of, scope, .. } => (of, scope),
        };
        Posting { subject, kind: self.kind(), book: scope.mode.book(), transfers: self.transfers() }
    }
}

fn transfer(debit: Account, credit: Account, amount: Cents) -> Transfer {
    Transfer { debit, credit, amount }
}
