//! Whether the server lives, and whether it can take work.

use std::sync::atomic::{AtomicBool, Ordering};

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use db::migrations::pending;
use http::StatusCode;

use crate::app::{App, MIGRATIONS};
use crate::error::{Error, Result};

static STOPPING: AtomicBool = AtomicBool::new(false);

/// Tells balancers to send work elsewhere, before connections are closed.
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
    let missing = pending(&app.database, MIGRATIONS).await?;
    if !missing.is_empty() {
        return Err(Error::Unavailable(format!("migrations are missing: {missing:?}")));
    }
    app.transact(async move |tx| queue::job::prove_writable(tx).await.map_err(Error::from)).await?;
    Ok((StatusCode::OK, concat!("ready ", env!("CARGO_PKG_VERSION"))).into_response())
}
