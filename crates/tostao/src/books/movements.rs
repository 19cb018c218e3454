//! Every movement of money. This file alone is enough for an auditor.

use std::iter;

use db::time::Timestamp;
use ledger::account::Account;
use ledger::cents::Cents;
use ledger::posting::{Posting, Transfer};
use uuid::Uuid;

use crate::books::chart::Place;
use crate::books::chart::Place::{
    Advanced, Available, Cleared, Disputed, FeeRevenue, Outside, Pending, ReferralAvailable,
    ReferralExpense, ReferralPending, Refunding, Suspense, Withdrawing,
};
use crate::platform::ids::{
    AdvanceId, CommissionId, DisputeId, ReceivableId, RefundId, ReturnId, RewardId,
    RewardWithdrawalId, Scope, TransactionId, UnmatchedId, WithdrawalId,
};

/// The kind of the movement that accepts money set aside.
pub(super) const SUSPENSE_RELEASED: &str = "suspense_released";
/// The kind of the movement that empties the accounts when development data is deleted.
pub(super) const DEVELOPMENT_CLEARED: &str = "development_cleared";

/// A movement, in the order of a sale's life.
#[derive(Debug, Clone, Copy)]
pub enum Movement {
    /// A buyer's payment arrived; what is not settled at once becomes receivables. The affiliate
    /// has a commission on the merchant's share, which is held at first.
    PaymentCaptured {
        of: TransactionId,
        scope: Scope,
        amount: Cents,
        fee: Cents,
        settled: bool,
        commission: Option<Share>,
    },
    /// A commission became available to its affiliate. The seller first adds what the sale could
    /// not cover, and gets what the affiliate owes them.
    CommissionReleased {
        of: CommissionId,
        scope: Scope,
        affiliate: Scope,
        amount: Cents,
        added: Cents,
        repaid: Cents,
    },
    /// A receivable settled: the merchant may withdraw it, except for the part pledged to an
    /// advance.
    ReceivableSettled { of: ReceivableId, scope: Scope, free: Cents, pledged: Cents },
    /// The platform pays out receivables before their due date; parts of them are pledged for it.
    AdvanceApproved { of: AdvanceId, scope: Scope, amount: Cents, fee: Cents },
    /// A refund or a dispute took pledged receivables that nothing could replace: the merchant
    /// repays them now, even if their balance becomes negative.
    AdvanceDebited { by: Uuid, scope: Scope, amount: Cents },
    /// Money arrived that no open charge accounts for: too little, too much, or a second time. It
    /// belongs to the platform where no charge has the identifier that it named.
    PaymentUnmatched { of: UnmatchedId, scope: Scope, amount: Cents },
    /// The platform found the charge of such money, which moves to the merchant's own accounts.
    PaymentMatched { of: UnmatchedId, scope: Scope, amount: Cents },
    /// Such money is to be returned to its payer; it is held until the provider's result is known.
    ReturnRequested { of: ReturnId, scope: Scope, amount: Cents },
    /// It is back with its payer.
    ReturnCompleted { of: ReturnId, scope: Scope, amount: Cents },
    /// It was refused; it awaits a decision again.
    ReturnFailed { of: ReturnId, scope: Scope, amount: Cents },
    /// The merchant accepted such money.
    SuspenseReleased { of: UnmatchedId, scope: Scope, amount: Cents, fee: Cents },
    /// A refund was requested; the money is held until the provider's result is known. Where the
    /// merchant is not asked, their part is taken even if their balance becomes negative. An
    /// affiliate gives what their account holds and never falls below zero; the merchant bears the
    /// rest.
    RefundRequested {
        of: RefundId,
        scope: Scope,
        from: Split,
        forced: bool,
        commission: Option<Share>,
    },
    /// The refund is back with its payer.
    RefundCompleted { of: RefundId, scope: Scope, amount: Cents },
    /// The refund failed; the money returns to where it was, or to available if that has settled
    /// meanwhile.
    RefundFailed { of: RefundId, scope: Scope, to: Split, commission: Option<Share> },
    /// A buyer disputes a payment; its money is held, even if the merchant's balance becomes
    /// negative.
    DisputeOpened { of: DisputeId, scope: Scope, from: Split, commission: Option<Share> },
    /// The payment stands; its money returns to where it was, or to available if that has settled
    /// meanwhile.
    DisputeWon { of: DisputeId, scope: Scope, to: Split, commission: Option<Share> },
    /// The buyer has their money back.
    DisputeLost { of: DisputeId, scope: Scope, amount: Cents },
    /// The merchant requests a withdrawal; it is held until the bank's result is known.
    WithdrawalRequested { of: WithdrawalId, scope: Scope, amount: Cents },
    /// The bank paid the withdrawal less the fee.
    WithdrawalCompleted { of: WithdrawalId, scope: Scope, net: Cents, fee: Cents },
    /// The withdrawal failed; all of it is the merchant's again, the fee included.
    WithdrawalFailed { of: WithdrawalId, scope: Scope, amount: Cents },
    /// A merchant referred by this one made a sale; the reward is the platform's expense.
    ReferralEarned { of: RewardId, scope: Scope, amount: Cents },
    /// The reward's holding period ended.
    ReferralReleased { of: RewardId, scope: Scope, amount: Cents },
    /// The sale that earned the reward was returned to its buyer; a released reward is taken back
    /// even if the merchant then owes it to future rewards.
    ReferralTakenBack { of: Uuid, scope: Scope, amount: Cents, released: bool },
    /// The merchant moves rewards to their balance.
    ReferralWithdrawn { of: RewardWithdrawalId, scope: Scope, amount: Cents },
    /// Simulated payments were deleted; all money from them is reversed. `left` is what then
    /// remains on `outside`, because other merchants have a part of it.
    DevelopmentCleared { of: Uuid, scope: Scope, held: [Cents; Place::HELD.len()], left: Cents },
    /// A simulated sale was deleted on which an affiliate had a commission.
    CommissionCleared { of: Uuid, scope: Scope, affiliate: Scope, amount: Cents },
}

