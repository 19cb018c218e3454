//! The events of an account with their deliveries.

use axum::extract::State;
use db::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::app::App;
use crate::audit::Action;
use crate::audit::ticket::{Ticket, note};
use crate::auth::caller::Caller;
use crate::events::names::Name;
use crate::idempotency::dry_run::DryRun;
use crate::idempotency::{IdempotencyHeader, Replayable};
use crate::platform::error::{Error, Result};
use crate::platform::http::body::OptionalBody;
use crate::platform::http::context::{Context, RequestContext};
use crate::platform::http::page::{PageQuery, Pagination, TimeRange};
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::http::rate_limit::WEBHOOK_TEST;
use crate::platform::http::reply::Ok200;
use crate::platform::ids::{EventId, Mode, Scope, WebhookId};
use crate::platform::permissions::{Permission, Permissions, WebhooksRead, WebhooksWrite};
use crate::webhooks;
use crate::webhooks::deliveries::{EventDelivery, Status};
use crate::webhooks::history::{self, EventWithDeliveries, Filter, ListEnd};
use crate::webhooks::readable::lacking;
use crate::webhooks::view::check_event;

/// Which events to list.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListQuery {
    /// Filter by event type or alias.
    pub event: Option<String>,
    /// Filter by the status of a delivery.
    pub status: Option<Status>,
    /// Filter by webhook.
    pub subscription_id: Option<WebhookId>,
    /// Filter by the object that the event is about.
    #[schemars(extend("format" = "uuid"))]
    pub object_id: Option<Uuid>,
    /// Created at or after this time.
    pub from: Option<Timestamp>,
    /// Created before this time.
    pub to: Option<Timestamp>,
    /// Events after the event with this ID, or after this time.
    #[schemars(extend("anyOf" = [{ "format": "uuid" }, { "format": "date-time" }]))]
    pub after: Option<String>,
}

impl ListQuery {
    /// Validates the query.
    pub fn read(self) -> Result<Filter> {
        Ok(Filter {
            name: self.event.as_deref().map(check_event).transpose()?,
            status: self.status,
            webhook: self.subscription_id,
            after: self.after.as_deref().map_or(Ok(ListEnd::Everything), read_after)?,
            object: self.object_id,
            created: TimeRange::new(self.from, self.to),
        })
    }
}

/// Where to redeliver an event.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RedeliverEventRequest")]
pub struct RedeliverBody {
    /// The webhook to redeliver to. Defaults to all that received or subscribe to the event.
    subscription_id: Option<WebhookId>,
}

/// An event and its deliveries.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Event")]
pub struct EventView {
    id: EventId,
    /// The event type, such as `transaction.paid`.
    event: &'static str,
    dev_mode: bool,
    /// True for a test event, which was sent to try out a webhook.
    test: bool,
    /// The ID of the object that the event is about.
    #[schemars(extend("format" = "uuid"))]
    object_id: String,
    /// The version of the object: of two events about one object, the higher is the newer.
    sequence: i64,
    created_at: Timestamp,
    /// How the delivery to each webhook stands.
    deliveries: Vec<EventDelivery>,
    /// The payload that webhooks receive. Omitted in lists, and for keys without permission to read
    /// its object.
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Value>,
    /// The permissions that the key needs to see `data`, if it was omitted for lack of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    required_permissions: Option<Vec<Permission>>,
}

/// A response with one event.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "EventResponse")]
pub struct EventReply {
    success: bool,
    data: EventView,
}

/// A page of events, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EventList {
    success: bool,
    data: Vec<EventView>,
    pagination: Pagination,
}

impl EventReply {
    /// Shows one event; the data that receivers get only if the caller may read its objects.
    pub fn new(
        scope: Scope,
        permissions: &Permissions,
        (found, data): (EventWithDeliveries, String),
    ) -> Result<Self> {
        let required_permissions = withheld_for(permissions, found.name, found.sample);
        let readable = required_permissions.is_none();
        let data = if readable { Some(serde_json::from_str(&data)?) } else { None };
        let view = EventView { data, required_permissions, ..view(scope.mode, found) };
        Ok(Self { success: true, data: view })
    }

