//! The job that follows the closing of an account.

use std::time::Duration;

use db::database::in_background;
use db::time::Timestamp;
use db::tx::Tx;
use queue::job::{Claimed, Job, finish, reschedule_with};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::account_closure::blank;
use crate::app::App;
use crate::development;
use crate::erasure;
use crate::events;
use crate::figures;
use crate::housekeeping::BATCH;
use crate::idempotency;
use crate::jobs::RunJob;
use crate::mail;
use crate::merchants;
use crate::platform::error::Result;
use crate::platform::ids::{ClientId, MerchantId, Mode, Scope};
use crate::platform::lanes::ERASURES;
use crate::requests;
use crate::store::remaining;
use crate::transactions::erasing;
use crate::transactions::terms::PaymentTerms;
use crate::webhooks::deliveries;
use crate::withdrawals::payout_keys;

/// When all steps run again, for rows of requests that were in progress at the closure.
const AGAIN: Duration = Duration::from_hours(24);
/// When data that waits for the end of its retention period is checked again; a setting may shorten
/// that period.
const LATER: Duration = Duration::from_hours(90 * 24);
/// Sorts before every client.
const FIRST: ClientId = ClientId(Uuid::nil());
/// How many buyers one unit erases.
const BUYERS: i64 = 20;

/// An account was closed; its data is deleted or erased, one step at a time.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CloseAccount {
    pub merchant: MerchantId,
    /// When it was closed.
    pub since: Timestamp,
    pub step: Step,
}

/// The next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
    /// Development data, as the reset deletes it.
    Development,
    /// Events, stored responses, payout keys and figures, which can no longer be requested.
    #[serde(rename = "Told")]
    History,
    /// The buyers' personal data, from the client after `after` on.
    Buyers { after: ClientId },
    /// The seller's personal data.
    Seller,
}

impl Job for CloseAccount {
    const KIND: &'static str = "close_account";
    const LANE: &'static str = ERASURES;
}

impl RunJob for CloseAccount {
    /// Does one step, and puts the job back for the next.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let left = self;
        if left.step == Step::Seller {
            return erase_seller(app, job, left).await;
        }
        let terms = PaymentTerms::of(app);
        let unit = app.transact(async move |tx| {
            let real = merchants::scope(tx, left.merchant, Mode::Production).await?;
            let (done, next) = match left.step {
                Step::Development => {
                    let simulated = merchants::scope(tx, left.merchant, Mode::Development).await?;
                    (development::step(tx, simulated, BATCH).await?, Step::History)
                }
                Step::History => (purge_history(tx, real).await?, Step::Buyers { after: FIRST }),
                Step::Buyers { after } => {
                    let last = erasure::erase_some_clients(tx, real, &terms, after, BUYERS).await?;
                    (true, last.map_or(Step::Seller, |after| Step::Buyers { after }))
                }
                Step::Seller => (true, Step::Seller),
            };
            let step = if done { next } else { left.step };
            reschedule_with(tx, &job, tx.now(), &CloseAccount { step, ..left }).await?;
            Ok(())
        });
        in_background(unit).await
    }
}

/// Deletes events, stored responses, payout keys and figures; true once none is left.
async fn purge_history(tx: &Tx, scope: Scope) -> Result<bool> {
    let mut left = BATCH;
    left = remaining(left, deliveries::delete_before(tx, scope, Uuid::max(), left).await?);
    left = remaining(left, requests::clear(tx, scope, left).await?);
    left = remaining(left, mail::clear(tx, scope, left).await?);
    left = remaining(left, events::delete_before(tx, scope, Uuid::max(), left).await?);
    left = remaining(left, idempotency::clear(tx, scope, left).await?);
    payout_keys::delete_all(tx, scope.merchant).await?;
    figures::forget_start(tx, scope.merchant).await?;
    for mode in [Mode::Development, Mode::Production] {
        left = remaining(left, figures::clear(tx, Scope { mode, ..scope }, left).await?);
    }
    Ok(left > 0)
}

/// Erases the seller once no receipt has to name them; until then everything is checked again.
async fn erase_seller(app: &App, job: Claimed, left: CloseAccount) -> Result<()> {
    let scope = Scope { merchant: left.merchant, mode: Mode::Production, ahead: Duration::ZERO };
    let newest =
        app.scan_for(left.merchant, async move |tx| erasing::last_paid_at(tx, scope).await);
    let ends = newest.await?.map(|at| PaymentTerms::of(app).retained_until(at));
    let unit = app.transact(async move |tx| {
        let now = tx.now();
        let term = ends.filter(|at| *at > now);
        if term.is_none() {
            blank(tx, scope).await?;
        }
        let soon = Some(left.since.plus(AGAIN)).filter(|at| *at > now);
        let Some(at) = soon.or(term.map(|at| at.min(now.plus(LATER)))) else {
            finish(tx, &job).await?;
            return Ok(());
        };
        reschedule_with(tx, &job, at, &CloseAccount { step: Step::Development, ..left }).await?;
        Ok(())
    });
    in_background(unit).await
}
