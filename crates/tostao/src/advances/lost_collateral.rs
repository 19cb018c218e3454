//! Replaces collateral lost to a refund or a dispute, or debits the merchant for the shortfall.
//!
//! The next receivable is pledged without a fee, and the fee for the lost one is not returned: the
//! money was lent for the same time.

use db::tx::Tx;
use ledger::cents::Cents;
use uuid::Uuid;

use crate::advances::collateral::CollateralPart;
use crate::advances::status::Status;
use crate::advances::{Advance, missing, publish_change, store, with_collateral};
use crate::books;
use crate::books::movements::Movement;
use crate::events::names::Name;
use crate::platform::error::{Result, overflow};
use crate::platform::ids::{AdvanceId, Scope};
use crate::receivables::allocation::LostCollateral;
use crate::receivables::pledges;

/// The shortfall that no receivable covers; it is booked when the accounts are next in the lock
/// order.
#[derive(Debug)]
#[must_use]
pub struct Shortfall {
    advance: Advance,
    amount: Cents,
}

/// Finds other receivables for pledges that lost cents; returns the shortfall.
pub async fn replace_lost(
    tx: &Tx,
    scope: Scope,
    broken: &[LostCollateral],
) -> Result<Option<Shortfall>> {
    // A merchant has one open advance, so all of the pledges belong to it.
    let Some(advance) = broken.first().map(|pledge| pledge.to) else { return Ok(None) };
    let mut uncovered = Cents::ZERO;
    for pledge in broken {
        store::reduce_collateral(tx, scope, pledge).await?;
        uncovered = uncovered.plus(pledge.amount).ok_or_else(overflow)?;
    }
    for part in pledges::free(tx, scope).await? {
        if uncovered.is_zero() {
            break;
        }
        let pledged = CollateralPart::of(&part, uncovered.min(part.free()), scope.now(tx));
        pledges::make(tx, scope, advance, &part, pledged.amount).await?;
        store::add_collateral(tx, scope, advance, &pledged).await?;
        uncovered = uncovered.minus(pledged.amount).ok_or_else(overflow)?;
    }
    record_shortfall(tx, scope, advance, uncovered).await
}

/// Debits the merchant for the shortfall, even if their balance becomes negative. `by` is the
/// refund or the dispute that caused it.
pub async fn debit(tx: &Tx, scope: Scope, debt: Option<Shortfall>, by: Uuid) -> Result<()> {
    let Some(Shortfall { advance, amount }) = debt else { return Ok(()) };
    books::record(tx, Movement::advance_debited(by, scope, amount)).await?;
    publish_if_settled(tx, scope, advance).await
}

/// Emits an event if an advance is settled.
pub async fn publish_if_settled(tx: &Tx, scope: Scope, advance: Advance) -> Result<()> {
    if advance.status != Status::Settled {
        return Ok(());
    }
    let settled = with_collateral(tx, scope.mode, advance).await?;
    publish_change(tx, scope, Name::AdvanceSettled, &settled).await
}

async fn record_shortfall(
    tx: &Tx,
    scope: Scope,
    id: AdvanceId,
    amount: Cents,
) -> Result<Option<Shortfall>> {
    if amount.is_zero() {
        return Ok(None);
    }
    let advance =
        store::record_repayment(tx, scope, id, amount, amount).await?.ok_or_else(missing)?;
    Ok(Some(Shortfall { advance, amount }))
}
