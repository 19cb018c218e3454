//! What a merchant's sales, and what went back of them, add up to between two entries of `outside`.

use std::ops::Range;

use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;
use ledger::posting::balance;
use ledger::turnover::{
    Entry, Side, by_kind, credited_with, entries, entries_with, first_at, posted_at,
};

use crate::books::chart::AccountKind;
use crate::books::movements::MovementKind;
use crate::platform::error::{Error, Result};
use crate::platform::ids::Scope;

/// The kinds of movements that are sold, refunded and charged back.
pub const CAPTURED: &str = MovementKind::PaymentCaptured.name();
pub const REFUNDED: &str = MovementKind::RefundCompleted.name();
pub const CHARGED_BACK: &str = MovementKind::DisputeLost.name();

/// The sum that an entry counts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// What buyers paid for charges.
    Sold,
    /// What was refunded to them.
    Refunded,
    /// What lost disputes took.
    ChargedBack,
    /// The fees of what was sold.
    Fees,
}

/// Sums of the entries in a range.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Turnover {
    pub sold: Cents,
    pub refunded: Cents,
    pub charged_back: Cents,
    pub fees: Cents,
}

impl Turnover {
    /// Both together.
    pub fn plus(self, other: Self) -> Result<Self> {
        let sum = |one: Cents, other: Cents| one.plus(other).ok_or_else(overflow);
        Ok(Self {
            sold: sum(self.sold, other.sold)?,
            refunded: sum(self.refunded, other.refunded)?,
            charged_back: sum(self.charged_back, other.charged_back)?,
            fees: sum(self.fees, other.fees)?,
        })
    }

    /// What is left of what was sold.
    pub fn net(self) -> Result<Cents> {
        let left = self.sold.minus(self.refunded).and_then(|left| left.minus(self.charged_back));
        left.and_then(|left| left.minus(self.fees)).ok_or_else(overflow)
    }
}

/// The sequence of the next entry.
pub async fn next_entry(tx: &Tx, scope: Scope) -> Result<i64> {
    let outside = AccountKind::Outside.of(scope);
    Ok(balance(tx, scope.mode.book(), &outside).await?.sequence.saturating_add(1))
}

/// When an entry was posted, by the scope's clock.
pub async fn entered_at(tx: &Tx, scope: Scope, sequence: i64) -> Result<Option<Timestamp>> {
    let outside = AccountKind::Outside.of(scope);
    Ok(posted_at(tx, scope.mode.book(), &outside, sequence).await?)
}

/// The first entry of a range that was posted at an instant or later, or the range's end.
pub async fn first_entry_at(
    tx: &Tx,
    scope: Scope,
    within: Range<i64>,
    at: Timestamp,
) -> Result<i64> {
    Ok(first_at(tx, scope.mode.book(), &AccountKind::Outside.of(scope), within, at).await?)
}

/// The last entry of a range with which a development reset emptied the accounts, if there is one.
pub async fn last_reset(tx: &Tx, scope: Scope, within: Range<i64>) -> Result<Option<i64>> {
    let (book, outside) = (scope.mode.book(), AccountKind::Outside.of(scope));
    let mut last = None;
    for side in [Side::Debit, Side::Credit] {
        let of_side = (&outside, side);
        let cleared = MovementKind::DevelopmentCleared.name();
        let found = entries(tx, book, of_side, within.clone(), cleared, 1).await?;
        last = last.max(found.first().map(|entry| entry.sequence));
    }
    Ok(last)
}

/// Sums the entries of a range.
pub async fn turnover(tx: &Tx, scope: Scope, within: Range<i64>) -> Result<Turnover> {
    if within.is_empty() {
        return Ok(Turnover::default());
    }
    let (book, outside) = (scope.mode.book(), AccountKind::Outside.of(scope));
    let fees = AccountKind::FeeRevenue.of(scope);
    let sums = by_kind(tx, book, &outside, within.clone()).await?;
    let credited = |kind| sums.get(kind).copied().unwrap_or(Cents::ZERO);
    Ok(Turnover {
        sold: Cents::ZERO.minus(credited(CAPTURED)).ok_or_else(overflow)?,
        refunded: credited(REFUNDED),
        charged_back: credited(CHARGED_BACK),
        fees: credited_with(tx, book, (&outside, within), CAPTURED, &fees).await?,
    })
}

/// Lists the entries of a range that a sum counts, the last ones first, at most `limit`.
pub async fn flow(
    tx: &Tx,
    scope: Scope,
    flow: Flow,
    within: Range<i64>,
    limit: i64,
) -> Result<Vec<Entry>> {
    let (book, outside) = (scope.mode.book(), AccountKind::Outside.of(scope));
    let fees = AccountKind::FeeRevenue.of(scope);
    let (side, kind) = match flow {
        Flow::Sold => (Side::Debit, CAPTURED),
        Flow::Refunded => (Side::Credit, REFUNDED),
        Flow::ChargedBack => (Side::Credit, CHARGED_BACK),
        Flow::Fees => {
            let sold = (&outside, within);
            return Ok(entries_with(tx, book, sold, CAPTURED, &fees, limit).await?);
        }
    };
    Ok(entries(tx, book, (&outside, side), within, kind, limit).await?)
}

fn overflow() -> Error {
    Error::Internal(anyhow::anyhow!("the books overflow"))
}
