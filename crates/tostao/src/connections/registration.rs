//! The registration for notices: each connection is tested, and its provider is given our address.
//!
//! It is done at once where charges will be made or credentials are new, and each night. What fails
//! is tried again at growing intervals of up to a quarter of an hour until it succeeds, by one job
//! for each connection; one that is disabled waits for the night.

use std::sync::Arc;

use db::time::Timestamp;
use db::tx::Tx;
use queue::job::{Claimed, Due, Job, again, again_once, finish, push_in, push_once_in};
use rails::error::ProviderError;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::connections::jobs::{DAY, MONTH, begin_list, next_night};
use crate::connections::{balance, live, reload};
use crate::jobs::{RunJob, next_try};
use crate::platform::error::Result;
use crate::platform::ids::ConnectionId;
use crate::platform::lanes::{CONNECTIONS, of_connection};
use crate::providers::connections as stored;
use crate::providers::connections::problem::Problem;
use crate::providers::connections::registry::LiveConnection;

const CERTIFICATE_DAYS_WARNED: u64 = 30;
const CERTIFICATE_DAYS_URGENT: u64 = 7;

/// Tests a connection, and has its provider send notices here.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct KeepRegistered {
    connection: ConnectionId,
    /// Whether it is what happens each night, which only enqueues what is to be done.
    daily: bool,
}

impl Job for KeepRegistered {
    const KIND: &'static str = "keep_connection_registered";
    const LANE: &'static str = CONNECTIONS;
    const UNIQUE: bool = true;
}

/// Schedules what happens each night to a connection, once charges are made by it.
pub async fn begin(tx: &Tx, (connection, name): (ConnectionId, &str)) -> Result<()> {
    let job = KeepRegistered { connection, daily: true };
    let due = Due { at: next_night(tx.now()), clock: None };
    Ok(push_in(tx, &of_connection(name), tx.new_id(), due, &job).await?)
}

/// Schedules the registration now, if charges were ever made by the connection: its credentials are
/// new, or it is in use again. The caller holds its lock.
pub async fn renew(tx: &Tx, of: (ConnectionId, &str)) -> Result<()> {
    if stored::is_started(tx, of.0).await? { register_now(tx, of).await } else { Ok(()) }
}

/// Schedules the registration now. The caller holds the connection's lock: it waits once.
pub async fn register_now(tx: &Tx, (connection, name): (ConnectionId, &str)) -> Result<()> {
    let job = KeepRegistered { connection, daily: false };
    let due = Due { at: tx.now(), clock: None };
    Ok(push_once_in(tx, &of_connection(name), connection.0, due, &job).await?)
}

impl RunJob for KeepRegistered {
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        // What was changed in the unit that enqueued this may not be in memory yet.
        reload(app).await?;
        let live = live(app, self.connection).await?;
        if self.daily { each_night(app, job, live).await } else { now(app, job, &live).await }
    }
}

/// Enqueues what is done each night.
async fn each_night(app: &App, job: Claimed, live: Arc<LiveConnection>) -> Result<()> {
    warn_of_certificate(&live, app.now());
    let unit = async move |tx: &Tx| {
        let of = (live.id, &*live.name);
        stored::lock(tx, live.id).await?;
        // Lists that an earlier release did not read.
        let since = tx.now().minus(MONTH);
        for window in live.connected.connection.windows() {
            begin_list(tx, of, *window, since).await?;
        }
        register_now(tx, of).await?;
        balance::compare_now(tx, &live).await?;
        again(tx, &job, next_night(tx.now())).await?;
        Ok(())
    };
    app.transact(unit).await
}

/// Tests the connection, and registers if notices go elsewhere.
async fn now(app: &App, job: Claimed, live: &LiveConnection) -> Result<()> {
    let (problem, failed) = keep(live).await;
    if let Some(problem) = &problem {
        let (connection, problem) = (&live.name, &problem.text);
        if job.attempt == 1 {
            tracing::error!(connection, problem, "a connection needs its operator");
        } else {
            tracing::warn!(connection, problem, "a connection still needs its operator");
        }
    }
    let again_at = failed
        .filter(|_| !live.is_disabled)
        .map(|error| next_try(app, &job, error.retry_after().unwrap_or_default()));
    let used = (live.id, live.version);
    let unit = async move |tx: &Tx| {
        stored::note_check(tx, used, problem.as_ref()).await?;
        match again_at {
            Some(at) => again_once(tx, &job, at).await?,
            None => finish(tx, &job).await?,
        };
        Ok(())
    };
    app.transact(unit).await
}

/// What is wrong with the connection, and the failure for which it is tried again.
async fn keep(live: &LiveConnection) -> (Option<Problem>, Option<ProviderError>) {
    let connection = &live.connected.connection;
    let mut checked = connection.check().await;
    let is_elsewhere =
        matches!(&checked, Ok(health) if health.notices_to.as_ref() != Some(&live.door));
    if is_elsewhere {
        if let Err(error) = connection.register(&live.door).await {
            tracing::warn!(connection = live.name, %error, "notices cannot be registered for");
            return (Problem::of(&checked, &live.door), Some(error));
        }
        checked = connection.check().await;
    }
    (Problem::of(&checked, &live.door), checked.err())
}

/// Warns of a certificate that ends soon: without it the provider takes no call.
fn warn_of_certificate(live: &LiveConnection, now: Timestamp) {
    let Some(certificate) = &live.connected.certificate else { return };
    let days = certificate.not_after.since(now).as_secs() / DAY.as_secs();
    let connection = &live.name;
    if days <= CERTIFICATE_DAYS_URGENT {
        tracing::error!(connection, days, "a certificate ends; ask the bank for a new one");
    } else if days <= CERTIFICATE_DAYS_WARNED {
        tracing::warn!(connection, days, "a certificate ends soon; ask the bank for a new one");
    }
}