/// An amount of which one part is settled and the other is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Split {
    pub available: Cents,
    pub pending: Cents,
}

/// What moves to or from an affiliate, and whether it was released to them already.
#[derive(Debug, Clone, Copy)]
pub struct Share {
    pub affiliate: Scope,
    pub amount: Cents,
    pub released: bool,
}

impl Movement {
    /// The kind under which the ledger stores it.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::PaymentCaptured { .. } => "payment_captured",
            Self::CommissionReleased { .. } => "commission_released",
            Self::ReceivableSettled { .. } => "receivable_settled",
            Self::AdvanceApproved { .. } => "advance_approved",
            Self::AdvanceDebited { .. } => "advance_debited",
            Self::PaymentUnmatched { .. } => "payment_unmatched",
            Self::PaymentMatched { .. } => "payment_matched",
            Self::ReturnRequested { .. } => "return_requested",
            Self::ReturnCompleted { .. } => "return_completed",
            Self::ReturnFailed { .. } => "return_failed",
            Self::SuspenseReleased { .. } => SUSPENSE_RELEASED,
            Self::RefundRequested { .. } => "refund_requested",
            Self::RefundCompleted { .. } => "refund_completed",
            Self::RefundFailed { .. } => "refund_failed",
            Self::DisputeOpened { .. } => "dispute_opened",
            Self::DisputeWon { .. } => "dispute_won",
            Self::DisputeLost { .. } => "dispute_lost",
            Self::WithdrawalRequested { .. } => "withdrawal_requested",
            Self::WithdrawalCompleted { .. } => "withdrawal_completed",
            Self::WithdrawalFailed { .. } => "withdrawal_failed",
            Self::ReferralEarned { .. } => "referral_earned",
            Self::ReferralReleased { .. } => "referral_released",
            Self::ReferralTakenBack { .. } => "referral_taken_back",
            Self::ReferralWithdrawn { .. } => "referral_withdrawn",
            Self::DevelopmentCleared { .. } => DEVELOPMENT_CLEARED,
            Self::CommissionCleared { .. } => "commission_cleared",
        }
    }

    /// Its transfers: each debits one account and credits another.
    pub fn transfers(&self) -> Vec<Transfer> {
        match *self {
            Self::PaymentCaptured { scope, amount, fee, settled, commission, .. } => {
                let place = if settled { Available } else { Pending };
                let own = charged(scope, Outside, place, amount, fee);
                with(own, commission.map(|share| share.given(place.of(scope))))
            }
            Self::CommissionReleased { scope, affiliate, amount, added, repaid, .. } => {
                released(scope, affiliate, amount, added, repaid)
            }
            Self::ReceivableSettled { scope, free, pledged, .. } => vec![
                transfer(Pending.of(scope), Available.of(scope), free),
                transfer(Pending.of(scope), Advanced.of(scope), pledged),
            ],
            Self::AdvanceApproved { scope, amount, fee, .. } => {
                charged(scope, Advanced, Available, amount, fee)
            }
            Self::AdvanceDebited { scope, amount, .. } => force(scope, Available, Advanced, amount),
            Self::PaymentUnmatched { scope, amount, .. } => moved(scope, Outside, Suspense, amount),
            Self::PaymentMatched { scope, amount, .. } => moved(scope, Suspense, Outside, amount),
            Self::ReturnRequested { scope, amount, .. } => {
                moved(scope, Suspense, Refunding, amount)
            }
            Self::ReturnFailed { scope, amount, .. } => moved(scope, Refunding, Suspense, amount),
            Self::SuspenseReleased { scope, amount, fee, .. } => {
                charged(scope, Suspense, Available, amount, fee)
            }
            Self::RefundRequested { scope, from, forced, commission, .. } => {
                hold(scope, Refunding, from, forced, commission)
            }
            Self::ReturnCompleted { scope, amount, .. }
            | Self::RefundCompleted { scope, amount, .. } => {
                moved(scope, Refunding, Outside, amount)
            }
            Self::RefundFailed { scope, to, commission, .. } => {
                give_back(scope, Refunding, to, commission)
            }
            Self::DisputeOpened { scope, from, commission, .. } => {
                hold(scope, Disputed, from, true, commission)
            }
            Self::DisputeWon { scope, to, commission, .. } => {
                give_back(scope, Disputed, to, commission)
            }
            Self::DisputeLost { scope, amount, .. } => moved(scope, Disputed, Outside, amount),
            Self::WithdrawalRequested { scope, amount, .. } => {
                moved(scope, Available, Withdrawing, amount)
            }
            Self::WithdrawalCompleted { scope, net, fee, .. } => paid_out(scope, net, fee),
            Self::WithdrawalFailed { scope, amount, .. } => {
                moved(scope, Withdrawing, Available, amount)
            }
            Self::ReferralEarned { scope, amount, .. } => {
                moved(scope, ReferralExpense, ReferralPending, amount)
            }
            Self::ReferralReleased { scope, amount, .. } => {
                moved(scope, ReferralPending, ReferralAvailable, amount)
            }
            Self::ReferralTakenBack { scope, amount, released, .. } => {
                taken_back(scope, amount, released)
            }
            Self::ReferralWithdrawn { scope, amount, .. } => {
                moved(scope, ReferralAvailable, Available, amount)
            }
            Self::DevelopmentCleared { scope, held, left, .. } => cleared(scope, held, left),
            Self::CommissionCleared { scope, affiliate, amount, .. } => {
                vec![transfer(Pending.of(affiliate), Outside.of(scope), amount)]
            }
        }
    }

    /// The posting that books it, exactly once; `now` is from the machine's clock.
    pub fn posting(&self, now: Timestamp) -> Posting {
        let (subject, scope) = match *self {
            Self::PaymentCaptured { of, scope, .. } => (of.0, scope),
            Self::CommissionReleased { of, scope, .. } => (of.0, scope),
            Self::ReceivableSettled { of, scope, .. } => (of.0, scope),
            Self::AdvanceApproved { of, scope, .. } => (of.0, scope),
            Self::PaymentUnmatched { of, scope, .. }
            | Self::PaymentMatched { of, scope, .. }
            | Self::SuspenseReleased { of, scope, .. } => (of.0, scope),
            Self::RefundRequested { of, scope, .. }
            | Self::RefundCompleted { of, scope, .. }
            | Self::RefundFailed { of, scope, .. } => (of.0, scope),
            Self::ReturnRequested { of, scope, .. }
            | Self::ReturnCompleted { of, scope, .. }
            | Self::ReturnFailed { of, scope, .. } => (of.0, scope),
            Self::DisputeOpened { of, scope, .. }
            | Self::DisputeWon { of, scope, .. }
            | Self::DisputeLost { of, scope, .. } => (of.0, scope),
            Self::WithdrawalRequested { of, scope, .. }
            | Self::WithdrawalCompleted { of, scope, .. }
            | Self::WithdrawalFailed { of, scope, .. } => (of.0, scope),
            Self::ReferralEarned { of, scope, .. } | Self::ReferralReleased { of, scope, .. } => {
                (of.0, scope)
            }
            Self::ReferralWithdrawn { of, scope, .. } => (of.0, scope),
            Self::AdvanceDebited { by: of, scope, .. }
            | Self::ReferralTakenBack { of, scope, .. }
            | Self::DevelopmentCleared { of, scope, .. }
            | Self::CommissionCleared { of, scope, .. } => (of, scope),
        };
        Posting {
            subject,
            kind: self.kind(),
            book: scope.mode.book(),
            booked_at: scope.at(now),
            transfers: self.transfers(),
            held: self.told().into_iter().map(|scope| Available.of(scope)).collect(),
        }
    }

    /// Scopes that get a `balance.updated` event. Their `available` account is always locked, so
    /// events are emitted in sequence order, whichever accounts moved.
    fn told(&self) -> Vec<Scope> {
        match *self {
            Self::PaymentCaptured { scope, commission, .. }
            | Self::RefundRequested { scope, commission, .. }
            | Self::RefundFailed { scope, commission, .. }
            | Self::DisputeOpened { scope, commission, .. }
            | Self::DisputeWon { scope, commission, .. } => {
                iter::once(scope).chain(commission.map(|share| share.affiliate)).collect()
            }
            Self::CommissionReleased { scope, affiliate, added, repaid, .. } => {
                let seller = !(added.is_zero() && repaid.is_zero());
                iter::once(affiliate).chain(seller.then_some(scope)).collect()
            }
            Self::ReceivableSettled { scope, .. }
            | Self::AdvanceApproved { scope, .. }
            | Self::AdvanceDebited { scope, .. }
            | Self::SuspenseReleased { scope, .. }
            | Self::RefundCompleted { scope, .. }
            | Self::DisputeLost { scope, .. }
            | Self::WithdrawalRequested { scope, .. }
            | Self::WithdrawalCompleted { scope, .. }
            | Self::WithdrawalFailed { scope, .. }
            | Self::ReferralWithdrawn { scope, .. } => vec![scope],
            Self::PaymentUnmatched { .. }
            | Self::PaymentMatched { .. }
            | Self::ReturnRequested { .. }
            | Self::ReturnCompleted { .. }
            | Self::ReturnFailed { .. }
            | Self::ReferralEarned { .. }
            | Self::ReferralReleased { .. }
            | Self::ReferralTakenBack { .. }
            | Self::DevelopmentCleared { .. }
            | Self::CommissionCleared { .. } => Vec::new(),
        }
    }
}

