//! Liveness and readiness.
//!
//! Anyone may ask, as often as they like; the result is therefore cached for a moment, and
//! concurrent requests share one check.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use db::migrations::pending;
use http::StatusCode;

use crate::app::{App, MIGRATIONS};
use crate::platform::error::{Error, Result};
use crate::platform::readiness::Finding;

static STOPPING: AtomicBool = AtomicBool::new(false);

/// How long a result is cached.
const REMEMBERED: Duration = Duration::from_secs(1);

/// Makes load balancers send requests elsewhere, before connections are closed.
pub fn stop() {
    STOPPING.store(true, Ordering::Relaxed);
}

/// GET /healthz
pub async fn alive() -> &'static str {
    "ok"
}

/// GET /readyz
///
/// Ready means migrated and writable, which a unit of its own proves.
pub async fn ready(State(app): State<App>) -> Result<Response> {
    if STOPPING.load(Ordering::Relaxed) {
        return Err(Error::Unavailable("the server is stopping".into()));
    }
    match fault(&app).await {
        None => Ok((StatusCode::OK, concat!("ready ", env!("CARGO_PKG_VERSION"))).into_response()),
        Some(fault) => Err(Error::Unavailable(fault)),
    }
}

/// The current error, cached or checked now; requests that wait for a check share its result.
async fn fault(app: &App) -> Option<String> {
    let mut last = app.readiness.0.lock().await;
    let now = app.now();
    // A result from the future was stored before the clock was set back.
    let fresh = |found: &Finding| found.at <= now && now.since(found.at) < REMEMBERED;
    if let Some(found) = last.as_ref().filter(|found| fresh(found)) {
        return found.fault.clone();
    }
    let fault = prove(app).await.err().map(|error| error.to_string());
    // A check may take longer than the cache time, and the requests that waited for it share it.
    *last = Some(Finding { at: app.now(), fault: fault.clone() });
    fault
}

async fn prove(app: &App) -> Result<()> {
    let missing = pending(&app.database, MIGRATIONS).await?;
    if !missing.is_empty() {
        return Err(Error::Unavailable(format!("migrations are missing: {missing:?}")));
    }
    app.transact(async |tx| Ok(queue::job::prove_writable(tx).await?)).await
}
