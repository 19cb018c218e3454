//! The workers: every job that they run, and the concurrency of each lane.

use std::future::Future;

use db::database::Dialect;
use queue::job::{Claimed, Job};
use queue::worker::{Handler, run_due as run_lane, run_due_by, serve};

use crate::affiliates::commissions;
use crate::app::App;
use crate::housekeeping;
use crate::jobs::{RunJob, end};
use crate::platform::error::{Error, Result};
use crate::platform::ids::MerchantId;
use crate::platform::lanes::{CONNECTIONS, ERASURES, PAYOUTS, WEBHOOKS, WORK};
use crate::providers::sandbox_payouts;
use crate::transactions::{refunds, returns};
use crate::{
    account_closure, carts, connections, coupons, erasure, payment_links, receivables, referrals,
    subscriptions, transactions, webhooks, withdrawals,
};

/// SQLite commits waiting units together, so more concurrent jobs make each one cheaper.
const WORK_AT_ONCE: usize = 32;
/// Each job takes a connection that a request might need.
const WORK_AT_ONCE_ON_POSTGRES: usize = 16;
const PAYOUTS_AT_ONCE: usize = 8;
/// Fewer than the calls that one connection may have in flight: where its bank does not answer what
/// notices ask, buyers and payouts still have their turn.
const CONNECTIONS_AT_ONCE: usize = 24;
const WEBHOOKS_AT_ONCE: usize = 256;
const ERASURES_AT_ONCE: usize = 2;

/// Runs a claimed job by its kind.
#[derive(Clone)]
pub struct JobRunner(pub App);

impl Handler for JobRunner {
    async fn run(&self, job: Claimed) -> Result<(), String> {
        let Self(app) = self;
        let done = match run(app, job.clone()).await {
            // Its object is gone, so there is nothing to do; anything else that is missing is an
            // error, and the job stays.
            Err(Error::NotFound(what)) if about(&job.kind).contains(&what) => {
                tracing::info!(what, kind = job.kind, id = %job.id, "a job had nothing to do");
                end(app, job).await
            }
            done => done,
        };
        done.map_err(|error| error.to_string())
    }
}

/// Finds a job's type by its kind.
macro_rules! kinds {
    ($($job:ty),* $(,)?) => {
        async fn run(app: &App, job: Claimed) -> Result<()> {
            match job.kind.as_str() {
                $(<$job>::KIND => job.read::<$job>()?.run(app, job).await,)*
                other => Err(anyhow::anyhow!("unknown job kind {other}").into()),
            }
        }

        fn about(kind: &str) -> &'static [&'static str] {
            match kind {
                $(<$job>::KIND => <$job>::ABOUT,)*
                _ => &[],
            }
        }
    };
}

kinds! {
    connections::jobs::LookInto,
    connections::jobs::ReadWindow,
    connections::jobs::KeepRegistered,
    transactions::jobs::Expire,
    transactions::jobs::CloseAtBank,
    transactions::jobs::ResolveCharge,
    transactions::jobs::DeliverSandboxConfirmation,
    refunds::jobs::SendRefund,
    returns::jobs::SendReturn,
    receivables::jobs::Settle,
    withdrawals::jobs::SendPayout,
    sandbox_payouts::DeliverSandboxPayoutCallback,
    commissions::jobs::Release,
    commissions::jobs::ReleaseWaiting,
    subscriptions::jobs::RunDueAction,
    payment_links::jobs::Expire,
    coupons::jobs::Expire,
    carts::jobs::PublishAbandoned,
    carts::jobs::Recover,
    carts::jobs::Erase,
    referrals::jobs::Expire,
    referrals::jobs::Release,
    webhooks::jobs::Deliver,
    account_closure::jobs::CloseAccount,
    erasure::jobs::Erase,
}

/// Runs what is due now of a merchant's own work in development, and what follows from it.
pub async fn run_developers_work(app: &App, merchant: MerchantId) -> Result<()> {
    let jobs = JobRunner(app.clone());
    Ok(run_due_by(&app.database, &[PAYOUTS, WORK, ERASURES], merchant.0, &jobs).await?)
}

/// Runs what is due now in every lane, until nothing is.
pub async fn run_due(app: &App) -> Result<usize> {
    let jobs = JobRunner(app.clone());
    let mut ran = 0;
    loop {
        let work = run_lane(&app.database, PAYOUTS, &jobs).await?
            + run_lane(&app.database, WORK, &jobs).await?
            + run_lane(&app.database, CONNECTIONS, &jobs).await?
            + run_lane(&app.database, ERASURES, &jobs).await?;
        let delivered = run_lane(&app.database, WEBHOOKS, &jobs).await?;
        if work + delivered == 0 {
            return Ok(ran);
        }
        ran += work + delivered;
    }
}

/// Serves every lane until `stop` resolves, then finishes running jobs.
pub async fn run_until(app: App, stop: impl Future<Output = ()> + Clone) {
    let jobs = JobRunner(app.clone());
    let at_once = match app.database.dialect() {
        Dialect::Sqlite => WORK_AT_ONCE,
        Dialect::Postgres => WORK_AT_ONCE_ON_POSTGRES,
    };
    let own = serve(app.database.clone(), WORK, at_once, jobs.clone(), stop.clone());
    let payouts = serve(app.database.clone(), PAYOUTS, PAYOUTS_AT_ONCE, jobs.clone(), stop.clone());
    let webhooks =
        serve(app.database.clone(), WEBHOOKS, WEBHOOKS_AT_ONCE, jobs.clone(), stop.clone());
    let connections =
        serve(app.database.clone(), CONNECTIONS, CONNECTIONS_AT_ONCE, jobs.clone(), stop.clone());
    let erasures = serve(app.database.clone(), ERASURES, ERASURES_AT_ONCE, jobs, stop.clone());
    tokio::join!(own, payouts, connections, webhooks, erasures, housekeeping::serve(app, stop));
}
