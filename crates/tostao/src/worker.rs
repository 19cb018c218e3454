//! The workers: every job that they run, and the concurrency of each lane.

use std::collections::BTreeSet;
use std::future::Future;

use db::database::Dialect;
use queue::job::{Claimed, Job};
use queue::worker::{Handler, run_due as run_lane, run_due_by, serve};
use tokio::task::JoinSet;

use crate::affiliates::commissions;
use crate::app::App;
use crate::housekeeping;
use crate::jobs::{RunJob, end, lanes};
use crate::platform::error::{Error, Result};
use crate::platform::ids::MerchantId;
use crate::platform::lanes::{
    CONNECTIONS, ERASURES, PAYOUTS, WEBHOOKS, WORK, of_connection, of_payouts,
};
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
/// An account that sends several at once is throttled by its bank.
const PAYOUTS_AT_ONCE_OF_AN_ACCOUNT: usize = 1;
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
    transactions::jobs::AskAndExpire,
    transactions::jobs::CloseAtBank,
    transactions::boletos::CloseLostBoleto,
    transactions::boletos::making::AwaitBoleto,
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
        let before = ran;
        for lane in lanes(app) {
            ran += run_lane(&app.database, &lane, &jobs).await?;
        }
        if ran == before {
            return Ok(ran);
        }
    }
}

/// Serves every lane until `stop` resolves, then finishes running jobs.
pub async fn run_until(app: App, stop: impl Future<Output = ()> + Clone + Send + 'static) {
    let jobs = JobRunner(app.clone());
    let at_once = match app.database.dialect() {
        Dialect::Sqlite => WORK_AT_ONCE,
        Dialect::Postgres => WORK_AT_ONCE_ON_POSTGRES,
    };
    let lane = |lane: &str, at_once| {
        serve(app.database.clone(), lane.into(), at_once, jobs.clone(), stop.clone())
    };
    tokio::join!(
        lane(WORK, at_once),
        lane(PAYOUTS, PAYOUTS_AT_ONCE),
        lane(CONNECTIONS, CONNECTIONS_AT_ONCE),
        lane(WEBHOOKS, WEBHOOKS_AT_ONCE),
        lane(ERASURES, ERASURES_AT_ONCE),
        serve_connections(&app, &jobs, stop.clone()),
        housekeeping::serve(app.clone(), stop.clone()),
    );
}

/// Serves the lanes of every connection, also of those that are added meanwhile.
async fn serve_connections(
    app: &App,
    jobs: &JobRunner,
    stop: impl Future<Output = ()> + Clone + Send + 'static,
) {
    let (mut served, mut lanes) = (BTreeSet::new(), JoinSet::new());
    let mut changes = app.providers.registry_changes();
    let stopped = stop.clone();
    tokio::pin!(stopped);
    loop {
        let registry = changes.borrow_and_update().clone();
        for live in registry.all().filter(|live| served.insert(live.name.clone())) {
            let own = [
                (of_connection(&live.name), CONNECTIONS_AT_ONCE),
                (of_payouts(&live.name), PAYOUTS_AT_ONCE_OF_AN_ACCOUNT),
            ];
            for (lane, at_once) in own {
                let (database, lane) = (app.database.clone(), lane.into());
                lanes.spawn(serve(database, lane, at_once, jobs.clone(), stop.clone()));
            }
        }
        tokio::select! {
            () = &mut stopped => break,
            replaced = changes.changed() => if replaced.is_err() { break },
        }
    }
    while lanes.join_next().await.is_some() {}
}
