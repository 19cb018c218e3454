//! The only access to the ledger: the chart of accounts, movements and balances.

use std::collections::BTreeMap;

use db::tx::Tx;
use ledger::account::Account;
use ledger::cents::Cents;
use ledger::posting::{
    self, Balance, Transfer, balance, balances, post, post_locked, post_then_balances,
};
use ledger::verify::onward::{self, Moved, Progress, Step, Tail};
use ledger::verify::{Rechained, Report, by_kind, entered, left_by, verify, verify_watched};
use uuid::Uuid;

use crate::books::chart::AccountKind;
use crate::books::events::{BalancePayload, BalanceUpdated};
use crate::books::movements::{Movement, MovementKind};
use crate::platform::error::{Error, ErrorCode, Result, overflow};
use crate::platform::ids::Scope;
use crate::webhooks;

pub mod api;
pub mod chart;
pub mod csv_api;
pub mod events;
pub mod export;
pub mod movements;
pub mod statement;
pub mod turnover;

/// A merchant's balance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MerchantBalance {
    pub available: Cents,
    pub pending: Cents,
    pub disputed: Cents,
    pub suspense: Cents,
    /// Incremented by everything that moves the merchant's money.
    pub sequence: i64,
}

impl MerchantBalance {
    /// From all of a merchant's accounts, by their codes.
    fn of(all: &BTreeMap<i64, Balance>) -> Self {
        let of =
            |kind: AccountKind| all.get(&kind.code()).map_or(Cents::ZERO, |balance| balance.amount);
        Self {
            available: of(AccountKind::Available),
            pending: of(AccountKind::Pending),
            disputed: of(AccountKind::Disputed),
            suspense: of(AccountKind::Suspense),
            sequence: all.values().map(|balance| balance.sequence).sum(),
        }
    }
}

impl MerchantBalance {
    /// What is held: disputed, or set aside until the merchant decides on it.
    pub fn held(&self) -> Result<Cents> {
        self.disputed.plus(self.suspense).ok_or_else(overflow)
    }
}

/// A merchant's accounts, locked ahead of the movement that they are locked for.
#[derive(Debug)]
pub struct LockedAccounts(posting::LockedAccounts);

/// What a unit that is undone would book.
#[derive(Debug, Clone)]
struct Booked(Vec<Transfer>);

/// A change of an account.
#[derive(Debug, Clone, Copy)]
pub struct AccountChange {
    pub account: AccountKind,
    /// How much more it would have; negative for less.
    pub change: Cents,
    pub before: Cents,
    pub after: Cents,
}

/// How the unit, which is undone at its end, would change a merchant's accounts.
pub async fn would_change(tx: &Tx, scope: Scope) -> Result<Vec<AccountChange>> {
    let mut changes = Vec::new();
    let transfers: Vec<_> =
        tx.effects::<Booked>().into_iter().flat_map(|Booked(all)| all).collect();
    for account in AccountKind::ALL.iter().copied() {
        let own = |one: &Account| (one.owner, one.code) == (scope.merchant.0, account.code());
        let change = transfers.iter().try_fold(Cents::ZERO, |sum, transfer| {
            let gained = if own(&transfer.credit) { transfer.amount } else { Cents::ZERO };
            let lost = if own(&transfer.debit) { transfer.amount } else { Cents::ZERO };
            sum.plus(gained)?.minus(lost)
        });
        let overflow = || Error::Internal(anyhow::anyhow!("the books overflow"));
        let change = change.ok_or_else(overflow)?;
        if !change.is_zero() {
            let after = held(tx, scope, account).await?;
            let before = after.minus(change).ok_or_else(overflow)?;
            changes.push(AccountChange { account, change, before, after });
        }
    }
    Ok(changes)
}

/// Books a movement; refuses an overdraft.
pub async fn record(tx: &Tx, movement: Movement) -> Result<()> {
    tx.note_effect(|| Booked(movement.transfers().to_vec()));
    Ok(post(tx, &movement.posting(tx.now())).await?)
}

/// Books a movement whose money the unit has seen to be there; if it is not, a concurrent unit took
/// it, and this one is retried.
pub async fn record_as_seen(tx: &Tx, movement: Movement) -> Result<()> {
    as_seen(tx, record(tx, movement).await)
}

