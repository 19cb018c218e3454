//! Listening on a developer's machine.

use std::time::Duration;

use axum::extract::State;
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use db::time::Timestamp;
use db::tx::Tx;
use futures_util::stream::Stream;
use outbound::failure::Failure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::auth::caller::Caller;
use crate::platform::error::{Error, FieldErrors, FieldFault, Result};
use crate::platform::fields;
use crate::platform::http::body::Body;
use crate::platform::http::context::Context;
use crate::platform::http::path::{ParentParam, PathParam};
use crate::platform::http::rate_limit::{LISTENERS, WEBHOOK_TEST};
use crate::platform::http::reply::{Message, Ok200};
use crate::platform::http::sse::unbuffered;
use crate::platform::ids::{EventId, WebhookId};
use crate::platform::openapi::describe::DescribeReply;
use crate::platform::openapi::operation::Operation;
use crate::platform::permissions::{WebhooksRead, WebhooksWrite};
use crate::webhooks::deliveries::listening;
use crate::webhooks::listeners::stream_api::stream as deliver;
use crate::webhooks::listeners::{self, Listener, NewListener};
use crate::webhooks::outcome::AttemptOutcome;
use crate::webhooks::secret::Secret;
use crate::webhooks::view::{check_count, check_events};

const NAME_MAX: usize = 100;
const EXCERPT_MAX: usize = 1_024;
const STATUSES: std::ops::RangeInclusive<u16> = 100..=599;
const PAST_SECONDS_MAX: u64 = 24 * 3_600;
/// A day; what is more says nothing.
const MS_MAX: u64 = 24 * 3_600 * 1_000;

/// Who wants to listen, and to what.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "OpenListenerRequest")]
pub struct OpenBody {
    /// The developer's name for the machine. The same name is the same listener.
    #[schemars(length(min = 1, max = 100))]
    name: String,
    /// The event types to receive, or `*` for all, which is the default of a new listener; an empty
    /// list is for redeliveries alone. Omitted, those of a listener that exists stay.
    #[schemars(length(max = 100))]
    events: Option<Vec<String>>,
    /// Also sends the events of the last so many seconds, whether or not they were sent before; at
    /// most 100, the newest.
    #[schemars(range(min = 1, max = 86_400))]
    since_seconds: Option<u64>,
}

/// A listener with its secret, which is the same each time.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Listener")]
pub struct ListenerView {
    id: WebhookId,
    name: String,
    events: Vec<String>,
    /// The secret that signs its deliveries.
    secret: String,
}

/// A response with a listener.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListenerResponse")]
pub struct ListenerReply {
    success: bool,
    data: ListenerView,
}

/// What the machine's program made of a delivery.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AnswerDeliveryRequest")]
#[schemars(extend("examples" = [{ "series": 0, "status": 200, "ms": 12 }]))]
pub struct AnswerBody {
    /// The number that came with the delivery; it grows with each redelivery.
    series: i64,
    /// The HTTP status of the program's response; null if there was none.
    #[schemars(range(min = 100, max = 599))]
    status: Option<u16>,
    /// Why there was no response. Defaults to `connect`.
    error: Option<AnswerError>,
    /// How long the program took, in milliseconds.
    #[schemars(range(max = MS_MAX))]
    ms: u64,
    /// The start of the program's response.
    #[schemars(length(max = 1024))]
    excerpt: Option<String>,
}

/// Why a program gave no response.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "DeliveryAnswerError")]
pub enum AnswerError {
    /// It accepted no connection.
    #[default]
    Connect,
    /// It took too long.
    Timeout,
    /// It closed the connection, or its response is none.
    Closed,
}

/// A listener of the list, without its secret.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ListenerSummary")]
pub struct ListenerSummary {
    id: WebhookId,
    name: String,
    events: Vec<String>,
    /// When it was last opened or connected; reading it does not count.
    seen_at: Timestamp,
}

