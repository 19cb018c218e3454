//! Erasing clients: removes their personal data from everything that names them.
//!
//! ```text
//! DELETE ──▶ one unit: the client, their carts, receipts and subscriptions, what they never paid
//!               └──▶ a job: stored responses, events that no receiver waits for any more,
//!                           open payments once they have ended, and paid ones after the term
//! ```
//!
//! Payments that brought money, which the law requires a merchant to keep, are erased when their
//! retention period ends. The job checks again until nothing is left, so it also finds a payment
//! that was being written when its client was deleted.

use db::time::Timestamp;
use db::tx::Tx;

use crate::billing::actions;
use crate::carts;
use crate::clients;
use crate::erasure::jobs::{Erase, Step};
use crate::people::saved_views;
use crate::platform::error::Result;
use crate::platform::ids::{ClientId, Scope, SubscriptionId};
use crate::subscriptions;
use crate::subscriptions::lifecycle::Cancellation;
use crate::subscriptions::status::Status;
use crate::transactions::close::replace;
use crate::transactions::erasing;
use crate::transactions::terms::PaymentTerms;
use crate::transactions::{self, status};

pub mod api;
mod blank;
pub mod jobs;

/// How many payments one unit erases.
const BATCH: i64 = 200;
/// The reason of a subscription that ended because its client was deleted.
const DELETED: &str = "client_deleted";

/// What remains of a deleted client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Erased {
    /// Until when the payments that brought money keep their payer; `None` if there are none.
    pub retained_until: Option<Timestamp>,
}

/// Deletes a client, and erases what may be erased now; a job does the rest.
pub async fn erase_client(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    id: ClientId,
) -> Result<Erased> {
    let customer = clients::delete(tx, scope, id).await?;
    let carts = carts::erase_of(tx, scope, &customer.email).await?;
    saved_views::delete_naming(tx, scope, id, &customer.email).await?;
    erasing::forget_receipts(tx, scope, id).await?;
    blank(tx, scope, terms, id).await?;
    let kept = erasing::personal_data(tx, scope, id).await?;
    let (merchant, mode, since) = (scope.merchant, scope.mode, scope.now(tx));
    let job = Erase { merchant, mode, client: id, carts, since, step: Step::Payments };
    queue::job::push(tx, id.0, scope.due(since), &job).await?;
    Ok(Erased { retained_until: kept.newest.map(|at| terms.retained_until(at)) })
}

/// Deletes at most a batch of clients of a scope, and then the personal data in carts of people who
/// are not clients; returns the client after which to continue. Once there is none and the jobs
/// have run, no personal data of buyers is left.
pub async fn erase_some_clients(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    after: ClientId,
    most: i64,
) -> Result<Option<ClientId>> {
    let some = clients::some(tx, scope, after, most).await?;
    for id in &some {
        erase_client(tx, scope, terms, *id).await?;
    }
    if let Some(last) = some.last() {
        return Ok(Some(*last));
    }
    let erased = carts::erase_some(tx, scope, most).await?;
    Ok(Some(after).filter(|_| erased > 0))
}

/// Ends what still runs for a deleted client, and erases what need not be kept; returns how many
/// payments.
async fn blank(tx: &Tx, scope: Scope, terms: &PaymentTerms, id: ClientId) -> Result<u64> {
    for subscription in subscriptions::running(tx, scope, id).await? {
        end(tx, scope, terms, subscription).await?;
    }
    subscriptions::blank(tx, scope, id).await?;
    erasing::erase(tx, scope, id, terms.retained_since(scope.now(tx)), BATCH).await
}

/// Ends a subscription whose client was deleted: an erased client must not be charged.
///
/// A charge that an acquirer is processing is finished first, and the subscription is checked
/// again.
async fn end(tx: &Tx, scope: Scope, terms: &PaymentTerms, id: SubscriptionId) -> Result<()> {
    let subscription = subscriptions::find(tx, scope, id).await?;
    if subscription.status != Status::Incomplete {
        let reason = Some(DELETED.to_owned());
        let how = Cancellation { reason, ..Cancellation::default() };
        actions::cancel(tx, scope, terms, id, &how).await?;
        return Ok(());
    }
    let Some(charge) = subscription.charge else { return Ok(()) };
    let awaited = transactions::find(tx, scope, charge.transaction).await?;
    if awaited.status == status::Status::Pending {
        replace(tx, scope, terms, awaited.id).await?;
    }
    Ok(())
}