/// Locks a merchant's accounts for a movement that moves no one else's.
///
/// No other posting may come in between: what is locked is written back as it was read, plus this
/// posting.
pub async fn lock_ahead(tx: &Tx, scope: Scope) -> Result<LockedAccounts> {
    Ok(LockedAccounts(posting::lock_ahead(tx, scope.mode.book(), scope.merchant.0).await?))
}

/// Books a movement as [`record_as_seen`] does; returns a merchant's balance after it, for
/// [`emit_balance`]. Their accounts may be locked already.
pub async fn record_then_balance(
    tx: &Tx,
    movement: Movement,
    scope: Scope,
    locked: Option<LockedAccounts>,
) -> Result<MerchantBalance> {
    tx.note_effect(|| Booked(movement.transfers().to_vec()));
    let posting = movement.posting(tx.now());
    let booked = match locked {
        Some(LockedAccounts(locked)) => post_locked(tx, &posting, locked).await,
        None => post_then_balances(tx, &posting, scope.merchant.0).await,
    };
    as_seen(tx, booked.map(|all| MerchantBalance::of(&all)).map_err(Error::from))
}

fn as_seen<T>(tx: &Tx, booked: Result<T>) -> Result<T> {
    match booked {
        Err(Error::Refused(ErrorCode::InsufficientBalance, _)) => {
            Err(tx.collision("the balance shrank while it was being used").into())
        }
        booked => booked,
    }
}

/// Reads a merchant's balance.
pub async fn holdings(tx: &Tx, scope: Scope) -> Result<MerchantBalance> {
    Ok(MerchantBalance::of(&balances(tx, scope.mode.book(), scope.merchant.0).await?))
}

/// Reads the balance of one of a merchant's accounts.
pub async fn held(tx: &Tx, scope: Scope, kind: AccountKind) -> Result<Cents> {
    Ok(balance(tx, scope.mode.book(), &kind.of(scope)).await?.amount)
}

/// Whether a merchant owes: their available balance is negative.
pub async fn is_in_debt(tx: &Tx, scope: Scope) -> Result<bool> {
    Ok(is_debt(held(tx, scope, AccountKind::Available).await?))
}

/// Whether an available balance is a debt.
pub fn is_debt(available: Cents) -> bool {
    available < Cents::ZERO
}

/// Locks every account of a scope until the unit ends; concurrent bookings wait for it.
pub async fn lock(tx: &Tx, scope: Scope) -> Result<()> {
    Ok(posting::lock(tx, scope.mode.book(), scope.merchant.0).await?)
}

/// Empties every account of a scope whose payments are deleted.
///
/// This is a movement like any other: transfers are never deleted, not even simulated ones, so the
/// ledger stays provable and the sequence numbers of a statement never restart. The unit holds the
/// lock on the accounts.
pub async fn clear(tx: &Tx, scope: Scope) -> Result<()> {
    let mut held = [Cents::ZERO; AccountKind::HELD.len()];
    let mut left = Some(self::held(tx, scope, AccountKind::Outside).await?);
    for (amount, kind) in held.iter_mut().zip(AccountKind::HELD) {
        *amount = self::held(tx, scope, kind).await?;
        left = left.and_then(|left| left.plus(*amount));
    }
    let left = left.ok_or_else(|| Error::Internal(anyhow::anyhow!("the books overflow")))?;
    let cleared = Movement::development_cleared(tx.new_id(), scope, held, left);
    record_as_seen(tx, cleared).await
}

/// Emits `balance.updated` with the current balance; the movement it is about has locked the
/// merchant's `available` account.
pub async fn emit_balance_updated(tx: &Tx, scope: Scope, reason: &'static str) -> Result<()> {
    emit_balance(tx, scope, holdings(tx, scope).await?, reason).await
}

/// Emits `balance.updated` with the balance that a movement of the unit has left.
pub async fn emit_balance(
    tx: &Tx,
    scope: Scope,
    holdings: MerchantBalance,
    reason: &'static str,
) -> Result<()> {
    let balance =
        BalancePayload { available_balance: holdings.available, pending_balance: holdings.pending };
    let event = BalanceUpdated { owner: scope.merchant, balance, reason };
    webhooks::publish(tx, scope, holdings.sequence, &event).await
}

