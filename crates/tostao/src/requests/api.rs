//! Reading the request log.

use std::time::Duration;

use axum::extract::State;
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use db::time::Timestamp;
use futures_util::stream::Stream;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use crate::app::App;
use crate::auth::caller::Caller;
use crate::platform::error::{Error, Result};
use crate::platform::http::context::Context;
use crate::platform::http::error_response::doc_url;
use crate::platform::http::page::{PageQuery, Pagination};
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::http::rate_limit::REQUEST_LOG;
use crate::platform::http::reply::Ok200;
use crate::platform::http::sse::{LastEventId, unbuffered};
use crate::platform::ids::{CredentialId, RequestLogId};
use crate::platform::openapi::describe::DescribeReply;
use crate::platform::openapi::operation::Operation;
use crate::platform::permissions::RequestsRead;
use crate::requests::list::FilterQuery;
use crate::requests::stream_api;
use crate::requests::{self, LoggedRequest, RefusalGroup, RequestRecord};

/// How far back a stream resumes.
const RESUMED_WITHIN: Duration = Duration::from_secs(3_600);

/// A request that a program or a person sent.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "LoggedRequest")]
pub struct RequestView {
    id: RequestLogId,
    /// The `X-Request-Id`; a caller may choose it, and repeat it.
    request_id: String,
    created_at: Timestamp,
    method: String,
    /// The route's pattern, such as `/api/v1/transactions/{id}`.
    route: String,
    path: String,
    /// The query, in which personal values are masked.
    query: Option<String>,
    #[schemars(range(min = 100, max = 599))]
    status: u16,
    /// The error code; null if the request was not refused.
    code: Option<String>,
    /// The first invalid field, if the refusal names one.
    field: Option<String>,
    /// The code of the field's fault.
    field_code: Option<String>,
    /// A page about the error code.
    doc_url: Option<String>,
    /// How long the server took, in microseconds.
    duration_micros: u64,
    /// The API key; null for a person who is signed in.
    credential_id: Option<CredentialId>,
    /// The last four characters of the API key.
    key_last4: Option<String>,
    /// The caller's network: the address without its last part.
    client_network: String,
    idempotency_key: Option<String>,
    /// Whether the response was that of an earlier request with the same `Idempotency-Key`.
    replayed: bool,
    /// Whether it asked for a dry run: nothing was done.
    dry_run: bool,
    /// The size of the request's body in bytes.
    request_bytes: i64,
    /// The size of the response's body in bytes; 0 for a stream.
    response_bytes: i64,
    /// The object of the response, or the one that the path names.
    object_id: Option<Uuid>,
}

/// A request with its bodies.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "LoggedRequestDetails")]
pub struct DetailedView {
    #[serde(flatten)]
    request: RequestView,
    /// The body that was sent, at most 4,096 characters: JSON, or a text if it was cut. In
    /// production it is kept only if the request was refused, and a text shows its length alone, as
    /// `***(12)`; in development secrets are hidden.
    request_body: Option<Value>,
    /// The body of the response, likewise.
    response_body: Option<Value>,
}

/// A page of requests, newest first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LoggedRequestList")]
pub struct RequestList {
    success: bool,
    data: Vec<RequestView>,
    pagination: Pagination,
}

/// A response with one request.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LoggedRequestResponse")]
pub struct RequestReply {
    success: bool,
    data: DetailedView,
}

/// Refused requests by their kind, the most frequent first; at most 100 kinds.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RequestErrorGroupList")]
pub struct RefusalList {
    success: bool,
    data: Vec<RefusalGroup>,
}

/// The stream of requests.
#[derive(Debug)]
pub struct RequestStream<S>(Sse<S>);

impl<S> IntoResponse for RequestStream<S>
where
    Sse<S>: IntoResponse,
{
    fn into_response(self) -> Response {
        unbuffered(self.0)
    }
}

impl<S> DescribeReply for RequestStream<S> {
    fn describe_reply(operation: &mut Operation) {
        let description = "Server-sent events named `request`; the data is that of an entry of \
            the list, in JSON. A stream resumes after the `id` in `Last-Event-ID`.";
        operation.other_reply(200, "text/event-stream", description);
    }
}

