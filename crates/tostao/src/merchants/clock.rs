//! The sandbox clock: a merchant's development data may live ahead of time.

use std::time::Duration;

use db::time::Timestamp;
use db::tx::Tx;

use crate::merchants::{self, store};
use crate::platform::error::{Error, Result};
use crate::platform::ids::{MerchantId, Scope};

/// The longest single step: two years.
const STEP_MAX: Duration = Duration::from_secs(2 * 366 * 24 * 3600);
/// The limit on all steps together, so that no date leaves the calendar.
const AHEAD_MAX: Duration = Duration::from_secs(50 * 366 * 24 * 3600);

/// A reading of the clock.
#[derive(Debug, Clone, Copy)]
pub struct ClockReading {
    pub now: Timestamp,
    pub ahead: Duration,
}

/// How far to advance.
#[derive(Debug, Clone, Copy)]
pub enum ClockAdvance {
    By(Duration),
    To(Timestamp),
}

impl ClockAdvance {
    /// The name of the request's field.
    fn field(self) -> &'static str {
        match self {
            Self::By(_) => "seconds",
            Self::To(_) => "to",
        }
    }

    fn span(self, now: Timestamp) -> Result<Duration> {
        match self {
            Self::By(span) => Ok(span),
            Self::To(at) if at > now => Ok(at.since(now)),
            Self::To(_) => {
                Err(Error::field(self.field(), "NOT_IN_FUTURE", "must be in the future"))
            }
        }
    }
}

/// Advances the clock of a development scope, for every job that waits in it as well; returns the
/// scope with its new time, and by how much it was advanced.
pub async fn advance(tx: &Tx, scope: Scope, step: ClockAdvance) -> Result<(Scope, Duration)> {
    // Another unit may have advanced the clock meanwhile.
    merchants::lock(tx, scope.merchant).await?;
    let scope = merchants::scope(tx, scope.merchant, scope.mode).await?;
    let too_far = |message| Error::field(step.field(), "OUT_OF_RANGE", message);
    let by = step.span(scope.now(tx))?;
    if by > STEP_MAX {
        return Err(too_far("must not be more than two years ahead"));
    }
    let ahead = store::advance(tx, scope.merchant, by).await?;
    if ahead > AHEAD_MAX {
        return Err(too_far("the clock cannot run more than fifty years ahead"));
    }
    queue::job::advance(tx, scope.merchant.0, by).await?;
    Ok((Scope { ahead, ..scope }, by))
}

/// Resets the clock to the system clock, once nothing dated by it is left.
pub async fn put_back(tx: &Tx, merchant: MerchantId) -> Result<()> {
    store::put_clock_back(tx, merchant).await
}

/// Reads a scope's clock.
pub fn face(tx: &Tx, scope: Scope) -> ClockReading {
    ClockReading { now: scope.now(tx), ahead: scope.ahead }
}
