//! The development environment: its clock, and its reset, which deletes everything that was tried.
//!
//! The set-up stays: API keys and webhook subscriptions. The reset runs in small units, so that it
//! does not block other requests. Each unit deletes jobs first, so a job outlives its object by at
//! most one run, and the last one also empties the ledger and resets the clock. An interrupted
//! reset can be requested again.

use db::tx::Tx;
use ledger::cents::Cents;
use queue::job::{Job, due_kinds};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::affiliates::commissions;
use crate::idempotency;
use crate::merchants::clock::{self, ClockAdvance};
use crate::platform::error::Result;
use crate::platform::ids::{Mode, Scope};
use crate::platform::permissions::{Permission, RequiredPermissions};
use crate::receivables::jobs::Settle;
use crate::store::remaining;
use crate::subscriptions::jobs::RunDueAction;
use crate::transactions::jobs::Expire;
use crate::webhooks::deliveries;
use crate::webhooks::jobs::Deliver;
use crate::{books, events, figures, mail, merchants, requests, webhooks};

pub mod api;
pub mod clock_api;

mod store;

/// Requires every permission to write what the reset deletes.
#[derive(Debug, Clone, Copy)]
pub struct ResetPermissions;

impl RequiredPermissions for ResetPermissions {
    const PERMISSIONS: &'static [Permission] = &[
        Permission::TransactionsWrite,
        Permission::PaymentLinksWrite,
        Permission::ProductsWrite,
        Permission::CustomersWrite,
        Permission::CouponsWrite,
        Permission::WithdrawalsWrite,
        Permission::AdvancesWrite,
        Permission::WebhooksWrite,
        Permission::ReferralsWrite,
        Permission::SubscriptionsWrite,
        Permission::AffiliatesWrite,
    ];
}

/// Advances the clock, for the jobs that wait and for those who know when they are due.
pub async fn advance_clock(tx: &Tx, scope: Scope, step: ClockAdvance) -> Result<Scope> {
    let (scope, by) = clock::advance(tx, scope, step).await?;
    deliveries::advance_waiters(tx, scope, by).await?;
    Ok(scope)
}

/// Work of one kind that is due.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DueWork")]
pub struct DueWork {
    /// The kind of the jobs, such as `expire_transaction`, `wake_subscription` (a renewal, a retry
    /// or an end) and `settle_receivable`.
    pub kind: String,
    /// How many jobs, or deliveries to webhooks.
    pub count: i64,
    /// The sum in cents of the payments that would expire, of the subscriptions that would be
    /// charged, or of the receivables that would be settled; null for other kinds.
    pub amount_cents: Option<Cents>,
}

/// The merchant's own work that is due at the clock's present time; not what follows from it.
pub async fn due_work(tx: &Tx, scope: Scope) -> Result<Vec<DueWork>> {
    let mut due = Vec::new();
    for (kind, jobs) in due_kinds(tx, scope.merchant.0).await? {
        // The retry of a delivery that was resent meanwhile does nothing.
        let count = if kind == Deliver::KIND { deliveries::due(tx, scope).await? } else { jobs };
        if count == 0 {
            continue;
        }
        let amount_cents = match kind.as_str() {
            Expire::KIND => Some(store::expired_amount(tx, scope).await?),
            RunDueAction::KIND => Some(store::billed_amount(tx, scope).await?),
            Settle::KIND => Some(store::settled_amount(tx, scope).await?),
            _ => None,
        };
        due.push(DueWork { kind, count, amount_cents });
    }
    Ok(due)
}

/// Deletes at most `most` rows; true once nothing is left.
///
/// The last step locks the ledger accounts and deletes again: what another unit has posted until
/// then is deleted with the rest, and what is posted later finds an empty ledger.
pub async fn step(tx: &Tx, scope: Scope, most: i64) -> Result<bool> {
    // Another unit may have advanced the clock meanwhile.
    let scope = merchants::scope(tx, scope.merchant, Mode::Development).await?;
    let mut left = delete(tx, scope, most).await?;
    if left > 0 {
        books::lock(tx, scope).await?;
        left = delete(tx, scope, left).await?;
    }
    if left <= 0 {
        merchants::begin_clearing(tx, scope.merchant).await?;
        return Ok(false);
    }
    webhooks::start_over(tx, scope).await?;
    books::clear(tx, scope).await?;
    figures::start_over(tx, scope).await?;
    merchants::end_clearing(tx, scope.merchant).await?;
    clock::put_back(tx, scope.merchant).await?;
    Ok(true)
}

/// Deletes at most `most` rows; returns how many more it could have deleted.
async fn delete(tx: &Tx, scope: Scope, most: i64) -> Result<i64> {
    let mut left = most;
    left = remaining(left, queue::job::delete_of(tx, scope.merchant.0, left).await?);
    left = remaining(left, deliveries::delete_before(tx, scope, Uuid::max(), left).await?);
    left = remaining(left, requests::clear(tx, scope, left).await?);
    left = remaining(left, mail::clear(tx, scope, left).await?);
    left = remaining(left, events::delete_before(tx, scope, Uuid::max(), left).await?);
    left = remaining(left, commissions::clear(tx, scope, left).await?);
    left = store::delete_all(tx, scope, left).await?;
    Ok(remaining(left, idempotency::clear(tx, scope, left).await?))
}