/// Proves a merchant's accounts, or all of the database, from the transfers alone.
pub async fn prove(tx: &Tx, scope: Option<Scope>) -> Result<Report> {
    Ok(verify(tx, scope.map(book_of)).await?)
}

/// The same for all of the database; `watch` gets the number of entries checked, now and then.
pub async fn prove_watched(tx: &Tx, watch: &(dyn Fn(u64) + Send + Sync)) -> Result<Report> {
    Ok(verify_watched(tx, None, watch).await?)
}

/// Counts the entries of all accounts, each transfer as two.
pub async fn count_entries(tx: &Tx) -> Result<i64> {
    Ok(ledger::verify::count_legs(tx).await?)
}

/// Proves at most `most` entries of a merchant's accounts, from the stored positions if there are
/// more in all.
pub async fn prove_tail(tx: &Tx, scope: Scope, most: i64) -> Result<Tail> {
    Ok(onward::tail(tx, book_of(scope), most).await?)
}

/// Proves at most `most` entries after the stored positions of a merchant's accounts.
pub async fn catch_up(tx: &Tx, scope: Scope, most: i64) -> Result<Step<()>> {
    Ok(onward::catch_up(tx, book_of(scope), most).await?)
}

/// Goes on with the proof of a merchant's accounts from the first transfer, by about `most`
/// entries.
pub async fn prove_step(
    tx: &Tx,
    scope: Scope,
    from: Progress,
    most: i64,
) -> Result<Step<Progress>> {
    Ok(onward::step(tx, book_of(scope), from, most).await?)
}

/// Stores the positions that a proof has moved.
pub async fn keep_positions(tx: &Tx, scope: Scope, moved: &Moved) -> Result<()> {
    Ok(onward::keep(tx, book_of(scope), moved).await?)
}

/// Restarts the hash chains of accounts that an earlier release has meanwhile booked on: resumes
/// where another unit stopped, and reads at most `most` legs.
pub async fn rechain(tx: &Tx, from: Rechained, most: i64) -> Result<Rechained> {
    Ok(ledger::verify::rechain(tx, from, most).await?)
}

/// The balance of each account, by owner and book and then by number, of one merchant or of all.
pub async fn all_balances(
    tx: &Tx,
    scope: Option<Scope>,
) -> Result<BTreeMap<(Uuid, i64), BTreeMap<i64, Cents>>> {
    Ok(ledger::verify::balances(tx, scope.map(book_of)).await?)
}

/// The fees of unmatched receipts that were accepted, by owner and book; only the ledger stores
/// them.
pub async fn fees_of_accepted(
    tx: &Tx,
    scope: Option<Scope>,
) -> Result<BTreeMap<(Uuid, i64), Cents>> {
    let code = AccountKind::FeeRevenue.code();
    let released = MovementKind::SuspenseReleased.name();
    Ok(entered(tx, released, code, scope.map(book_of)).await?)
}

/// What was left on `outside` when development data was last deleted, by owner and book. Earlier
/// releases left there, and not on `cleared`, what other merchants have of deleted payments.
pub async fn left_outside(tx: &Tx, scope: Option<Scope>) -> Result<BTreeMap<(Uuid, i64), Cents>> {
    let code = AccountKind::Outside.code();
    let cleared = MovementKind::DevelopmentCleared.name();
    Ok(left_by(tx, cleared, code, scope.map(book_of)).await?)
}

/// Everything ever booked into the owner's accounts, by owner and book, then by the kind of
/// movement.
pub async fn ever_booked(
    tx: &Tx,
    scope: Option<Scope>,
) -> Result<BTreeMap<(Uuid, i64), BTreeMap<String, Cents>>> {
    Ok(by_kind(tx, scope.map(book_of)).await?)
}

/// The sum of every balance in the database, in cents; anything but zero is a fault.
pub async fn imbalance(tx: &Tx) -> Result<i64> {
    Ok(ledger::verify::imbalance(tx).await?)
}

fn book_of(scope: Scope) -> (Uuid, i64) {
    (scope.merchant.0, scope.mode.book())
}
