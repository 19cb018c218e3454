//! Requests that wait to be written, in memory and bounded.

use std::collections::VecDeque;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use db::database::{Database, in_background};
use db::tx::Tx;
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::platform::error::Error;
use crate::platform::telemetry;
use crate::requests::recording_api::Observed;
use crate::requests::{RequestRecord, record};

/// How many requests wait at most; the rest is counted and dropped.
const WAITING_MAX: usize = 4_096;
/// How many bytes of bodies wait at most; beyond them, requests wait without their bodies.
const BODY_BYTES_MAX: usize = 16 * 1024 * 1024;
/// How many requests one unit writes: few, because who is served meanwhile on the same core waits
/// until they are prepared, and whose unit is committed with them, until they are inserted.
const BATCH: usize = 32;
/// How long requests gather before they are written together.
const GATHERING: Duration = Duration::from_millis(100);

/// The requests that wait.
#[derive(Debug, Default)]
pub struct RequestQueue {
    waiting: Mutex<Waiting>,
    arrived: Notify,
    /// Held by the writer, so that a reader who writes first finds everything written.
    turn: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct Waiting {
    requests: VecDeque<Observed>,
    body_bytes: usize,
}

impl RequestQueue {
    /// Adds a request, without its bodies or not at all if too much waits.
    pub fn add(&self, mut request: Observed) {
        {
            let mut waiting = self.waiting();
            if waiting.requests.len() >= WAITING_MAX {
                telemetry::request_log_dropped(1);
                return;
            }
            if waiting.body_bytes + request.body_bytes() > BODY_BYTES_MAX {
                request.drop_bodies();
            }
            waiting.body_bytes += request.body_bytes();
            waiting.requests.push_back(request);
        }
        self.arrived.notify_one();
    }

    /// Writes what waits, so that the next reader finds it; not what arrives meanwhile.
    ///
    /// It has the priority of who awaits it: a reader does not yield to other callers.
    pub async fn write(&self, database: &Database) {
        let _turn = self.turn.lock().await;
        let mut left = self.waiting().requests.len();
        while left > 0 {
            let batch = self.take();
            left = left.saturating_sub(batch.len().max(1));
            let records = batch.into_iter().map(Observed::into_record).collect();
            write(database, records).await;
        }
    }

    fn take(&self) -> Vec<Observed> {
        let mut waiting = self.waiting();
        let count = waiting.requests.len().min(BATCH);
        let taken: Vec<_> = waiting.requests.drain(..count).collect();
        let bytes: usize = taken.iter().map(Observed::body_bytes).sum();
        waiting.body_bytes -= bytes;
        taken
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes what arrives, as long as `served` runs, and the rest at the end.
pub async fn write_while(
    queue: &RequestQueue,
    database: &Database,
    served: impl Future<Output = ()>,
) {
    let ended = Notify::new();
    let serving = async {
        served.await;
        ended.notify_one();
    };
    let writing = async {
        loop {
            let has_ended = tokio::select! {
                () = queue.arrived.notified() => timeout(GATHERING, ended.notified()).await.is_ok(),
                () = ended.notified() => true,
            };
            in_background(queue.write(database)).await;
            if has_ended {
                return;
            }
        }
    };
    tokio::join!(serving, writing);
}

/// Writes records; where some cannot be written, the others are.
async fn write(database: &Database, records: Arc<[RequestRecord]>) {
    let mut parts = Vec::from([(0, records.len())]);
    while let Some((first, end)) = parts.pop() {
        let all = records.clone();
        let unit = async move |tx: &Tx| record(tx, &all[first..end]).await;
        let Err(error) = database.transact(unit).await else { continue };
        let count = end - first;
        // A database that is away, or may have written them, is not asked again.
        if count > 1 && !matches!(error, Error::Unavailable(_) | Error::Unknown(_)) {
            let middle = first + count / 2;
            parts.extend([(middle, end), (first, middle)]);
        } else {
            telemetry::request_log_dropped(count);
            tracing::warn!(count, %error, "requests could not be logged");
        }
    }
}
