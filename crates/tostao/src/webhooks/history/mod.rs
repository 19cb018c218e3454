//! The event history: the outbox with its deliveries.

use db::time::Timestamp;
use db::tx::Tx;
use uuid::Uuid;

use crate::events;
use crate::events::names::Name;
use crate::platform::error::Result;
use crate::platform::http::page::{Listed, Page, TimeRange};
use crate::platform::ids::{EventId, Scope, WebhookId};
use crate::webhooks::deliveries::{EventDelivery, Status};

pub mod api;
mod store;

/// An event and its deliveries.
#[derive(Debug, Clone)]
pub struct EventWithDeliveries {
    pub id: EventId,
    pub name: Name,
    pub object: Uuid,
    pub sequence: i64,
    pub sample: bool,
    pub created_at: Timestamp,
    pub deliveries: Vec<EventDelivery>,
}

/// Which events to list.
#[derive(Debug, Clone, Copy)]
pub struct Filter {
    pub name: Option<Name>,
    /// With a delivery of this status.
    pub status: Option<Status>,
    /// With a delivery to this subscription.
    pub webhook: Option<WebhookId>,
    pub after: ListEnd,
    /// About this object.
    pub object: Option<Uuid>,
    pub created: TimeRange,
}

/// Where a list, newest first, ends.
#[derive(Debug, Clone, Copy, Default)]
pub enum ListEnd {
    #[default]
    Everything,
    Event(EventId),
    Instant(Timestamp),
}

/// Lists events, newest first.
pub async fn list(
    tx: &Tx,
    scope: Scope,
    filter: &Filter,
    page: Page,
) -> Result<Listed<EventWithDeliveries>> {
    let rows = store::list(tx, scope, filter, page).await?;
    let total = store::count(tx, scope, filter).await?;
    Ok(page.listed(rows, total, |found| found.id.0))
}

/// Finds an event with its deliveries, and the data that receivers get.
pub async fn find(tx: &Tx, scope: Scope, id: EventId) -> Result<(EventWithDeliveries, String)> {
    let event_record = events::find(tx, scope, id).await?;
    let found = EventWithDeliveries {
        id,
        name: event_record.name,
        object: event_record.object,
        sequence: event_record.sequence,
        sample: event_record.sample,
        created_at: event_record.created_at,
        deliveries: store::event_deliveries(tx, scope, id).await?,
    };
    Ok((found, event_record.data))
}
