//! The job that makes one attempt of one delivery.

use bytes::Bytes;
use db::tx::Tx;
use outbound::target::Target;
use queue::job::{Claimed, Job, again, is_still_claimed};
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::jobs::{RunJob, end};
use crate::platform::endpoint_limit::Busy;
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::ids::{EventId, MerchantId, Mode, WebhookId};
use crate::platform::lanes::WEBHOOKS;
use crate::platform::telemetry;
use crate::webhooks::deliveries::{self, PendingDelivery};
use crate::webhooks::envelope::{self, SignatureInput};
use crate::webhooks::outcome::AttemptOutcome;
use crate::webhooks::secret::Secret;

/// A delivery is due.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Deliver {
    pub merchant: MerchantId,
    pub mode: Mode,
    pub webhook: WebhookId,
    pub event: EventId,
    /// The series of attempts; a job of an earlier series does nothing.
    pub series: i64,
}

impl Job for Deliver {
    const KIND: &'static str = "deliver_webhook";
    const LANE: &'static str = WEBHOOKS;
}

impl RunJob for Deliver {
    /// Makes one attempt, and records its result.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let due = self;
        let permit = match app.endpoints.acquire(due.webhook).await {
            Ok(permit) => permit,
            Err(busy) => return put_back(app, job, busy).await,
        };
        let loaded = app.lookup(async move |tx| deliveries::load(tx, &due).await).await?;
        let Some(pending) = loaded else { return end(app, job).await };
        if !pending.active {
            let unit = async move |tx: &Tx| deliveries::abandon(tx, &job, &pending).await;
            return app.transact(unit).await;
        }
        if let Some(before) = pending.after {
            drop(permit);
            let unit =
                async move |tx: &Tx| deliveries::requeue_after(tx, &job, &pending, before).await;
            return app.transact(unit).await;
        }
        let outcome = attempt(app, &pending).await?;
        permit.took(outcome.took);
        drop(permit);
        telemetry::webhook_delivered(outcome.verdict().name(), outcome.took.as_secs_f64());
        let (merchant, own) = (pending.scope.merchant, job.clone());
        let unit = async move |tx: &Tx| deliveries::record(tx, &own, &pending, &outcome).await;
        let recorded = app.transact_for(merchant, unit).await;
        if let Err(Error::Refused(ErrorCode::ConcurrentUpdate, _)) = &recorded {
            let is_kept = async move |tx: &Tx| Ok(is_still_claimed(tx, &job).await?);
            // Another worker has the job since, and records its own attempt; or it was deleted.
            if !app.lookup(is_kept).await? {
                return Ok(());
            }
        }
        recorded
    }
}

/// Puts a job back without an attempt.
async fn put_back(app: &App, job: Claimed, busy: Busy) -> Result<()> {
    app.transact_one(async move |tx| {
        again(tx, &job, tx.now().plus(busy.wait(job.attempt))).await?;
        Ok(())
    })
    .await
}

async fn attempt(app: &App, pending: &PendingDelivery) -> Result<AttemptOutcome> {
    let open = |sealed: &Vec<u8>| Secret::open(&app.secrets, pending.webhook, sealed);
    let url = pending.url.open(&app.secrets, pending.webhook);
    let Some((url, secret)) = url.zip(open(&pending.secret)) else {
        return Ok(AttemptOutcome::unreadable());
    };
    let target = match Target::parse(&url, app.settings.webhook_policy()) {
        Ok(target) => target.owned_by(pending.scope.merchant.0.as_u128()),
        Err(refused) => return Ok(AttemptOutcome::refused(refused)),
    };
    let began = app.now();
    let previous = pending.previous_secret.as_ref().and_then(open);
    let body = envelope::body(pending.scope.mode, &pending.event_record, &pending.event_name);
    let input = SignatureInput {
        event_name: &pending.event_name,
        attempt: pending.attempts + 1,
        sent_at: began,
        secret: &secret,
        previous: previous.as_ref(),
    };
    let headers = envelope::headers(&pending.event_record, &input, &body);
    let headers = (&headers).try_into().map_err(|e| Error::Internal(anyhow::Error::new(e)))?;
    let called = app.webhooks.post(&target, headers, Bytes::from(body)).await;
    Ok(AttemptOutcome::of(called, app.now().since(began)))
}
