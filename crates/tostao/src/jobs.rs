//! The workers: which job runs what, in which lane.

use std::future::Future;

use db::database::Dialect;
use db::tx::Tx;
use queue::job::{Claimed, Job, finish};
use queue::worker::{Handler, run_due as run_lane, run_due_by, serve};

use crate::affiliates::commissions;
use crate::app::App;
use crate::error::{Error, Result};
use crate::ids::{MerchantId, Mode, Scope};
use crate::providers::sandbox_payouts::BankCalls;
use crate::subscriptions::jobs::Wake;
use crate::transactions::{refunds, returns};
use crate::{
    advances, billing, carts, closing, coupons, erasure, housekeeping, merchants, payment_links,
    receivables, referrals, transactions, webhooks, withdrawals,
};

/// Work on our own rows, and orders to banks that answer at once.
pub const WORK: &str = "work";
/// Orders to banks, which may be slow.
pub const PAYOUTS: &str = "payouts";
/// Deliveries to merchants' servers, which may be slow.
pub const WEBHOOKS: &str = "webhooks";
/// Blanking deleted clients and closed accounts, which walks through much and never delays anything
/// else.
pub const ERASURES: &str = "erasures";

/// Where an engine commits together what waits together, more at once costs each less.
const WORK_AT_ONCE: usize = 32;
/// Each takes a connection that a caller might want.
const WORK_AT_ONCE_ON_POSTGRES: usize = 16;
const PAYOUTS_AT_ONCE: usize = 8;
const WEBHOOKS_AT_ONCE: usize = 256;
const ERASURES_AT_ONCE: usize = 2;

/// Runs a claimed job by its kind.
#[derive(Clone)]
pub struct Jobs(pub App);

impl Handler for Jobs {
    async fn run(&self, job: Claimed) -> Result<(), String> {
        let Self(app) = self;
        let done = match run(app, job.clone()).await {
            // What it was about is gone, and the work with it; anything else that is missing is a
            // fault, and the job stays.
            Err(Error::NotFound(what)) if subjects(&job.kind).contains(&what) => {
                tracing::info!(what, kind = job.kind, id = %job.id, "a job had nothing to do");
                end(app, job).await
            }
            done => done,
        };
        done.map_err(|error| error.to_string())
    }
}

/// Runs what is due now of a merchant's own work in development, and what follows from it.
pub async fn run_developers_work(app: &App, merchant: MerchantId) -> Result<()> {
    let jobs = Jobs(app.clone());
    Ok(run_due_by(&app.database, &[PAYOUTS, WORK, ERASURES], merchant.0, &jobs).await?)
}

/// Runs what is due now in every lane, until nothing is.
pub async fn run_due(app: &App) -> Result<usize> {
    let jobs = Jobs(app.clone());
    let mut ran = 0;
    loop {
        let work = run_lane(&app.database, PAYOUTS, &jobs).await?
            + run_lane(&app.database, WORK, &jobs).await?
            + run_lane(&app.database, ERASURES, &jobs).await?;
        let delivered = run_lane(&app.database, WEBHOOKS, &jobs).await?;
        if work + delivered == 0 {
            return Ok(ran);
        }
        ran += work + delivered;
    }
}

/// Serves every lane until `stop` resolves, then finishes what is at work.
pub async fn work(app: App, stop: impl Future<Output = ()> + Clone) {
    let jobs = Jobs(app.clone());
    let at_once = match app.database.dialect() {
        Dialect::Sqlite => WORK_AT_ONCE,
        Dialect::Postgres => WORK_AT_ONCE_ON_POSTGRES,
    };
    let own = serve(app.database.clone(), WORK, at_once, jobs.clone(), stop.clone());
    let payouts = serve(app.database.clone(), PAYOUTS, PAYOUTS_AT_ONCE, jobs.clone(), stop.clone());
    let webhooks =
        serve(app.database.clone(), WEBHOOKS, WEBHOOKS_AT_ONCE, jobs.clone(), stop.clone());
    let erasures = serve(app.database.clone(), ERASURES, ERASURES_AT_ONCE, jobs, stop.clone());
    tokio::join!(own, payouts, webhooks, erasures, housekeeping::serve(app, stop));
}

/// Does a job's work in the scope that it is for, and ends the job in the same unit.
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

/// Ends a job that has nothing left to do.
pub async fn end(app: &App, job: Claimed) -> Result<()> {
    app.transact(async move |tx| Ok(finish(tx, &job).await.map(drop)?)).await
}

/// What a kind of job is about, in the words that tell of its absence.
fn subjects(kind: &str) -> &'static [&'static str] {
    match kind {
        transactions::jobs::Expire::KIND | transactions::jobs::Resolve::KIND => &["Transaction"],
        refunds::jobs::SendRefund::KIND => &["Transaction", "Refund"],
        returns::jobs::SendReturn::KIND => &["Return"],
        payment_links::jobs::Expire::KIND
        | carts::jobs::Tell::KIND
        | carts::jobs::Recover::KIND => &["Payment link"],
        Wake::KIND => &["Subscription"],
        withdrawals::jobs::SendPayout::KIND => &["Withdrawal"],
        BankCalls::KIND => &["Payout"],
        _ => &[],
    }
}

async fn run(app: &App, job: Claimed) -> Result<()> {
    match job.kind.as_str() {
        closing::jobs::Clear::KIND => closing::jobs::clear(app, job).await,
        erasure::jobs::Erase::KIND => erasure::jobs::erase(app, job).await,
        transactions::jobs::Expire::KIND => transactions::jobs::expire(app, job).await,
        transactions::jobs::BankCalls::KIND => transactions::jobs::bank_calls(app, job).await,
        transactions::jobs::Resolve::KIND => transactions::jobs::resolve(app, job).await,
        refunds::jobs::SendRefund::KIND => refunds::jobs::send(app, job).await,
        returns::jobs::SendReturn::KIND => returns::jobs::send(app, job).await,
        receivables::jobs::Settle::KIND => advances::jobs::settle(app, job).await,
        commissions::jobs::Release::KIND => commissions::jobs::release_due(app, job).await,
        commissions::jobs::ReleaseWaiting::KIND => {
            commissions::jobs::release_waiting(app, job).await
        }
        payment_links::jobs::Expire::KIND => payment_links::jobs::expire(app, job).await,
        Wake::KIND => billing::jobs::wake(app, job).await,
        coupons::jobs::Expire::KIND => coupons::jobs::expire(app, job).await,
        carts::jobs::Tell::KIND => carts::jobs::tell(app, job).await,
        carts::jobs::Recover::KIND => carts::jobs::recover_carts(app, job).await,
        carts::jobs::Erase::KIND => carts::jobs::erase_cart(app, job).await,
        referrals::jobs::Expire::KIND => referrals::jobs::expire(app, job).await,
        referrals::jobs::Release::KIND => referrals::jobs::release(app, job).await,
        withdrawals::jobs::SendPayout::KIND => withdrawals::jobs::send(app, job).await,
        BankCalls::KIND => withdrawals::jobs::bank_calls(app, job).await,
        webhooks::jobs::Deliver::KIND => webhooks::jobs::deliver(app, job).await,
        other => Err(anyhow::anyhow!("no worker knows the job {other}").into()),
    }
}
