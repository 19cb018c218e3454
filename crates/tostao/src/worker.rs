//! The workers: every job that they run, and the lanes that they serve.

use std::collections::BTreeSet;
use std::future::Future;

use queue::job::{Claimed, Job, WORK};
use queue::worker::{Handler, run_due as run_lane, run_due_by, serve};
use sandbox::payouts as sandbox_payouts;
use tokio::task::JoinSet;

use crate::affiliates::commissions;
use crate::app::App;
use crate::housekeeping;
use crate::jobs::{RunJob, end, lanes, shared_lanes};
use crate::platform::error::{Error, Result};
use crate::platform::ids::MerchantId;
use crate::platform::lanes::{self, ERASURES, Lane, PAYOUTS};
use crate::reconciliation::proofs;
use crate::transactions::{refunds, returns};
use crate::{
    account_closure, carts, connections, coupons, erasure, mail, payment_links, people,
    receivables, referrals, subscriptions, transactions, webhooks, withdrawals,
};

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
                // On the heap, or every job would take the space of the largest one.
                $(<$job>::KIND => Box::pin(job.read::<$job>()?.run(app, job)).await,)*
                other => Err(anyhow::anyhow!("unknown job kind {other}").into()),
            }
        }

        fn about(kind: &str) -> &'static [&'static str] {
            match kind {
                $(<$job>::KIND => <$job>::ABOUT,)*
                _ => &[],
            }
        }

        #[cfg(test)]
        const KINDS: &[&str] = &[$(<$job>::KIND),*];
    };
}

kinds! {
    connections::jobs::LookInto,
    connections::jobs::ReadWindow,
    connections::registration::KeepRegistered,
    connections::balance::CompareBalance,
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
    webhooks::recovery::jobs::Recover,
    mail::jobs::SendMail,
    people::resets::jobs::BeginReset,
    account_closure::jobs::CloseAccount,
    erasure::jobs::Erase,
    proofs::jobs::ProveLedger,
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
            ran += run_lane(&app.database, &lane.name, lane.at_once, &jobs).await?;
        }
        if ran == before {
            return Ok(ran);
        }
    }
}

/// Serves every lane until `stop` resolves, then finishes running jobs.
pub async fn run_until(app: App, stop: impl Future<Output = ()> + Clone + Send + 'static) {
    let jobs = JobRunner(app.clone());
    tokio::join!(
        serve_lanes(&app, &jobs, stop.clone()),
        housekeeping::serve(app.clone(), stop.clone()),
    );
}

/// Serves the shared lanes and those of every connection, also of one that is added meanwhile, or
/// that this server cannot use: its jobs wait, and each try says why.
async fn serve_lanes(
    app: &App,
    jobs: &JobRunner,
    stop: impl Future<Output = ()> + Clone + Send + 'static,
) {
    let mut lanes = JoinSet::new();
    let mut begin = |Lane { name, at_once }| {
        let (database, jobs, stop) = (app.database.clone(), jobs.clone(), stop.clone());
        lanes.spawn(serve(database, name.into(), at_once, jobs, stop));
    };
    shared_lanes(app).into_iter().for_each(&mut begin);
    let (mut served, mut changes) = (BTreeSet::new(), app.providers.registry_changes());
    let stopped = stop.clone();
    tokio::pin!(stopped);
    loop {
        let registry = changes.borrow_and_update().clone();
        for name in registry.names().filter(|name| served.insert((*name).to_owned())) {
            lanes::of(name).into_iter().for_each(&mut begin);
        }
        tokio::select! {
            () = &mut stopped => break,
            replaced = changes.changed() => if replaced.is_err() { break },
        }
    }
    while lanes.join_next().await.is_some() {}
}

#[cfg(test)]
mod tests {
    use super::KINDS;
    use crate::platform::messages::Lang;

    #[test]
    fn every_kind_of_work_has_words() {
        for kind in KINDS {
            assert!(Lang::PtBr.work(kind).is_some(), "{kind}");
        }
    }
}
