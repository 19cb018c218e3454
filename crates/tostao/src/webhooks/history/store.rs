//! The outbox joined with its deliveries.
//!
//! Deliveries are indexed by subscription, of which there are few: each event looks into every one.

use db::args;
use db::time::Timestamp;
use db::tx::Tx;
use db::value::{Arg, Row, ToArg};
use uuid::Uuid;

use crate::platform::error::Result;
use crate::platform::http::page::Page;
use crate::platform::ids::{EventId, Scope, WebhookId};
use crate::webhooks::deliveries::EventDelivery;
use crate::webhooks::history::{EventWithDeliveries, Filter, ListEnd};

/// The events that match a filter.
macro_rules! matching {
    () => {
        " from events
         where merchant_id = $1 and mode = $2 and id > $3 and created_at > $4
           and (cast($5 as text) is null or name = $5)
           and ($10 or object_id = $11) and created_at >= $12 and created_at < $13
           and ($6 or exists (
               select 1
                 from webhooks
                 join webhook_deliveries as sent
                   on sent.merchant_id = webhooks.merchant_id
                  and sent.mode = webhooks.mode
                  and sent.webhook_id = webhooks.id
                  and sent.event_id = events.id
                where webhooks.merchant_id = $1 and webhooks.mode = $2
                  and webhooks.deleted_at is null
                  and ($7 or webhooks.id = $8)
                  and (cast($9 as text) is null or sent.status = $9)))"
    };
}

pub async fn list(
    tx: &Tx,
    scope: Scope,
    filter: &Filter,
    page: Page,
) -> Result<Vec<EventWithDeliveries>> {
    let rows = tx
        .all(
            concat!(
                "select page.id, page.name, page.object_id, page.sequence, page.sample,
                        page.created_at, deliveries.webhook_id, deliveries.status,
                        deliveries.attempts, deliveries.last_status_code, deliveries.last_error,
                        deliveries.last_attempt_at, deliveries.next_attempt_at
                   from (select id, name, object_id, sequence, sample, created_at",
                matching!(),
                " and id < $14
                          order by id desc
                          limit $15 offset $16) as page
                   left join webhooks
                     on webhooks.merchant_id = $1 and webhooks.mode = $2
                    and webhooks.deleted_at is null
                   left join webhook_deliveries as deliveries
                     on deliveries.merchant_id = $1 and deliveries.mode = $2
                    and deliveries.webhook_id = webhooks.id and deliveries.event_id = page.id
                  order by page.id desc, webhooks.id"
            ),
            &wanted(&scope, filter, args![page.before(), page.fetch(), page.offset()]),
        )
        .await?;
    let mut listed: Vec<EventWithDeliveries> = Vec::new();
    for row in rows {
        add(&mut listed, row)?;
    }
    Ok(listed)
}

pub async fn count(tx: &Tx, scope: Scope, filter: &Filter) -> Result<i64> {
    let sql = concat!("select count(*)", matching!());
    Ok(tx.one(sql, &wanted(&scope, filter, &[])).await?.take()?)
}

pub async fn event_deliveries(tx: &Tx, scope: Scope, event: EventId) -> Result<Vec<EventDelivery>> {
    let rows = tx
        .all(
            "select webhooks.id, status, attempts, last_status_code, last_error,
                    last_attempt_at, next_attempt_at
               from webhooks
               join webhook_deliveries as deliveries
                 on deliveries.merchant_id = webhooks.merchant_id
                and deliveries.mode = webhooks.mode and deliveries.webhook_id = webhooks.id
                and deliveries.event_id = $3
              where webhooks.merchant_id = $1 and webhooks.mode = $2
                and webhooks.deleted_at is null
              order by webhooks.id",
            args![scope.merchant, scope.mode, event],
        )
        .await?;
    let read = |mut row: Row| {
        let webhook = row.take()?;
        EventDelivery::read(&mut row, webhook)
    };
    rows.into_iter().map(read).collect()
}

/// Adds a row to the event it belongs to; a row without a delivery only adds the event.
fn add(listed: &mut Vec<EventWithDeliveries>, mut row: Row) -> Result<()> {
    let found = EventWithDeliveries {
        id: row.take()?,
        name: row.take()?,
        object: row.take()?,
        sequence: row.take()?,
        sample: row.take()?,
        created_at: row.take()?,
        deliveries: Vec::new(),
    };
    if listed.last().is_none_or(|last| last.id != found.id) {
        listed.push(found);
    }
    let webhook: Option<WebhookId> = row.take()?;
    if let (Some(webhook), Some(last)) = (webhook, listed.last_mut()) {
        last.deliveries.push(EventDelivery::read(&mut row, webhook)?);
    }
    Ok(())
}

/// The parameters of `matching`, then `more`.
fn wanted<'a>(scope: &'a Scope, filter: &'a Filter, more: &[Arg<'a>]) -> Vec<Arg<'a>> {
    let own = [
        scope.merchant.to_arg(),
        scope.mode.to_arg(),
        Arg::Id(after_id(filter)),
        Arg::Int(after_instant(filter).micros()),
        filter.name.to_arg(),
        Arg::Bool(any_delivery(filter)),
        Arg::Bool(filter.webhook.is_none()),
        Arg::Id(webhook(filter)),
        filter.status.to_arg(),
        Arg::Bool(filter.object.is_none()),
        Arg::Id(filter.object.unwrap_or_default()),
        Arg::Int(filter.created.from.micros()),
        Arg::Int(filter.created.to.micros()),
    ];
    [own.as_slice(), more].concat()
}

fn after_id(filter: &Filter) -> Uuid {
    match filter.after {
        ListEnd::Event(EventId(id)) => id,
        ListEnd::Everything | ListEnd::Instant(_) => Uuid::nil(),
    }
}

fn after_instant(filter: &Filter) -> Timestamp {
    match filter.after {
        ListEnd::Instant(instant) => instant,
        ListEnd::Everything | ListEnd::Event(_) => Timestamp::from_micros(i64::MIN),
    }
}

/// Whether the filter ignores deliveries.
fn any_delivery(filter: &Filter) -> bool {
    filter.status.is_none() && filter.webhook.is_none()
}

fn webhook(filter: &Filter) -> Uuid {
    filter.webhook.map_or(Uuid::nil(), |webhook| webhook.0)
}
