//! Every movement of money. This file alone is enough for an auditor.

use db::text_enum;
use db::time::Timestamp;
use ledger::account::Account;
use ledger::cents::Cents;
use ledger::posting::{Posting, Transfer};
use uuid::Uuid;

use crate::books::chart::AccountKind;
use crate::books::chart::AccountKind::{
    Advanced, Available, Cleared, Disputed, FeeRevenue, Outside, Pending, ReferralAvailable,
    ReferralExpense, ReferralPending, Refunding, Suspense, Withdrawing,
};
use crate::platform::ids::{
    AdvanceId, CommissionId, DisputeId, ReceivableId, RefundId, ReturnId, RewardId,
    RewardWithdrawalId, Scope, TransactionId, UnmatchedId, WithdrawalId, WithdrawalReturnId,
};

text_enum! {
    /// The kind of a movement, in the order of a sale's life, as the ledger stores it.
    pub enum MovementKind as "MovementKind" {
        PaymentCaptured = "payment_captured",
        CommissionReleased = "commission_released",
        ReceivableSettled = "receivable_settled",
        AdvanceApproved = "advance_approved",
        AdvanceDebited = "advance_debited",
        PaymentUnmatched = "payment_unmatched",
        PaymentMatched = "payment_matched",
        ReturnRequested = "return_requested",
        ReturnCompleted = "return_completed",
        ReturnFailed = "return_failed",
        SuspenseReleased = "suspense_released",
        RefundRequested = "refund_requested",
        RefundCompleted = "refund_completed",
        RefundFailed = "refund_failed",
        DisputeOpened = "dispute_opened",
        DisputeWon = "dispute_won",
        DisputeLost = "dispute_lost",
        WithdrawalRequested = "withdrawal_requested",
        WithdrawalCompleted = "withdrawal_completed",
        WithdrawalFailed = "withdrawal_failed",
        WithdrawalReturned = "withdrawal_returned",
        ReferralEarned = "referral_earned",
        ReferralReleased = "referral_released",
        ReferralTakenBack = "referral_taken_back",
        ReferralWithdrawn = "referral_withdrawn",
        DevelopmentCleared = "development_cleared",
        CommissionCleared = "commission_cleared",
    }
}

/// A fact that moves money.
#[derive(Debug, Clone)]
pub struct Movement {
    kind: MovementKind,
    /// What it is about; a subject has each kind at most once.
    subject: Uuid,
    scope: Scope,
    /// Each debits one account and credits another.
    transfers: Vec<Transfer>,
    /// Scopes that get a `balance.updated` event.
    notified: Vec<Scope>,
}

/// An amount of which one part is settled and the other is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SettlementSplit {
    pub available: Cents,
    pub pending: Cents,
}

/// What moves to or from an affiliate, and whether it was released to them already.
#[derive(Debug, Clone, Copy)]
pub struct AffiliateShare {
    pub affiliate: Scope,
    pub amount: Cents,
    pub released: bool,
}

/// Every kind of movement, in the order of a sale's life; the function's name is the kind.
impl Movement {
    /// A buyer's payment arrived; what is not settled at once becomes receivables. The affiliate
    /// has a commission on the merchant's share, which is held at first.
    pub fn payment_captured(
        of: TransactionId,
        scope: Scope,
        amount: Cents,
        fee: Cents,
        settled: bool,
        commission: Option<AffiliateShare>,
    ) -> Self {
        let at = if settled { Available } else { Pending };
        Self::new(
            MovementKind::PaymentCaptured,
            of.0,
            scope,
            charge(scope, Outside, at, amount, fee),
        )
        .give(at, commission)
    }

    /// A commission became available to its affiliate. The seller first adds what the sale could
    /// not cover, and gets what the affiliate owes them.
    pub fn commission_released(
        of: CommissionId,
        seller: Scope,
        affiliate: Scope,
        amount: Cents,
        added: Cents,
        repaid: Cents,
    ) -> Self {
        let held = Pending.of(affiliate);
        let transfers = vec![
            transfer(Available.of(seller), held, added),
            transfer(held, Available.of(seller), repaid),
            transfer(held, Available.of(affiliate), amount.minus(repaid).unwrap_or(amount)),
        ];
        let is_seller_moved = !(added.is_zero() && repaid.is_zero());
        Self::silent(MovementKind::CommissionReleased, of.0, seller, transfers)
            .notify([affiliate])
            .notify(is_seller_moved.then_some(seller))
    }

