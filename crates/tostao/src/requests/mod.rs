//! The request log: what a merchant's programs sent, and what they were answered.
//!
//! It says why a request was refused, never what happened to money: a row is written a moment after
//! the response, by a unit of its own, and is lost if the server is killed before or if more
//! requests arrive than can be written. Only requests whose caller is known are in it.
//!
//! ```text
//! middleware ──▶ recording: who asked what ──▶ queue, in memory ──▶ redaction ──▶ request_log
//! ```
//!
//! Rows are kept for 30 days, and about the newest 50,000 of an account and mode.

use std::time::Duration;

use db::time::Timestamp;
use db::tx::Tx;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::platform::error::{Error, Result};
use crate::platform::http::page::{Listed, Page};
use crate::platform::ids::{CredentialId, MerchantId, Mode, RequestLogId, Scope};
use crate::requests::list::{Filter, FilterQuery};

pub mod api;
pub mod list;
pub mod queue;
pub mod recording_api;
pub mod redaction;
mod store;
mod stream_api;

/// For how long rows are kept.
pub const KEPT: Duration = Duration::from_secs(30 * 24 * 3600);
/// How many rows of an account and mode are kept.
const ROWS_MAX: i64 = 50_000;
/// How soon after an object was made the request that made it is stored.
const STORED_WITHIN: Duration = Duration::from_mins(5);
/// How many groups of refusals are shown.
const GROUPS_MAX: i64 = 100;
/// The topic of notices about new rows of a merchant.
const LOGGED: &str = "requests logged";

/// A request with its response, as it is stored: nothing personal is left in it.
#[derive(Debug, Clone)]
pub struct RequestRecord {
    pub merchant: MerchantId,
    pub mode: Mode,
    pub request_id: String,
    pub created_at: Timestamp,
    pub method: String,
    pub route: String,
    pub path: String,
    pub query: Option<String>,
    pub status: u16,
    pub refusal: Option<Refusal>,
    pub duration: Duration,
    pub key: Option<UsedKey>,
    pub client_network: String,
    pub idempotency_key: Option<String>,
    pub is_replayed: bool,
    pub is_dry_run: bool,
    pub request_bytes: i64,
    pub response_bytes: i64,
    /// The object of the response, or the one that the path names.
    pub object: Option<Uuid>,
    pub request_body: Option<String>,
    pub response_body: Option<String>,
}

/// Why a request was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub code: String,
    /// The first field with a fault, and its code.
    pub field: Option<(String, String)>,
}

/// The API key of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsedKey {
    pub id: CredentialId,
    pub last4: String,
}

/// A stored request.
#[derive(Debug, Clone)]
pub struct LoggedRequest {
    pub id: RequestLogId,
    pub record: RequestRecord,
}

/// Refusals of one kind.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RequestErrorGroup")]
pub struct RefusalGroup {
    pub method: String,
    /// The route's pattern, such as `/api/v1/transactions/{id}`.
    pub route: String,
    pub status: i64,
    pub code: Option<String>,
    /// The first invalid field; null if the refusal names none.
    pub field: Option<String>,
    /// The code of the field's fault.
    pub field_code: Option<String>,
    /// How many requests were refused like this.
    pub count: i64,
    pub first_at: Timestamp,
    pub last_at: Timestamp,
    /// The `X-Request-Id` of the newest one.
    pub example: String,
}

/// Stores requests.
pub async fn record(tx: &Tx, records: &[RequestRecord]) -> Result<()> {
    for record in records {
        store::insert(tx, record).await?;
        tx.notify(LOGGED, record.merchant.0);
    }
    Ok(())
}

/// Lists requests, newest first.
pub async fn list(
    tx: &Tx,
    scope: Scope,
    filter: &Filter,
    page: Page,
) -> Result<Listed<LoggedRequest>> {
    let rows = store::list(tx, scope, filter, page).await?;
    let total = store::count(tx, scope, filter).await?;
    Ok(page.listed(rows, total, |logged| logged.id.0))
}

