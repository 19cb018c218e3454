//! When a refund or a dispute takes what was pledged: another receivable takes its place, or the
//! merchant pays it back.
//!
//! The next receivable is pledged for nothing, and what was charged for the one that is gone stays
//! charged: the money was out for as long.

use db::tx::Tx;
use ledger::cents::Cents;
use uuid::Uuid;

use crate::advances::slices::Slice;
use crate::advances::status::Status;
use crate::advances::{Advance, announce, missing, store, with_slices};
use crate::books;
use crate::books::movements::Movement;
use crate::events::names::Name;
use crate::platform::error::{Error, Result};
use crate::platform::ids::{AdvanceId, Scope};
use crate::receivables::pledges;
use crate::receivables::taking::Broken;

/// What no receivable covers; it is booked once the accounts' turn has come.
#[derive(Debug)]
#[must_use]
pub struct Debt {
    advance: Advance,
    amount: Cents,
}

/// Finds other receivables for pledges that lost cents; answers what none was found for.
pub async fn cover(tx: &Tx, scope: Scope, broken: &[Broken]) -> Result<Option<Debt>> {
    // A merchant has one open advance, so all of them are its.
    let Some(advance) = broken.first().map(|pledge| pledge.to) else { return Ok(None) };
    let mut uncovered = Cents::ZERO;
    for pledge in broken {
        store::shrink_slice(tx, scope, pledge).await?;
        uncovered = uncovered.plus(pledge.amount).ok_or_else(overflow)?;
    }
    for part in pledges::free(tx, scope).await? {
        if uncovered.is_zero() {
            break;
        }
        let slice = Slice::of(&part, uncovered.min(part.free()), scope.now(tx));
        pledges::make(tx, scope, advance, &part, slice.amount).await?;
        store::add_slice(tx, scope, advance, &slice).await?;
        uncovered = uncovered.minus(slice.amount).ok_or_else(overflow)?;
    }
    owe(tx, scope, advance, uncovered).await
}

/// Has the merchant pay back what no receivable covers, even if he then owes it. `by` is the refund
/// or the dispute that it is because of.
pub async fn debit(tx: &Tx, scope: Scope, debt: Option<Debt>, by: Uuid) -> Result<()> {
    let Some(Debt { advance, amount }) = debt else { return Ok(()) };
    books::record(tx, Movement::AdvanceDebited { by, scope, amount }).await?;
    tell_if_settled(tx, scope, advance).await
}

/// Tells that an advance is settled, if it is.
pub async fn tell_if_settled(tx: &Tx, scope: Scope, advance: Advance) -> Result<()> {
    if advance.status != Status::Settled {
        return Ok(());
    }
    let settled = with_slices(tx, scope.mode, advance).await?;
    announce(tx, scope, Name::AdvanceSettled, &settled).await
}

async fn owe(tx: &Tx, scope: Scope, id: AdvanceId, amount: Cents) -> Result<Option<Debt>> {
    if amount.is_zero() {
        return Ok(None);
    }
    let advance = store::bring_back(tx, scope, id, amount, amount).await?.ok_or_else(missing)?;
    Ok(Some(Debt { advance, amount }))
}

fn overflow() -> Error {
    Error::Internal(anyhow::anyhow!("the pledges of an advance overflow"))
}
