//! Reading and advancing the sandbox clock.

use std::time::Duration;

use axum::extract::State;
use db::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::audit::Action;
use crate::audit::ticket::{Ticket, note};
use crate::auth::caller::Caller;
use crate::development::{DueWork, advance_clock, due_work};
use crate::idempotency::dry_run::DryRun;
use crate::idempotency::{IdempotencyHeader, Replayable};
use crate::merchants::clock::{self, ClockAdvance, ClockReading};
use crate::platform::error::{Error, Result};
use crate::platform::http::body::Body;
use crate::platform::http::reply::Ok200;
use crate::platform::permissions::{TransactionsRead, TransactionsWrite};
use crate::worker;

/// How far to advance the clock: exactly one of `seconds` and `to`.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "AdvanceTestClockRequest")]
#[schemars(extend("examples" = [{ "seconds": 86_400 }]))]
pub struct AdvanceBody {
    /// The number of seconds to advance by.
    #[schemars(range(min = 1, max = 63_244_800))]
    pub seconds: Option<i64>,
    /// The time to advance to.
    pub to: Option<Timestamp>,
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
#[serde(rename_all = "camelCase")]
#[schemars(rename = "TestClockResponse")]
pub struct ClockReply {
    message: &'static str,
    data: ClockView,
    /// The work that would fall due on the way; only in a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    would_run: Option<Vec<DueWork>>,
}

/// GET /api/dev/clock
pub async fn show(
    State(app): State<App>,
    caller: Caller<TransactionsRead>,
) -> Result<Ok200<ClockReply>> {
    let scope = caller.scope.expect_development()?;
    let face = app.read(async move |tx| Ok(clock::face(tx, scope))).await?;
    Ok(Ok200(reply("The test clock.", face)))
}

/// POST /api/dev/clock/advance
///
/// Our own work that falls due on the way is done before the answer.
pub async fn advance(
    State(app): State<App>,
    caller: Caller<TransactionsWrite>,
    dry_run: DryRun,
    once: IdempotencyHeader,
    body: Body<AdvanceBody>,
) -> Result<Replayable<Ok200<ClockReply>>> {
    let Body { value, raw } = body;
    let ticket = Ticket::of_program(caller.scope, once.key(caller.scope, &raw), dry_run);
    ask_to_advance(&app, ticket, &value).await
}

/// Advances the clock, as a program or a person asks.
pub async fn ask_to_advance(
    app: &App,
    ticket: Ticket,
    body: &AdvanceBody,
) -> Result<Replayable<Ok200<ClockReply>>> {
    let Ticket { scope, key, dry_run, by } = ticket;
    let scope = scope.expect_development()?;
    let (step, shows_work) = (step(body)?, dry_run.is_wanted());
    if !shows_work {
        // Jobs in progress use the clock as it was when they started, and would be late by the
        // whole step.
        worker::run_developers_work(app, scope.merchant).await?;
    }
    let pages = app.pages.clone();
    let advanced = app.change_once(dry_run, scope, key, async move |tx| {
        // In a retry the instant has passed already, and the first response is replayed all the
        // same.
        let scope = advance_clock(tx, scope, step).await?;
        note(tx, scope, by.as_ref(), Action::ClockAdvanced, scope.merchant.0).await?;
        pages.invalidate_once_committed(tx, scope.merchant);
        let message = if shows_work {
            "Dry run: the clock was not advanced."
        } else {
            "The clock was advanced."
        };
        let answer = reply(message, clock::face(tx, scope));
        let would_run = if shows_work { Some(due_work(tx, scope).await?) } else { None };
        Ok(Ok200(ClockReply { would_run, ..answer }))
    });
    let answer = advanced.await?;
    if !shows_work {
        worker::run_developers_work(app, scope.merchant).await?;
    }
    Ok(answer)
}

fn step(body: &AdvanceBody) -> Result<ClockAdvance> {
    match (body.seconds, body.to) {
        (Some(seconds), None) => match u64::try_from(seconds) {
            Ok(seconds) if seconds > 0 => Ok(ClockAdvance::By(Duration::from_secs(seconds))),
            _ => Err(Error::field("seconds", "OUT_OF_RANGE", "must be at least 1")),
        },
        (None, Some(to)) => Ok(ClockAdvance::To(to)),
        _ => Err(Error::field("seconds", "REQUIRED", "send either seconds or to")),
    }
}

fn reply(message: &'static str, face: ClockReading) -> ClockReply {
    let data = ClockView { now: face.now, ahead_seconds: face.ahead.as_secs() };
    ClockReply { message, data, would_run: None }
}