impl Share {
    /// The transfer that credits the affiliate.
    fn given(self, from: Account) -> Transfer {
        transfer(from, self.place(), self.amount)
    }

    /// The transfer that debits the affiliate, whose balance never falls below zero.
    fn taken(self, to: Account) -> Transfer {
        transfer(self.place(), to, self.amount)
    }

    fn place(self) -> Account {
        let place = if self.released { Available } else { Pending };
        place.of(self.affiliate)
    }
}

fn transfer(debit: Account, credit: Account, amount: Cents) -> Transfer {
    Transfer { debit, credit, amount, forced: false }
}

fn moved(scope: Scope, from: Place, to: Place, amount: Cents) -> Vec<Transfer> {
    vec![transfer(from.of(scope), to.of(scope), amount)]
}

/// Moves an amount even if the debited account falls below zero.
fn force(scope: Scope, from: Place, to: Place, amount: Cents) -> Vec<Transfer> {
    let transfer = transfer(from.of(scope), to.of(scope), amount);
    vec![Transfer { forced: true, ..transfer }]
}

/// Takes a reward back from where it is; only a released one can be forced.
fn taken_back(scope: Scope, amount: Cents, released: bool) -> Vec<Transfer> {
    if released {
        force(scope, ReferralAvailable, ReferralExpense, amount)
    } else {
        moved(scope, ReferralPending, ReferralExpense, amount)
    }
}