    /// A receivable settled: the merchant may withdraw it, except for the part pledged to an
    /// advance.
    pub fn receivable_settled(of: ReceivableId, scope: Scope, free: Cents, pledged: Cents) -> Self {
        let transfers = vec![
            transfer(Pending.of(scope), Available.of(scope), free),
            transfer(Pending.of(scope), Advanced.of(scope), pledged),
        ];
        Self::new(MovementKind::ReceivableSettled, of.0, scope, transfers)
    }

    /// The platform pays out receivables before their due date; parts of them are pledged for it.
    pub fn advance_approved(of: AdvanceId, scope: Scope, amount: Cents, fee: Cents) -> Self {
        let transfers = charge(scope, Advanced, Available, amount, fee);
        Self::new(MovementKind::AdvanceApproved, of.0, scope, transfers)
    }

    /// A refund or a dispute took pledged receivables that nothing could replace: the merchant
    /// repays them now, even if their balance becomes negative.
    pub fn advance_debited(by: Uuid, scope: Scope, amount: Cents) -> Self {
        let transfers = force(scope, Available, Advanced, amount);
        Self::new(MovementKind::AdvanceDebited, by, scope, transfers)
    }

    /// Money arrived that no open charge accounts for: too little, too much, or a second time. It
    /// belongs to the platform where no charge has the identifier that it named.
    pub fn payment_unmatched(of: UnmatchedId, scope: Scope, amount: Cents) -> Self {
        Self::silent(
            MovementKind::PaymentUnmatched,
            of.0,
            scope,
            shift(scope, Outside, Suspense, amount),
        )
    }

    /// The platform found the charge of such money, which moves to the merchant's own accounts.
    pub fn payment_matched(of: UnmatchedId, scope: Scope, amount: Cents) -> Self {
        Self::silent(
            MovementKind::PaymentMatched,
            of.0,
            scope,
            shift(scope, Suspense, Outside, amount),
        )
    }

    /// Such money is to be returned to its payer; it is held until the provider's result is known.
    ///
    /// What its bank took back after the merchant had accepted it they owe, even if their balance
    /// becomes negative.
    pub fn return_requested(of: ReturnId, scope: Scope, amount: Cents, accepted: bool) -> Self {
        let kind = MovementKind::ReturnRequested;
        if accepted {
            return Self::new(kind, of.0, scope, force(scope, Available, Refunding, amount));
        }
        Self::silent(kind, of.0, scope, shift(scope, Suspense, Refunding, amount))
    }

    /// It is back with its payer.
    pub fn return_completed(of: ReturnId, scope: Scope, amount: Cents) -> Self {
        Self::silent(
            MovementKind::ReturnCompleted,
            of.0,
            scope,
            shift(scope, Refunding, Outside, amount),
        )
    }

    /// It was refused; it awaits a decision again.
    pub fn return_failed(of: ReturnId, scope: Scope, amount: Cents) -> Self {
        Self::silent(
            MovementKind::ReturnFailed,
            of.0,
            scope,
            shift(scope, Refunding, Suspense, amount),
        )
    }

    /// The merchant accepted such money.
    pub fn suspense_released(of: UnmatchedId, scope: Scope, amount: Cents, fee: Cents) -> Self {
        let transfers = charge(scope, Suspense, Available, amount, fee);
        Self::new(MovementKind::SuspenseReleased, of.0, scope, transfers)
    }

    /// A refund was requested; the money is held until the provider's result is known. Where the
    /// merchant is not asked, their part is taken even if their balance becomes negative. An
    /// affiliate gives what their account holds and never falls below zero; the merchant bears the
    /// rest.
    pub fn refund_requested(
        of: RefundId,
        scope: Scope,
        from: SettlementSplit,
        forced: bool,
        commission: Option<AffiliateShare>,
    ) -> Self {
        Self::new(MovementKind::RefundRequested, of.0, scope, hold(scope, Refunding, from, forced))
            .take(Refunding, commission)
    }

    /// The refund is back with its payer.
    pub fn refund_completed(of: RefundId, scope: Scope, amount: Cents) -> Self {
        let transfers = shift(scope, Refunding, Outside, amount);
        Self::new(MovementKind::RefundCompleted, of.0, scope, transfers)
    }

    /// The refund failed; the money returns to where it was, or to available if that has settled
    /// meanwhile.
    pub fn refund_failed(
        of: RefundId,
        scope: Scope,
        to: SettlementSplit,
        commission: Option<AffiliateShare>,
    ) -> Self {
        Self::new(MovementKind::RefundFailed, of.0, scope, release(scope, Refunding, to))
            .give(Refunding, commission)
    }