    /// A response that has of the event what this one shows, and is the other one otherwise.
    fn fill(&self, bare: &str) -> Result<String> {
        let mut filled: Value = serde_json::from_str(bare)?;
        let shown = serde_json::to_value(&self.data)?;
        if let Some(event) = filled["data"].as_object_mut() {
            for field in ["data", "requiredPermissions"] {
                event.remove(field);
                event.extend(shown.get(field).map(|value| (field.to_owned(), value.clone())));
            }
        }
        Ok(filled.to_string())
    }
}

/// GET /api/webhooks/events
pub async fn list(
    State(app): State<App>,
    caller: Caller<WebhooksRead>,
    Query(page): Query<PageQuery>,
    Query(query): Query<ListQuery>,
) -> Result<Ok200<EventList>> {
    let scope = caller.scope;
    let (page, filter) = (page.read()?, query.read()?);
    let listed = app
        .scan_for(scope.merchant, async move |tx| history::list(tx, scope, &filter, page).await)
        .await?;
    let pagination = page.pagination(&listed);
    let data = listed.rows.into_iter().map(|found| view(scope.mode, found)).collect();
    Ok(Ok200(EventList { success: true, data, pagination }))
}

/// GET /api/webhooks/events/{id}
pub async fn show(
    State(app): State<App>,
    caller: Caller<WebhooksRead>,
    PathParam(id): PathParam<EventId>,
) -> Result<Ok200<EventReply>> {
    let scope = caller.scope;
    let found = app.read(async move |tx| history::find(tx, scope, id).await).await?;
    Ok(Ok200(EventReply::new(scope, &caller.permissions, found)?))
}

/// POST /api/webhooks/events/{id}/redeliver
pub async fn redeliver(
    State(app): State<App>,
    caller: Caller<WebhooksWrite>,
    Context(context): Context,
    PathParam(id): PathParam<EventId>,
    once: IdempotencyHeader,
    body: OptionalBody<RedeliverBody>,
) -> Result<Replayable<Ok200<EventReply>>> {
    let (scope, permissions, only) = (caller.scope, caller.permissions, body.value.subscription_id);
    let ticket = Ticket::of_program(scope, once.key(scope, &body.raw), DryRun::default());
    let bare = ask_to_redeliver(&app, &context, ticket, id, only).await?;
    // The response is stored without the event's data: those who repeat the request or look up its
    // key see as much as their own permissions allow.
    let shown = match app.read(async move |tx| history::find(tx, scope, id).await).await {
        Ok(found) => EventReply::new(scope, &permissions, found)?,
        Err(Error::NotFound(_)) => return Ok(bare),
        Err(error) => return Err(error),
    };
    bare.changed(|body| shown.fill(&body))
}

/// Sends an event again, as a program or a person asks; the response is without the event's data.
pub async fn ask_to_redeliver(
    app: &App,
    context: &RequestContext,
    ticket: Ticket,
    id: EventId,
    only: Option<WebhookId>,
) -> Result<Replayable<Ok200<EventReply>>> {
    let Ticket { scope, key, by, .. } = ticket;
    app.check_rate_limit(context, &WEBHOOK_TEST, scope)?;
    app.transact_once(key, async move |tx| {
        webhooks::redeliver(tx, scope, id, only).await?;
        note(tx, scope, by.as_ref(), Action::EventRedelivered, id.0).await?;
        let found = history::find(tx, scope, id).await?;
        Ok(Ok200(EventReply::new(scope, &Permissions::NONE, found)?))
    })
    .await
}

/// The permissions that a caller lacks to see an event's data; `None` if it may be shown.
pub fn withheld_for(
    permissions: &Permissions,
    name: Name,
    sample: bool,
) -> Option<Vec<Permission>> {
    let lacking = lacking(permissions, name);
    (!sample && !lacking.is_empty()).then_some(lacking)
}

fn read_after(text: &str) -> Result<ListEnd> {
    if let Ok(id) = text.parse() {
        return Ok(ListEnd::Event(id));
    }
    let message = "must be the id of an event, or a date-time";
    let instant = Timestamp::parse(text).map(ListEnd::Instant);
    instant.ok_or_else(|| Error::field("after", "INVALID_VALUE", message))
}

fn view(mode: Mode, found: EventWithDeliveries) -> EventView {
    EventView {
        id: found.id,
        event: found.name.text(),
        dev_mode: mode.is_development(),
        test: found.sample,
        object_id: found.object.to_string(),
        sequence: found.sequence,
        created_at: found.created_at,
        deliveries: found.deliveries,
        data: None,
        required_permissions: None,
    }
}
