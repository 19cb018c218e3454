//! Forgetting what need not be kept: answers, events, sessions whose time is over.
//!
//! Everything is found on the reading side and deleted in small units of the background lane, so
//! that no request ever waits for it.

use std::future::Future;
use std::time::Duration;

use db::tx::Tx;

use crate::app::App;
use crate::error::Result;
use crate::http::idempotency;
use crate::ids::{Mode, Scope};
use crate::webhooks::deliveries;
use crate::{events, merchants};

/// How long events can be listed and sent again.
pub const EVENTS_KEPT: Duration = Duration::from_secs(30 * 24 * 3600);
const EVERY: Duration = Duration::from_secs(15 * 60);
/// How many rows one unit forgets.
pub const BATCH: i64 = 500;

/// Forgets again and again until `stop` resolves.
pub async fn serve(app: App, stop: impl Future<Output = ()>) {
    tokio::pin!(stop);
    loop {
        if let Err(error) = run(&app).await {
            tracing::warn!(%error, "housekeeping failed; it will be tried again");
        }
        if tokio::time::timeout(EVERY, &mut stop).await.is_ok() {
            return;
        }
    }
}

/// Forgets everything whose time is over; answers how many rows.
pub async fn run(app: &App) -> Result<u64> {
    let mut forgotten = until_done(app, async |tx| idempotency::forget(tx, BATCH).await).await?;
    forgotten += until_done(app, async |tx| merchants::forget_sessions(tx, BATCH).await).await?;
    let before = app.database.sources().first_id(app.now().minus(EVENTS_KEPT));
    for merchant in app.scan(async |tx| merchants::all(tx).await).await? {
        for mode in [Mode::Development, Mode::Production] {
            let scope = Scope { merchant, mode, ahead: Duration::ZERO };
            let old = app.read(async move |tx| events::any_before(tx, scope, before).await);
            if old.await? {
                forgotten += until_done(app, async move |tx| {
                    deliveries::forget(tx, scope, before, BATCH).await
                })
                .await?;
                forgotten +=
                    until_done(app, async move |tx| events::forget(tx, scope, before, BATCH).await)
                        .await?;
            }
        }
    }
    Ok(forgotten)
}

async fn until_done(
    app: &App,
    unit: impl AsyncFn(&Tx) -> Result<u64> + Clone + Send + 'static,
) -> Result<u64> {
    let mut forgotten = 0;
    loop {
        let rows = app.transact_later(unit.clone()).await?;
        if rows == 0 {
            return Ok(forgotten);
        }
        forgotten += rows;
    }
}