    /// A buyer disputes a payment; its money is held, even if the merchant's balance becomes
    /// negative.
    pub fn dispute_opened(
        of: DisputeId,
        scope: Scope,
        from: SettlementSplit,
        commission: Option<AffiliateShare>,
    ) -> Self {
        Self::new(MovementKind::DisputeOpened, of.0, scope, hold(scope, Disputed, from, true))
            .take(Disputed, commission)
    }

    /// The payment stands; its money returns to where it was, or to available if that has settled
    /// meanwhile.
    pub fn dispute_won(
        of: DisputeId,
        scope: Scope,
        to: SettlementSplit,
        commission: Option<AffiliateShare>,
    ) -> Self {
        Self::new(MovementKind::DisputeWon, of.0, scope, release(scope, Disputed, to))
            .give(Disputed, commission)
    }

    /// The buyer has their money back.
    pub fn dispute_lost(of: DisputeId, scope: Scope, amount: Cents) -> Self {
        let transfers = shift(scope, Disputed, Outside, amount);
        Self::new(MovementKind::DisputeLost, of.0, scope, transfers)
    }

    /// The merchant requests a withdrawal; it is held until the bank's result is known.
    pub fn withdrawal_requested(of: WithdrawalId, scope: Scope, amount: Cents) -> Self {
        let transfers = shift(scope, Available, Withdrawing, amount);
        Self::new(MovementKind::WithdrawalRequested, of.0, scope, transfers)
    }

    /// The bank paid the withdrawal less the fee.
    pub fn withdrawal_completed(of: WithdrawalId, scope: Scope, net: Cents, fee: Cents) -> Self {
        let transfers = vec![
            transfer(Withdrawing.of(scope), Outside.of(scope), net),
            transfer(Withdrawing.of(scope), FeeRevenue.of(scope), fee),
        ];
        Self::new(MovementKind::WithdrawalCompleted, of.0, scope, transfers)
    }

    /// The withdrawal failed; all of it is the merchant's again, the fee included.
    pub fn withdrawal_failed(of: WithdrawalId, scope: Scope, amount: Cents) -> Self {
        let transfers = shift(scope, Withdrawing, Available, amount);
        Self::new(MovementKind::WithdrawalFailed, of.0, scope, transfers)
    }

    /// The bank sent money of a paid withdrawal back; the fee stays with the platform.
    pub fn withdrawal_returned(of: WithdrawalReturnId, scope: Scope, amount: Cents) -> Self {
        let transfers = shift(scope, Outside, Available, amount);
        Self::new(MovementKind::WithdrawalReturned, of.0, scope, transfers)
    }

    /// A merchant referred by this one made a sale; the reward is the platform's expense.
    pub fn referral_earned(of: RewardId, scope: Scope, amount: Cents) -> Self {
        let transfers = shift(scope, ReferralExpense, ReferralPending, amount);
        Self::silent(MovementKind::ReferralEarned, of.0, scope, transfers)
    }

    /// The reward's holding period ended.
    pub fn referral_released(of: RewardId, scope: Scope, amount: Cents) -> Self {
        let transfers = shift(scope, ReferralPending, ReferralAvailable, amount);
        Self::silent(MovementKind::ReferralReleased, of.0, scope, transfers)
    }

    /// The sale that earned the reward was returned to its buyer; a released reward is taken back
    /// even if the merchant then owes it to future rewards.
    pub fn referral_taken_back(of: Uuid, scope: Scope, amount: Cents, released: bool) -> Self {
        let transfers = if released {
            force(scope, ReferralAvailable, ReferralExpense, amount)
        } else {
            shift(scope, ReferralPending, ReferralExpense, amount)
        };
        Self::silent(MovementKind::ReferralTakenBack, of, scope, transfers)
    }

    /// The merchant moves rewards to their balance.
    pub fn referral_withdrawn(of: RewardWithdrawalId, scope: Scope, amount: Cents) -> Self {
        let transfers = shift(scope, ReferralAvailable, Available, amount);
        Self::new(MovementKind::ReferralWithdrawn, of.0, scope, transfers)
    }

    /// Simulated payments were deleted; all money from them is reversed. `left` is what then
    /// remains on `outside`, because other merchants have a part of it.
    pub fn development_cleared(
        of: Uuid,
        scope: Scope,
        held: [Cents; AccountKind::HELD.len()],
        left: Cents,
    ) -> Self {
        let held = AccountKind::HELD.iter().zip(held);
        let emptied = held.map(|(account, held)| empty(account.of(scope), Outside.of(scope), held));
        let rest = empty(Outside.of(scope), Cleared.of(scope), left);
        Self::silent(MovementKind::DevelopmentCleared, of, scope, emptied.chain([rest]).collect())
    }