/// A page of the list, whose matches are not counted.
pub async fn page(
    tx: &Tx,
    scope: Scope,
    filter: &Filter,
    page: Page,
) -> Result<Listed<LoggedRequest>> {
    let rows = store::list(tx, scope, filter, page).await?;
    Ok(page.uncounted(rows, |logged| logged.id.0))
}

/// Finds the newest request with an `X-Request-Id`, which callers may choose and repeat.
pub async fn find(tx: &Tx, scope: Scope, request_id: &str) -> Result<LoggedRequest> {
    let found = store::find(tx, scope, request_id).await?;
    found.ok_or(Error::NotFound("Request"))
}

/// The `X-Request-Id` of the request to a route that made an object, if it is still in the log.
///
/// It is looked for among the rows that were stored soon after the object's id was made.
pub async fn that_made(tx: &Tx, scope: Scope, route: &str, object: Uuid) -> Result<Option<String>> {
    let query = FilterQuery {
        method: Some("POST".to_owned()),
        route: Some(route.to_owned()),
        status: Some("2xx".to_owned()),
        object_id: Some(object),
        ..FilterQuery::default()
    };
    let soon = RequestLogId(later(object, STORED_WITHIN));
    let found = store::between(tx, scope, (RequestLogId(object), soon), &query.read()?, 1).await?;
    Ok(found.into_iter().next().map(|logged| logged.record.request_id))
}

/// An id as far after another one as a span, by the milliseconds with which ids begin.
fn later(id: Uuid, by: Duration) -> Uuid {
    Uuid::from_u128(id.as_u128().saturating_add(by.as_millis() << 80))
}

/// Groups refused requests, the most frequent kind first.
pub async fn refusals(tx: &Tx, scope: Scope, filter: &Filter) -> Result<Vec<RefusalGroup>> {
    store::refusals(tx, scope, filter, GROUPS_MAX).await
}

/// Lists the requests after one, oldest first; also returns the last one that was looked at.
pub async fn after(
    tx: &Tx,
    scope: Scope,
    last: RequestLogId,
    filter: &Filter,
    most: i64,
) -> Result<(Vec<LoggedRequest>, RequestLogId)> {
    let Some(newest) = store::newest(tx, scope, last).await? else {
        return Ok((Vec::new(), last));
    };
    let read = store::between(tx, scope, (last, newest), filter, most).await?;
    let is_cut = i64::try_from(read.len()).is_ok_and(|count| count >= most);
    let seen = read.last().filter(|_| is_cut).map_or(newest, |logged| logged.id);
    Ok((read, seen))
}

/// The id before which rows are to be deleted: those from before `first`, and those that are not
/// among the newest. `None` if there are none.
pub async fn boundary(tx: &Tx, scope: Scope, first: Uuid) -> Result<Option<Uuid>> {
    let oldest_kept = store::oldest_of_newest(tx, scope, ROWS_MAX).await?;
    let boundary = oldest_kept.map_or(first, |kept| first.max(kept));
    let any = store::any_before(tx, scope, boundary).await?;
    Ok(any.then_some(boundary))
}

/// Deletes rows before an id; returns how many.
pub async fn delete_before(tx: &Tx, scope: Scope, boundary: Uuid, most: i64) -> Result<u64> {
    store::delete_before(tx, scope, boundary, most).await
}

/// Deletes all rows of a scope; returns how many.
pub async fn clear(tx: &Tx, scope: Scope, most: i64) -> Result<u64> {
    store::clear(tx, scope, most).await
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use uuid::Uuid;

    use super::later;

    #[test]
    fn ids_begin_with_their_milliseconds() {
        let id = Uuid::from_u128(0x0193_1b2c_0000_7000_8000_0000_0000_0000);
        let soon = Uuid::from_u128(0x0193_1b2c_03e8_7000_8000_0000_0000_0000);
        assert_eq!(later(id, Duration::from_secs(1)), soon);
    }
}