/// All listeners of an account.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListenerList")]
pub struct ListenerList {
    success: bool,
    data: Vec<ListenerSummary>,
}

/// The stream of a listener's deliveries.
#[derive(Debug)]
pub struct DeliveryStream<S>(Sse<S>);

/// Whether an answer was recorded.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AnswerDeliveryResponse")]
pub struct AnswerReply {
    success: bool,
    /// False if the delivery has been answered, or started again, meanwhile.
    recorded: bool,
}

impl<S> IntoResponse for DeliveryStream<S>
where
    Sse<S>: IntoResponse,
{
    fn into_response(self) -> Response {
        unbuffered(self.0)
    }
}

impl<S> DescribeReply for DeliveryStream<S> {
    fn describe_reply(operation: &mut Operation) {
        let description = "Server-sent events named `delivery`; `id` is the event's. The data is \
            JSON: `eventId`, `event`, `series`, and the `headers` and the `body` of a delivery. A \
            last event named `replaced` says that the listener has a newer connection.";
        operation.other_reply(200, "text/event-stream", description);
    }
}

/// POST /api/dev/listeners
pub async fn open(
    State(app): State<App>,
    caller: Caller<WebhooksWrite>,
    Context(context): Context,
    body: Body<OpenBody>,
) -> Result<Ok200<ListenerReply>> {
    let scope = caller.scope.expect_development()?;
    let new = check(body.value)?;
    let zone = if new.past.is_some() { &WEBHOOK_TEST } else { &LISTENERS };
    app.check_rate_limit(&context, zone, scope)?;
    let secrets = app.secrets.clone();
    let unit = async move |tx: &Tx| listeners::open(tx, scope, &secrets, &new).await;
    let (listener, secret) = app.transact_for(scope.merchant, unit).await?;
    let secret = secret.expose().to_owned();
    let Listener { id, name, events, .. } = listener;
    Ok(Ok200(ListenerReply { success: true, data: ListenerView { id, name, events, secret } }))
}

/// GET /api/dev/listeners
pub async fn list(
    State(app): State<App>,
    caller: Caller<WebhooksRead>,
) -> Result<Ok200<ListenerList>> {
    let scope = caller.scope.expect_development()?;
    let listed = app.read(async move |tx| listeners::list(tx, scope).await).await?;
    let summary =
        |Listener { id, name, events, seen_at, .. }| ListenerSummary { id, name, events, seen_at };
    let data = listed.into_iter().map(summary).collect();
    Ok(Ok200(ListenerList { success: true, data }))
}

/// GET /api/dev/listeners/{id}
pub async fn show(
    State(app): State<App>,
    caller: Caller<WebhooksWrite>,
    PathParam(id): PathParam<WebhookId>,
) -> Result<Ok200<ListenerReply>> {
    let scope = caller.scope.expect_development()?;
    let listener = app.read(async move |tx| listeners::find(tx, scope, id).await).await?;
    let secret = secret_of(&app, &listener)?.expose().to_owned();
    let Listener { id, name, events, .. } = listener;
    Ok(Ok200(ListenerReply { success: true, data: ListenerView { id, name, events, secret } }))
}

/// GET /api/dev/listeners/{id}/deliveries
///
/// Every delivery without an answer is sent, whatever `Last-Event-ID` says: one that was lost on
/// the way has no answer either.
pub async fn stream(
    State(app): State<App>,
    caller: Caller<WebhooksWrite>,
    Context(context): Context,
    PathParam(id): PathParam<WebhookId>,
) -> Result<DeliveryStream<impl Stream<Item = Result<Event>> + use<>>> {
    let scope = caller.scope.expect_development()?;
    app.check_rate_limit(&context, &LISTENERS, scope)?;
    let place = app.listeners.try_acquire(scope.merchant);
    let place = place.ok_or(Error::TooMany { retry_after_seconds: 5, limit: None })?;
    let unit = async move |tx: &Tx| listeners::connect(tx, scope, id).await;
    let listener = app.transact(unit).await?;
    let secret = secret_of(&app, &listener)?;
    Ok(DeliveryStream(deliver(&app, scope, (listener, secret), place)))
}

