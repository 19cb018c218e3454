//! Deletes expired data: stored responses, events, sessions, mails, audit entries, unreadable
//! reports; and keeps the figures of days that are over.
//!
//! Expired rows are found on the reading side and deleted in small units of the background lane, so
//! no request waits for it.

use std::future::Future;
use std::time::Duration;

use db::database::in_background;
use db::tx::Tx;
use queue::job::{next, waiting};
use sandbox::tokens;
use uuid::Uuid;

use crate::affiliates::clicks;
use crate::app::App;
use crate::books;
use crate::carts;
use crate::connections::{self, differences};
use crate::figures::closing;
use crate::idempotency;
use crate::jobs::lanes;
use crate::mail::recipients;
use crate::people::{self, email_changes, invitations, resets, sessions};
use crate::platform::error::Result;
use crate::platform::ids::{MerchantId, Mode, Scope};
use crate::platform::lanes::Lane;
use crate::platform::telemetry;
use crate::reconciliation::proofs;
use crate::registration::setup;
use crate::transactions::{refunds, returns, unknown};
use crate::webhooks::{deliveries, listeners};
use crate::{audit, events, mail, merchants, requests, withdrawals};

const EVERY: Duration = Duration::from_secs(60);
/// Rounds per deletion; metrics are measured in each round.
const ROUNDS_PER_FORGETTING: u32 = 15;
/// How many rows one unit deletes.
pub const BATCH: i64 = 500;
/// How many accounts one run keeps the figures of; the next one goes on after them.
const ACCOUNTS_PER_RUN: i64 = 5_000;
/// How many units one account takes in a run, so that a long history holds up no other.
const UNITS_PER_ACCOUNT: usize = 24;
/// How many units delete rows of one kind of one account in a run, for the same reason; enough for
/// two hundred rows a second.
const SWEEPS_PER_ACCOUNT: usize = 400;

/// Measures and deletes in a loop until `stop` resolves.
pub async fn serve(app: App, stop: impl Future<Output = ()>) {
    tokio::pin!(stop);
    let mut kept_until = None;
    for round in 0_u32.. {
        if let Err(error) = measure(&app).await {
            tracing::warn!(%error, "the queue and the ledger cannot be measured");
        }
        if round % ROUNDS_PER_FORGETTING == 0 {
            // First, because pages are slow until it is done.
            match keep_figures(&app, kept_until, ACCOUNTS_PER_RUN).await {
                Ok((_, last)) => kept_until = last,
                Err(error) => {
                    tracing::warn!(%error, "figures cannot be kept; it will be tried again");
                }
            }
            if let Err(error) = run(&app).await {
                tracing::warn!(%error, "housekeeping failed; it will be tried again");
            }
        }
        if tokio::time::timeout(EVERY, &mut stop).await.is_ok() {
            return;
        }
    }
}

/// Updates the metrics: how much work waits, how long banks have not answered, how many payments
/// administrators have to decide on, and whether all balances sum to zero. Starts the proofs of
/// ledgers that are due.
async fn measure(app: &App) -> Result<()> {
    for Lane { name: lane, .. } in lanes(app) {
        let of = lane.clone();
        let unit = async move |tx: &Tx| Ok((waiting(tx, &of).await?, next(tx, &of).await?));
        let (count, next) = app.scan(unit).await?;
        let late = next.map_or(Duration::ZERO, |at| app.now().since(at));
        telemetry::jobs_waiting(&lane, count, late);
    }
    for mode in [Mode::Development, Mode::Production] {
        let unit = async move |tx: &Tx| {
            let orders = [
                ("withdrawal", withdrawals::unresolved(tx, mode).await?),
                ("refund", refunds::unresolved(tx, mode).await?),
                ("return", returns::unresolved(tx, mode).await?),
            ];
            Ok((orders, unknown::count_open(tx, mode).await?))
        };
        let (orders, unknown) = app.scan(unit).await?;
        telemetry::unmatched_payments(mode.name(), unknown);
        for (kind, waiting) in orders {
            telemetry::orders_waiting(kind, mode.name(), waiting.count, waiting.longest);
        }
    }
    if app.mail.is_some() {
        let mails = app.scan(async |tx| mail::backlog(tx).await).await?;
        telemetry::mails_waiting(mails.count, mails.longest);
    }
    connections::measure(app).await?;
    let imbalance = app.scan(async |tx| books::imbalance(tx).await).await?;
    telemetry::ledger_imbalance(imbalance);
    if imbalance != 0 {
        tracing::error!(imbalance_cents = imbalance, "the books do not sum to zero");
    }
    proofs::jobs::begin_due(app).await
}