fn paid_out(scope: Scope, net: Cents, fee: Cents) -> Vec<Transfer> {
    vec![
        transfer(Withdrawing.of(scope), Outside.of(scope), net),
        transfer(Withdrawing.of(scope), FeeRevenue.of(scope), fee),
    ]
}

/// Moves an amount and takes the fee from the credited account, even if its balance becomes
/// negative.
fn charged(scope: Scope, from: Place, to: Place, amount: Cents, fee: Cents) -> Vec<Transfer> {
    vec![
        transfer(from.of(scope), to.of(scope), amount),
        Transfer { forced: to == Available, ..transfer(to.of(scope), FeeRevenue.of(scope), fee) },
    ]
}

/// Releases a commission from the affiliate's pending account.
fn released(
    seller: Scope,
    affiliate: Scope,
    amount: Cents,
    added: Cents,
    repaid: Cents,
) -> Vec<Transfer> {
    let kept = amount.minus(repaid).unwrap_or(amount);
    vec![
        transfer(Available.of(seller), Pending.of(affiliate), added),
        transfer(Pending.of(affiliate), Available.of(seller), repaid),
        transfer(Pending.of(affiliate), Available.of(affiliate), kept),
    ]
}

fn with(own: Vec<Transfer>, share: Option<Transfer>) -> Vec<Transfer> {
    own.into_iter().chain(share).collect()
}

