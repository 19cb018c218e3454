//! Reading and advancing the developer's clock.

use std::time::Duration;

use axum::extract::State;
use db::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::auth::caller::Caller;
use crate::auth::permissions::{TransactionsRead, TransactionsWrite};
use crate::error::{Error, Refusal, Result};
use crate::http::body::Body;
use crate::http::idempotency::{Once, Replayable};
use crate::http::reply::Done;
use crate::ids::Scope;
use crate::jobs;
use crate::merchants::clock::{self, ClockFace, Step};

/// How far to advance the clock: exactly one of `seconds` and `to`.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "AdvanceTestClockRequest")]
pub struct AdvanceBody {
    /// The number of seconds to advance by.
    #[schemars(range(min = 1, max = 63_244_800))]
    seconds: Option<i64>,
    /// The time to advance to.
    to: Option<Timestamp>,
}

/// The clock of the development environment.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "TestClock")]
pub struct ClockView {
    /// The current time of the development environment.
    now: Timestamp,
    /// How many seconds the test clock is ahead of real time.
    ahead_seconds: u64,
}

/// A response with the test clock.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "TestClockResponse")]
pub struct ClockReply {
    message: &'static str,
    data: ClockView,
}

/// GET /api/dev/clock
pub async fn show(
    State(app): State<App>,
    caller: Caller<TransactionsRead>,
) -> Result<Done<ClockReply>> {
    let scope = development(caller.scope)?;
    let face = app.read(async move |tx| Ok(clock::face(tx, scope))).await?;
    Ok(Done(reply("The developer's clock.", face)))
}

/// POST /api/dev/clock/advance
///
/// Our own work that falls due on the way is done before the answer.
pub async fn advance(
    State(app): State<App>,
    caller: Caller<TransactionsWrite>,
    once: Once,
    body: Body<AdvanceBody>,
) -> Result<Replayable<Done<ClockReply>>> {
    let scope = development(caller.scope)?;
    let Body { value, raw } = body;
    let step = step(&value)?;
    // What is under way reckons by the clock as it began, and would be late by the whole step.
    jobs::run_developers_work(&app, scope.merchant).await?;
    let advanced = app.transact_once(once.ticket(scope, &raw), async move |tx| {
        // Sent again, the instant has passed by then, and the first answer is given all the same.
        let scope = clock::advance(tx, scope, step).await?;
        Ok(Done(reply("The clock was advanced.", clock::face(tx, scope))))
    });
    let answer = advanced.await?;
    app.pages.forget(scope.merchant);
    jobs::run_developers_work(&app, scope.merchant).await?;
    Ok(answer)
}

/// Refuses a scope whose money is real.
pub fn development(scope: Scope) -> Result<Scope> {
    if scope.mode.is_development() {
        return Ok(scope);
    }
    let message = "This exists only for development keys.";
    Err(Error::refused(Refusal::DevModeOnly, message))
}

fn step(body: &AdvanceBody) -> Result<Step> {
    match (body.seconds, body.to) {
        (Some(seconds), None) => match u64::try_from(seconds) {
            Ok(seconds) if seconds > 0 => Ok(Step::By(Duration::from_secs(seconds))),
            _ => Err(Error::field("seconds", "OUT_OF_RANGE", "must be at least 1")),
        },
        (None, Some(to)) => Ok(Step::To(to)),
        _ => Err(Error::field("seconds", "REQUIRED", "send either seconds or to")),
    }
}

fn reply(message: &'static str, face: ClockFace) -> ClockReply {
    let data = ClockView { now: face.now, ahead_seconds: face.ahead.as_secs() };
    ClockReply { message, data }
}