/// Deletes all expired data; returns from how many rows.
pub async fn run(app: &App) -> Result<u64> {
    let mut deleted =
        until_done(app, async |tx| idempotency::delete_expired(tx, BATCH).await).await?;
    deleted += until_done(app, async |tx| sessions::delete_expired(tx, BATCH).await).await?;
    deleted += until_done(app, async |tx| invitations::delete_expired(tx, BATCH).await).await?;
    deleted += until_done(app, async |tx| resets::delete_expired(tx, BATCH).await).await?;
    deleted += until_done(app, async |tx| email_changes::delete_expired(tx, BATCH).await).await?;
    deleted += until_done(app, async |tx| setup::delete_expired(tx).await).await?;
    deleted += until_done(app, async |tx| recipients::delete_expired(tx, BATCH).await).await?;
    let error = mail::jobs::waits_for(app);
    until_done(app, async move |tx| mail::give_up(tx, error, BATCH).await).await?;
    let mailed = app.database.sources().first_id(app.now().minus(mail::KEPT));
    deleted +=
        until_done(app, async move |tx| mail::delete_before(tx, mailed, BATCH).await).await?;
    app.transact(async |tx: &Tx| people::adopt(tx).await).await?;
    deleted += until_done(app, async |tx| Ok(tokens::delete_expired(tx, BATCH).await?)).await?;
    deleted += until_done(app, async |tx| carts::delete_expired_visits(tx, BATCH).await).await?;
    deleted += until_done(app, async |tx| clicks::delete_expired(tx, BATCH).await).await?;
    deleted += until_done(app, async |tx| unknown::blank_reports(tx, BATCH).await).await?;
    deleted += until_done(app, async |tx| differences::blank_entries(tx, BATCH).await).await?;
    let unseen = app.now().minus(listeners::KEPT);
    for place in app.scan(async |tx| listeners::places(tx).await).await? {
        let sweep = async move |tx: &Tx| listeners::sweep(tx, place, unseen, BATCH).await;
        deleted += until_done(app, sweep).await?;
    }
    let term = Duration::from_secs(u64::from(app.settings.audit_days) * 24 * 3600);
    let audited = app.now().minus(term);
    deleted +=
        until_done(app, async move |tx| audit::delete_expired(tx, audited, BATCH).await).await?;
    let before = app.database.sources().first_id(app.now().minus(events::EVENTS_KEPT));
    let logged = app.database.sources().first_id(app.now().minus(requests::KEPT));
    for merchant in app.scan(async |tx| merchants::all(tx).await).await? {
        for mode in [Mode::Development, Mode::Production] {
            let scope = Scope { merchant, mode, ahead: Duration::ZERO };
            deleted += run_of(app, scope, logged, before).await?;
        }
    }
    Ok(deleted)
}

/// Deletes one account's requests and events in a mode from before these ids, some units at a time;
/// the next run goes on.
async fn run_of(app: &App, scope: Scope, logged: Uuid, before: Uuid) -> Result<u64> {
    let mut deleted = 0;
    let look = async move |tx: &Tx| requests::boundary(tx, scope, logged).await;
    if let Some(first) = app.scan(look).await? {
        let sweep = async move |tx: &Tx| requests::delete_before(tx, scope, first, BATCH).await;
        deleted += some_units(app, SWEEPS_PER_ACCOUNT, sweep).await?.0;
    }
    if !app.read(async move |tx| events::any_before(tx, scope, before).await).await? {
        return Ok(deleted);
    }
    let sweep = async move |tx: &Tx| deliveries::delete_before(tx, scope, before, BATCH).await;
    let (rows, is_done) = some_units(app, SWEEPS_PER_ACCOUNT, sweep).await?;
    deleted += rows;
    // An event is there for as long as its deliveries are.
    if is_done {
        let sweep = async move |tx: &Tx| events::delete_before(tx, scope, before, BATCH).await;
        deleted += some_units(app, SWEEPS_PER_ACCOUNT, sweep).await?.0;
    }
    Ok(deleted)
}

/// Keeps the figures of days that are over, of at most `most` accounts after one; returns of how
/// many days, and the last account if others may follow.
///
/// An account whose figures cannot be kept is reported and holds up no other.
pub async fn keep_figures(
    app: &App,
    after: Option<MerchantId>,
    most: i64,
) -> Result<(u64, Option<MerchantId>)> {
    let unit = async move |tx: &Tx| merchants::open_after(tx, after, most).await;
    let accounts = in_background(app.scan(unit)).await?;
    let mut kept = 0;
    for merchant in &accounts {
        for mode in [Mode::Development, Mode::Production] {
            match keep_figures_of(app, *merchant, mode).await {
                Ok(days) => kept += days,
                Err(error) => {
                    let mode = mode.name();
                    tracing::warn!(%error, %merchant, mode, "an account's figures cannot be kept");
                }
            }
        }
    }
    let is_whole = i64::try_from(accounts.len()).is_ok_and(|count| count == most);
    Ok((kept, accounts.last().filter(|_| is_whole).copied()))
}

/// Keeps the figures of one account in a mode, some units at a time; returns of how many days.
async fn keep_figures_of(app: &App, merchant: MerchantId, mode: Mode) -> Result<u64> {
    let mut kept = 0;
    for _ in 0..UNITS_PER_ACCOUNT {
        let look = async move |tx: &Tx| {
            let scope = merchants::scope(tx, merchant, mode).await?;
            Ok(closing::due(tx, scope).await?.map(|closing| (scope, closing)))
        };
        let Some((scope, closing)) = in_background(app.scan(look)).await? else { break };
        let days = closing.days();
        let keep = async move |tx: &Tx| closing::keep(tx, scope, &closing).await;
        if !in_background(app.transact(keep)).await? {
            break;
        }
        kept += days;
    }
    Ok(kept)
}

async fn until_done(
    app: &App,
    unit: impl AsyncFn(&Tx) -> Result<u64> + Clone + Send + 'static,
) -> Result<u64> {
    Ok(some_units(app, usize::MAX, unit).await?.0)
}

/// Repeats a unit until it deletes nothing, at most so often; returns how many rows it deleted, and
/// whether none is left.
async fn some_units(
    app: &App,
    most: usize,
    unit: impl AsyncFn(&Tx) -> Result<u64> + Clone + Send + 'static,
) -> Result<(u64, bool)> {
    let mut deleted = 0;
    for _ in 0..most {
        let rows = in_background(app.transact(unit.clone())).await?;
        if rows == 0 {
            return Ok((deleted, true));
        }
        deleted += rows;
    }
    Ok((deleted, false))
}
