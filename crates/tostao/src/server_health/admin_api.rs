//! Administrators read what the server knows of itself.

use axum::extract::State;
use db::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::auth::caller::Admin;
use crate::platform::error::Result;
use crate::platform::http::reply::Ok200;
use crate::server_health::{self, Line, Part, Reason, Status};

/// What the answer is made of.
pub const WHAT_IT_SHOWS: &str = "The same in both environments: it is about the server. Nothing is \
    asked of anyone outside. Of backups, those are known that `tostao backup` has finished; those \
    of PostgreSQL are made by its own tools. Jobs are retried without end: one whose every try has \
    failed for a day, also where its provider failed it, is `JOBS_DEAD`; the error is in the log's \
    line `job failed`, or in the line before `job failed at its provider`.";

/// A part of the server.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "HealthLine")]
pub struct LineView {
    part: Part,
    status: Status,
    reason: Reason,
    /// How many there are of what the reason is about: migrations that are missing, jobs that are
    /// due, jobs that have failed in every try for an hour, mails that wait, ledgers with a fault,
    /// connections.
    count: Option<i64>,
    /// Since when the first of them waits or fails; of the ledger, when a verification was last
    /// completed, and of backups, when one was last finished.
    at: Option<Timestamp>,
}

/// What the server knows of itself.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ServerHealth")]
pub struct HealthView {
    /// The worst status of all parts.
    status: Status,
    checked_at: Timestamp,
    parts: Vec<LineView>,
}

/// A response with what the server knows of itself.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ServerHealthResponse")]
pub struct HealthReply {
    message: &'static str,
    data: HealthView,
}

/// GET /api/admin/health
pub async fn show(State(app): State<App>, _: Admin) -> Result<Ok200<HealthReply>> {
    let health = server_health::read(&app).await?;
    let line = |line: &Line| LineView {
        part: line.part,
        status: line.reason.status(),
        reason: line.reason,
        count: line.count,
        at: line.at,
    };
    let parts = health.lines.iter().map(line).collect();
    let data = HealthView { status: health.status(), checked_at: health.checked_at, parts };
    Ok(Ok200(HealthReply { message: "The server.", data }))
}