/// GET /api/requests
pub async fn list(
    State(app): State<App>,
    caller: Caller<RequestsRead>,
    Query(page): Query<PageQuery>,
    Query(query): Query<FilterQuery>,
) -> Result<Ok200<RequestList>> {
    let (scope, page, filter) = (caller.scope, page.read()?, query.read()?);
    app.requests.write(&app.database).await;
    let unit = async move |tx: &_| requests::list(tx, scope, &filter, page).await;
    let listed = app.scan_for(scope.merchant, unit).await?;
    let pagination = page.pagination(&listed);
    let view = |logged| RequestView::new(logged, &app.settings.base_url());
    let data = listed.rows.into_iter().map(view).collect();
    Ok(Ok200(RequestList { success: true, data, pagination }))
}

/// GET /api/requests/errors
pub async fn errors(
    State(app): State<App>,
    caller: Caller<RequestsRead>,
    Query(query): Query<FilterQuery>,
) -> Result<Ok200<RefusalList>> {
    let (scope, filter) = (caller.scope, query.read()?);
    app.requests.write(&app.database).await;
    let unit = async move |tx: &_| requests::refusals(tx, scope, &filter).await;
    let data = app.scan_for(scope.merchant, unit).await?;
    Ok(Ok200(RefusalList { success: true, data }))
}

/// GET /api/requests/{requestId}
pub async fn show(
    State(app): State<App>,
    caller: Caller<RequestsRead>,
    PathParam(request_id): PathParam<String>,
) -> Result<Ok200<RequestReply>> {
    let scope = caller.scope;
    app.requests.write(&app.database).await;
    let found = app.read(async move |tx| requests::find(tx, scope, &request_id).await).await?;
    let data = DetailedView::new(found, &app.settings.base_url());
    Ok(Ok200(RequestReply { success: true, data }))
}

/// GET /api/requests/stream
pub async fn stream(
    State(app): State<App>,
    caller: Caller<RequestsRead>,
    Context(context): Context,
    LastEventId(last): LastEventId,
    Query(query): Query<FilterQuery>,
) -> Result<RequestStream<impl Stream<Item = Result<Event>> + use<>>> {
    let (scope, filter) = (caller.scope, query.read()?);
    app.check_rate_limit(&context, &REQUEST_LOG, scope)?;
    let place = app.request_streams.try_acquire(scope.merchant);
    let place = place.ok_or(Error::TooMany { retry_after_seconds: 5, limit: None })?;
    let last = last.map(|id| id.parse()).transpose().map_err(|_| {
        Error::field("Last-Event-ID", "INVALID_VALUE", "must be the id of an event of this stream")
    })?;
    // Without one, from now on: what waits to be written happened before.
    app.requests.write(&app.database).await;
    let sources = app.database.sources();
    let last = last.unwrap_or_else(|| RequestLogId(sources.new_id(app.now())));
    // What is older is in the list.
    let last = last.max(RequestLogId(sources.first_id(app.now().minus(RESUMED_WITHIN))));
    Ok(RequestStream(stream_api::stream(&app, scope, last, filter, place)))
}

impl RequestView {
    /// Shows a request; the page about its code is at the server's public URL.
    pub fn new(LoggedRequest { id, record }: LoggedRequest, base_url: &str) -> Self {
        let code = record.refusal.as_ref().map(|refusal| refusal.code.clone());
        let field = record.refusal.and_then(|refusal| refusal.field);
        let (field, field_code) = field.unzip();
        let (credential_id, key_last4) = record.key.map(|key| (key.id, key.last4)).unzip();
        Self {
            id,
            request_id: record.request_id,
            created_at: record.created_at,
            method: record.method,
            route: record.route,
            path: record.path,
            query: record.query,
            status: record.status,
            doc_url: code.as_ref().map(|code| doc_url(base_url, code)),
            code,
            field,
            field_code,
            duration_micros: u64::try_from(record.duration.as_micros()).unwrap_or(u64::MAX),
            credential_id,
            key_last4,
            client_network: record.client_network,
            idempotency_key: record.idempotency_key,
            replayed: record.is_replayed,
            dry_run: record.is_dry_run,
            request_bytes: record.request_bytes,
            response_bytes: record.response_bytes,
            object_id: record.object,
        }
    }
}

impl DetailedView {
    fn new(mut logged: LoggedRequest, base_url: &str) -> Self {
        let RequestRecord { request_body, response_body, .. } = &mut logged.record;
        let (request_body, response_body) = (request_body.take(), response_body.take());
        // A body that was cut is no JSON any more.
        let shown = |body: String| serde_json::from_str(&body).unwrap_or(Value::String(body));
        Self {
            request: RequestView::new(logged, base_url),
            request_body: request_body.map(shown),
            response_body: response_body.map(shown),
        }
    }
}
