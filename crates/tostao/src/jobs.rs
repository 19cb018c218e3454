//! Running a job, of any feature, and the lanes that jobs are in.

use std::future::Future;
use std::time::Duration;

use db::time::Timestamp;
use db::tx::Tx;
use queue::job::{Claimed, Job, again, backoff, fail, finish};

use crate::app::App;
use crate::merchants;
use crate::platform::error::Result;
use crate::platform::ids::{MerchantId, Mode, Scope};
use crate::platform::lanes::{self, Lane, MAILS};

/// A job that the workers run; `worker` lists all of them.
pub trait RunJob: Job {
    /// The types of objects, as `NotFound` names them, without which the job is done.
    const ABOUT: &'static [&'static str] = &[];

    /// Runs it, and finishes the claimed job or puts it back.
    fn run(self, app: &App, job: Claimed) -> impl Future<Output = Result<()>> + Send;
}

/// Runs a job in its scope, and ends the job in the same unit.
pub async fn carry_out(
    app: &App,
    job: Claimed,
    merchant: MerchantId,
    mode: Mode,
    unit: impl AsyncFn(&Tx, Scope) -> Result<()> + Send + 'static,
) -> Result<()> {
    app.transact(async move |tx| {
        let scope = merchants::scope(tx, merchant, mode).await?;
        unit(tx, scope).await?;
        finish(tx, &job).await?;
        Ok(())
    })
    .await
}

/// What a try of a job came to that asks a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Try {
    /// Nothing is left to do.
    Done,
    /// The provider answered that there is nothing to do yet.
    NotYet,
    /// The provider did not answer.
    Failed,
}

/// Ends a job that is done; runs any other one again after its backoff.
pub async fn end_or_retry(app: &App, job: Claimed, tried: Try) -> Result<()> {
    match tried {
        Try::Done => end(app, job).await,
        Try::NotYet => put_off(app, job).await,
        Try::Failed => retry(app, job, Duration::ZERO).await,
    }
}

/// When a job is tried again: after its backoff, and not before a provider wants to be called.
pub fn next_try(app: &App, job: &Claimed, wait: Duration) -> Timestamp {
    app.now().plus(backoff(job.attempt).max(wait))
}

/// Runs a job again after its backoff that has nothing to do yet.
pub async fn put_off(app: &App, job: Claimed) -> Result<()> {
    let due = next_try(app, &job, Duration::ZERO);
    app.transact_one(async move |tx| Ok(again(tx, &job, due).await.map(drop)?)).await
}

/// Runs a job again whose provider failed, after its backoff, and not before the provider wants to
/// be called again.
pub async fn retry(app: &App, job: Claimed, wait: Duration) -> Result<()> {
    let due = next_try(app, &job, wait);
    log_failed(&job);
    app.transact_one(async move |tx| Ok(fail(tx, &job, due).await.map(drop)?)).await
}

/// Logs which job a provider failed, after the line that has its error.
pub fn log_failed(job: &Claimed) {
    let Claimed { kind, id, attempt, .. } = job;
    tracing::warn!(kind, %id, attempt, "job failed at its provider");
}

/// Ends a job that has nothing left to do.
pub async fn end(app: &App, job: Claimed) -> Result<()> {
    app.transact_one(async move |tx| Ok(finish(tx, &job).await.map(drop)?)).await
}

/// Every lane that this server serves, also those of the connections that are stored now; webhooks
/// last, because the others emit them.
pub fn lanes(app: &App) -> Vec<Lane> {
    let mut all = shared_lanes(app);
    let webhooks = all.pop();
    let registry = app.providers.registry();
    all.extend(registry.names().flat_map(lanes::of));
    all.extend(webhooks);
    all
}

/// The lanes that are of no connection. Mails wait for a server that can send them.
pub fn shared_lanes(app: &App) -> Vec<Lane> {
    let mut shared = Vec::from(lanes::shared(app.database.dialect()));
    shared.retain(|lane| lane.name != MAILS || app.mail.is_some());
    shared
}