    /// A simulated sale was deleted on which an affiliate had a commission.
    pub fn commission_cleared(of: Uuid, scope: Scope, affiliate: Scope, amount: Cents) -> Self {
        let transfers = vec![transfer(Pending.of(affiliate), Outside.of(scope), amount)];
        Self::silent(MovementKind::CommissionCleared, of, scope, transfers)
    }
}

impl Movement {
    /// The kind under which the ledger stores it.
    pub const fn kind(&self) -> &'static str {
        self.kind.name()
    }

    /// Each debits one account and credits another.
    pub const fn transfers(&self) -> &[Transfer] {
        self.transfers.as_slice()
    }

    /// The posting that books it, exactly once; `now` is from the machine's clock.
    ///
    /// The `available` accounts of the notified are always locked, so events are emitted in
    /// sequence order, whichever accounts moved.
    pub(super) fn posting(self, now: Timestamp) -> Posting {
        Posting {
            subject: self.subject,
            kind: self.kind(),
            book: self.scope.mode.book(),
            booked_at: self.scope.at(now),
            transfers: self.transfers,
            held: self.notified.into_iter().map(|scope| Available.of(scope)).collect(),
        }
    }

    /// A movement that changes the merchant's balance.
    fn new(kind: MovementKind, subject: Uuid, scope: Scope, transfers: Vec<Transfer>) -> Self {
        Self::silent(kind, subject, scope, transfers).notify([scope])
    }

    /// A movement that no merchant is notified of.
    fn silent(kind: MovementKind, subject: Uuid, scope: Scope, transfers: Vec<Transfer>) -> Self {
        Self { kind, subject, scope, transfers, notified: Vec::new() }
    }

    fn notify(mut self, scopes: impl IntoIterator<Item = Scope>) -> Self {
        self.notified.extend(scopes);
        self
    }

    /// Credits the affiliate with their part.
    fn give(mut self, from: AccountKind, part: Option<AffiliateShare>) -> Self {
        let from = from.of(self.scope);
        self.transfers.extend(part.map(|part| transfer(from, part.account(), part.amount)));
        self.notify(part.map(|part| part.affiliate))
    }

    /// Debits the affiliate, whose balance never falls below zero, with their part.
    fn take(mut self, to: AccountKind, part: Option<AffiliateShare>) -> Self {
        let to = to.of(self.scope);
        self.transfers.extend(part.map(|part| transfer(part.account(), to, part.amount)));
        self.notify(part.map(|part| part.affiliate))
    }
}

impl AffiliateShare {
    /// The affiliate's account that has it.
    fn account(self) -> Account {
        let account = if self.released { Available } else { Pending };
        account.of(self.affiliate)
    }
}

fn transfer(debit: Account, credit: Account, amount: Cents) -> Transfer {
    Transfer { debit, credit, amount, forced: false }
}

fn shift(scope: Scope, from: AccountKind, to: AccountKind, amount: Cents) -> Vec<Transfer> {
    vec![transfer(from.of(scope), to.of(scope), amount)]
}

/// Moves an amount even if the debited account falls below zero.
fn force(scope: Scope, from: AccountKind, to: AccountKind, amount: Cents) -> Vec<Transfer> {
    vec![Transfer { forced: true, ..transfer(from.of(scope), to.of(scope), amount) }]
}

/// Moves an amount and takes the fee from the credited account, even if its balance becomes
/// negative.
fn charge(
    scope: Scope,
    from: AccountKind,
    to: AccountKind,
    amount: Cents,
    fee: Cents,
) -> Vec<Transfer> {
    let fee = transfer(to.of(scope), FeeRevenue.of(scope), fee);
    vec![
        transfer(from.of(scope), to.of(scope), amount),
        Transfer { forced: to == Available, ..fee },
    ]
}

/// Moves an amount to a holding account; only the part from `available` can be forced.
fn hold(scope: Scope, at: AccountKind, from: SettlementSplit, forced: bool) -> Vec<Transfer> {
    let available = transfer(Available.of(scope), at.of(scope), from.available);
    let pending = transfer(Pending.of(scope), at.of(scope), from.pending);
    vec![Transfer { forced, ..available }, pending]
}

/// Returns what was held.
fn release(scope: Scope, at: AccountKind, to: SettlementSplit) -> Vec<Transfer> {
    vec![
        transfer(at.of(scope), Available.of(scope), to.available),
        transfer(at.of(scope), Pending.of(scope), to.pending),
    ]
}

/// Brings an account to zero, a negative one too.
fn empty(account: Account, into: Account, held: Cents) -> Transfer {
    match Cents::ZERO.minus(held).filter(|debt| *debt > Cents::ZERO) {
        Some(debt) => transfer(into, account, debt),
        None => transfer(account, into, held),
    }
}