/// Holds an amount from where it is; only what is settled can be forced.
fn hold(
    scope: Scope,
    at: Place,
    from: Split,
    forced: bool,
    commission: Option<Share>,
) -> Vec<Transfer> {
    let available = transfer(Available.of(scope), at.of(scope), from.available);
    let pending = transfer(Pending.of(scope), at.of(scope), from.pending);
    let own = vec![Transfer { forced, ..available }, pending];
    with(own, commission.map(|share| share.taken(at.of(scope))))
}

fn give_back(scope: Scope, at: Place, to: Split, commission: Option<Share>) -> Vec<Transfer> {
    let own = vec![
        transfer(at.of(scope), Available.of(scope), to.available),
        transfer(at.of(scope), Pending.of(scope), to.pending),
    ];
    with(own, commission.map(|share| share.given(at.of(scope))))
}

fn cleared(scope: Scope, held: [Cents; Place::HELD.len()], left: Cents) -> Vec<Transfer> {
    let places = Place::HELD.iter().zip(held);
    let emptied_places =
        places.map(|(place, amount)| emptied(place.of(scope), Outside.of(scope), amount));
    emptied_places.chain([emptied(Outside.of(scope), Cleared.of(scope), left)]).collect()
}

/// Brings an account to zero, a negative one too.
fn emptied(account: Account, into: Account, held: Cents) -> Transfer {
    match Cents::ZERO.minus(held).filter(|debt| *debt > Cents::ZERO) {
        Some(debt) => transfer(into, account, debt),
        None => transfer(account, into, held),
    }
}
