//! The developer's clock: development data of one merchant may live ahead of time.

use std::time::Duration;

use db::time::Timestamp;
use db::tx::Tx;

use crate::error::{Error, Result};
use crate::ids::{MerchantId, Scope};
use crate::merchants::store;

/// How far one step may go: two years.
const STEP_MAX: Duration = Duration::from_secs(2 * 366 * 24 * 3600);
/// How far all steps together may go, so that no date leaves the calendar.
const AHEAD_MAX: Duration = Duration::from_secs(50 * 366 * 24 * 3600);

/// What a clock shows.
#[derive(Debug, Clone, Copy)]
pub struct ClockFace {
    pub now: Timestamp,
    pub ahead: Duration,
}

/// Lets time pass for a development scope and for every job that waits in it.
pub async fn advance(tx: &Tx, scope: Scope, by: Duration) -> Result<Scope> {
    if by > STEP_MAX {
        let message = "must not be more than two years ahead";
        return Err(Error::field("seconds", "OUT_OF_RANGE", message));
    }
    let ahead = store::advance(tx, scope.merchant, by).await?;
    if ahead > AHEAD_MAX {
        let message = "the clock cannot run more than fifty years ahead";
        return Err(Error::field("seconds", "OUT_OF_RANGE", message));
    }
    queue::job::advance(tx, scope.merchant.0, by).await?;
    Ok(Scope { ahead, ..scope })
}

/// Puts the clock back to the machine's, where nothing is left that it dated.
pub async fn put_back(tx: &Tx, merchant: MerchantId) -> Result<()> {
    store::put_clock_back(tx, merchant).await
}

/// Reads a scope's clock.
pub fn face(tx: &Tx, scope: Scope) -> ClockFace {
    ClockFace { now: scope.now(tx), ahead: scope.ahead }
}
