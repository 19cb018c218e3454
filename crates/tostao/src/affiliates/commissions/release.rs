//! Releases a commission: its money becomes available to the affiliate.
//!
//! A merchant in debt to the platform pays no commission, and an affiliate who owes the merchant
//! for a clawback repays that first. Commissions that wait for a merchant are retried once a day,
//! all together.

use brazil::calendar::{sao_paulo_date, sao_paulo_start_of_day};
use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;
use uuid::Uuid;

use crate::affiliates::commissions::jobs::{Release, ReleaseWaiting};
use crate::affiliates::commissions::{Commission, HeldReason, Status, publish_change, store};
use crate::affiliates::links;
use crate::books;
use crate::books::chart::AccountKind;
use crate::books::movements::Movement;
use crate::events::names::Name;
use crate::merchants;
use crate::platform::error::{Result, overflow};
use crate::platform::ids::{CommissionId, Scope};

/// The reason of the merchant's balance change in `balance.updated`.
const REPAID: &str = "commission.repaid";
const ADDED: &str = "commission.funded";

/// Schedules the release of a commission on its due date.
pub async fn push(tx: &Tx, scope: Scope, commission: &Commission) -> Result<()> {
    let at = commission.available_at.max(scope.now(tx));
    let job = Release { merchant: scope.merchant, mode: scope.mode, id: commission.id };
    Ok(queue::job::push(tx, commission.id.0, scope.due(at), &job).await?)
}

/// Releases a commission to its affiliate, if it is due, nothing of it is held, and the merchant
/// owes nothing; while the merchant owes, it waits with all their others.
pub async fn release(tx: &Tx, scope: Scope, id: CommissionId) -> Result<()> {
    let Some(due) = store::find_due(tx, scope, id).await? else { return Ok(()) };
    let available = books::held(tx, scope, AccountKind::Available).await?;
    if available < due.unfunded {
        return wait(tx, scope, &due).await;
    }
    let (amount, added) = (due.amount, due.unfunded);
    let repaid = repay(tx, scope, &due).await?;
    let now = scope.now(tx);
    let released = Commission {
        version: due.version + 1,
        status: Status::Paid,
        unfunded: Cents::ZERO,
        held_reason: None,
        repaid,
        paid_at: Some(now),
        updated_at: now,
        ..due.clone()
    };
    write(tx, scope, &due, &released).await?;
    let less = Cents::ZERO.minus(amount).unwrap_or(Cents::ZERO);
    links::count(tx, scope, released.link, 0, less, amount).await?;
    let affiliate = merchants::scope(tx, released.affiliate, scope.mode).await?;
    let movement = Movement::commission_released(id, scope, affiliate, amount, added, repaid);
    books::record_as_seen(tx, movement).await?;
    if !repaid.is_zero() {
        books::emit_balance_updated(tx, scope, REPAID).await?;
    } else if !added.is_zero() {
        books::emit_balance_updated(tx, scope, ADDED).await?;
    }
    publish_change(tx, scope, affiliate, Name::CommissionPaid, &released).await
}

/// Uses a commission to repay the affiliate's debt to the merchant, the oldest first; returns how
/// much.
async fn repay(tx: &Tx, scope: Scope, due: &Commission) -> Result<Cents> {
    let mut left = due.amount;
    for debt in store::list_owed(tx, scope, due.affiliate).await? {
        let part = debt.owed.min(left);
        if part.is_zero() {
            break;
        }
        if !store::repay(tx, scope, &debt, part).await? {
            return Err(tx.collision("a clawback was repaid by another commission").into());
        }
        left = left.minus(part).ok_or_else(overflow)?;
    }
    due.amount.minus(left).ok_or_else(overflow)
}

/// Lists commissions that wait for a merchant and that the merchant can pay now, oldest first.
pub async fn payable(tx: &Tx, scope: Scope) -> Result<Vec<CommissionId>> {
    let available = books::held(tx, scope, AccountKind::Available).await?;
    if available < Cents::ZERO {
        Ok(Vec::new())
    } else {
        store::waiting(tx, scope, available).await
    }
}

/// Schedules a retry for the next day, if anything still waits for the merchant.
pub async fn retry_tomorrow(tx: &Tx, scope: Scope) -> Result<()> {
    if !store::any_waiting(tx, scope).await? {
        return Ok(());
    }
    push_for_tomorrow(tx, scope).await
}

/// Records that a commission waits for its merchant.
async fn wait(tx: &Tx, scope: Scope, due: &Commission) -> Result<()> {
    if due.held_reason.is_none() {
        let waits = Commission {
            version: due.version + 1,
            held_reason: Some(HeldReason::SellerDebt),
            updated_at: scope.now(tx),
            ..due.clone()
        };
        write(tx, scope, due, &waits).await?;
    }
    push_for_tomorrow(tx, scope).await
}

/// The job of one day is pushed once, however often it is requested. Both modes of a merchant may
/// have the same due time, so the job's id distinguishes them.
async fn push_for_tomorrow(tx: &Tx, scope: Scope) -> Result<()> {
    let today = sao_paulo_date(scope.now(tx).micros());
    let tomorrow = today.tomorrow().unwrap_or(today);
    let at = Timestamp::from_micros(sao_paulo_start_of_day(tomorrow));
    let Scope { merchant, mode, .. } = scope;
    let id = Uuid::from_u128(merchant.0.as_u128() ^ u128::from(mode.is_development()));
    Ok(queue::job::push(tx, id, scope.due(at), &ReleaseWaiting { merchant, mode }).await?)
}

async fn write(tx: &Tx, scope: Scope, before: &Commission, after: &Commission) -> Result<()> {
    if store::progress(tx, scope, before, after).await? {
        return Ok(());
    }
    Err(tx.collision("the commission changed while it was being released").into())
}
