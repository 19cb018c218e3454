//! Approves, rejects or cancels a requested advance, once.

use db::tx::Tx;

use crate::advances::status::Status;
use crate::advances::terms::AdvanceTerms;
use crate::advances::{Advance, AdvanceQuote, find, missing, offered, publish_change, store};
use crate::audit::decision::Decision;
use crate::audit::{self, Action, ActorContext, Entry};
use crate::books;
use crate::books::movements::Movement;
use crate::events::names::Name;
use crate::merchants;
use crate::platform::error::{Error, Result};
use crate::platform::ids::{AdvanceId, Mode, Scope};
use crate::receivables::pledges;

/// Pledges receivables and pays out their value less the fee.
///
/// Approvals of one merchant run one after the other, so that none misses what a concurrent one has
/// pledged. Rows are locked in the order of every unit: receivables, the advance, the accounts
/// last.
pub async fn approve(
    tx: &Tx,
    scope: Scope,
    by: &ActorContext,
    terms: AdvanceTerms,
    id: AdvanceId,
) -> Result<Advance> {
    let decided = Decision::about(scope.merchant, by, scope.now(tx))?;
    merchants::lock(tx, scope.merchant).await?;
    let before = find(tx, scope, id).await?;
    before.expect_to_become(Status::Approved)?;
    let parts = pledges::free(tx, scope).await?;
    let quote = offered(&parts, terms, before.amount, before.rate, scope.now(tx))?;
    let AdvanceQuote { fee, collateral, .. } = quote;
    for (part, pledged) in parts.iter().zip(&collateral) {
        pledges::make(tx, scope, id, part, pledged.amount).await?;
        store::add_collateral(tx, scope, id, pledged).await?;
    }
    let approved = store::approve(tx, scope, id, fee, decided.as_ref()).await?;
    let approved = Advance { collateral, ..approved.ok_or_else(|| decided_concurrently(tx))? };
    let amount = approved.amount;
    books::record(tx, Movement::advance_approved(id, scope, amount, fee)).await?;
    publish_change(tx, scope, Name::AdvanceApproved, &approved).await?;
    books::emit_balance_updated(tx, scope, Name::AdvanceApproved.text()).await?;
    audit::record(tx, by, entry(Action::AdvanceApproved, scope, id)).await?;
    Ok(approved)
}

/// Rejects a request.
pub async fn reject(
    tx: &Tx,
    scope: Scope,
    by: &ActorContext,
    id: AdvanceId,
    reason: Option<&str>,
) -> Result<Advance> {
    let decided = Decision::about(scope.merchant, by, scope.now(tx))?;
    find(tx, scope, id).await?.expect_to_become(Status::Rejected)?;
    let rejected = store::reject(tx, scope, id, reason, decided.as_ref()).await?;
    let rejected = rejected.ok_or_else(|| decided_concurrently(tx))?;
    publish_change(tx, scope, Name::AdvanceRejected, &rejected).await?;
    audit::record(tx, by, entry(Action::AdvanceRejected, scope, id)).await?;
    Ok(rejected)
}

/// Cancels a request before it is decided on; repeating it is not an error.
pub async fn cancel(tx: &Tx, scope: Scope, by: &ActorContext, id: AdvanceId) -> Result<Advance> {
    let before = find(tx, scope, id).await?;
    if before.status == Status::Cancelled {
        return Ok(before);
    }
    before.expect_to_become(Status::Cancelled)?;
    let cancelled = store::cancel(tx, scope, id).await?.ok_or_else(|| decided_concurrently(tx))?;
    publish_change(tx, scope, Name::AdvanceCancelled, &cancelled).await?;
    audit::record(tx, by, entry(Action::AdvanceCancelled, scope, id)).await?;
    Ok(cancelled)
}

/// The scope that owns an advance, for an administrator.
pub async fn scope_of(tx: &Tx, mode: Mode, id: AdvanceId) -> Result<Scope> {
    store::scope_of(tx, mode, id).await?.ok_or_else(missing)
}

/// An advance of any account in a mode, for an administrator.
pub async fn of_any_account(tx: &Tx, mode: Mode, id: AdvanceId) -> Result<Advance> {
    let scope = scope_of(tx, mode, id).await?;
    find(tx, scope, id).await
}

fn entry(action: Action, scope: Scope, id: AdvanceId) -> Entry {
    Entry::new(action, scope.merchant).in_mode(scope.mode).on(id.0)
}

fn decided_concurrently(tx: &Tx) -> Error {
    tx.collision("the advance was decided concurrently").into()
}

impl Advance {
    fn expect_to_become(&self, next: Status) -> Result<()> {
        if self.status.may_become(next) { Ok(()) } else { Err(Error::conflict(self.status, next)) }
    }
}