/// POST /api/dev/listeners/{id}/deliveries/{eventId}
pub async fn answer(
    State(app): State<App>,
    caller: Caller<WebhooksWrite>,
    ParentParam(id): ParentParam<WebhookId>,
    PathParam(event): PathParam<EventId>,
    body: Body<AnswerBody>,
) -> Result<Ok200<AnswerReply>> {
    let scope = caller.scope.expect_development()?;
    let (series, outcome) = check_answer(body.value)?;
    let recorded = app
        .transact(async move |tx| {
            listeners::find(tx, scope, id).await?;
            listening::answer(tx, scope, id, (event, series), &outcome).await
        })
        .await?;
    Ok(Ok200(AnswerReply { success: true, recorded }))
}

/// DELETE /api/dev/listeners/{id}
pub async fn delete(
    State(app): State<App>,
    caller: Caller<WebhooksWrite>,
    PathParam(id): PathParam<WebhookId>,
) -> Result<Ok200<Message>> {
    let scope = caller.scope.expect_development()?;
    app.transact(async move |tx| listeners::delete(tx, scope, id).await).await?;
    Ok(Ok200(Message { message: "Listener deleted." }))
}

fn secret_of(app: &App, listener: &Listener) -> Result<Secret> {
    let secret = Secret::open(&app.secrets, listener.id, &listener.secret);
    secret.ok_or_else(|| {
        let message = "The server can no longer read the listener's secret. Open it again.";
        Error::State { current: "UNREADABLE".into(), message: message.into() }
    })
}

impl AnswerError {
    /// The code under which a delivery to a URL fails for the same reason.
    fn code(self) -> &'static str {
        match self {
            Self::Connect => Failure::Connect,
            Self::Timeout => Failure::Timeout,
            Self::Closed => Failure::Closed,
        }
        .code()
    }
}

fn check(body: OpenBody) -> Result<NewListener> {
    let OpenBody { name, events, since_seconds } = body;
    let mut wrong = FieldErrors::new();
    let name = wrong.read("name", fields::name(&name, 1, NAME_MAX));
    if let Some(events) = events.as_ref().filter(|events| !events.is_empty()) {
        check_count(&mut wrong, events);
    }
    if since_seconds.is_some_and(|seconds| !(1..=PAST_SECONDS_MAX).contains(&seconds)) {
        let message = format!("must be from 1 to {PAST_SECONDS_MAX}");
        wrong.add("sinceSeconds", FieldFault::new("INVALID_VALUE", message));
    }
    wrong.finish()?;
    let past = since_seconds.map(Duration::from_secs);
    let events = events.map(check_events).transpose()?;
    Ok(NewListener { name: name.unwrap_or_default(), events, past })
}

fn check_answer(body: AnswerBody) -> Result<(i64, AttemptOutcome)> {
    let AnswerBody { series, status, error, ms, excerpt } = body;
    let mut wrong = FieldErrors::new();
    if status.is_some_and(|status| !STATUSES.contains(&status)) {
        let message = "must be an HTTP status from 100 to 599, or null";
        wrong.add("status", FieldFault::new("INVALID_VALUE", message));
    }
    if ms > MS_MAX {
        wrong.add("ms", FieldFault::new("OUT_OF_RANGE", format!("must be at most {MS_MAX}")));
    }
    let excerpt = wrong.read("excerpt", fields::optional_text(excerpt.as_deref(), EXCERPT_MAX));
    wrong.finish()?;
    let took = Duration::from_millis(ms);
    let answer = status.ok_or_else(|| error.unwrap_or_default().code());
    Ok((series, AttemptOutcome::reported(answer, excerpt.flatten(), took)))
}
