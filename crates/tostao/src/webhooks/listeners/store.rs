//! The rows of the `webhooks` table that are listeners.

use std::time::Duration;

use db::args;
use db::time::Timestamp;
use db::tx::Tx;
use db::value::Row;

use crate::platform::error::Result;
use crate::platform::ids::{Scope, WebhookId};
use crate::webhooks::listeners::{Listener, Place};

/// The columns of a listener, in the order in which `read` takes them.
macro_rules! columns {
    () => {
        "id, listener_name, events, secret, listener_connection, listener_seen_at"
    };
}

pub async fn insert(tx: &Tx, scope: Scope, listener: &Listener) -> Result<()> {
    tx.exec(
        "insert into webhooks
                (merchant_id, mode, id, url, events, active, secret, failures, created_at,
                 updated_at, listener_name, listener_seen_at, listener_connection)
         values ($1, $2, $3, '', $4, true, $5, 0, $6, $6, $7, $8, $9)",
        args![
            scope.merchant,
            scope.mode,
            listener.id,
            serde_json::to_string(&listener.events)?,
            listener.secret,
            scope.now(tx),
            listener.name,
            listener.seen_at,
            listener.connection,
        ],
    )
    .await?;
    Ok(())
}

pub async fn find(tx: &Tx, scope: Scope, id: WebhookId) -> Result<Option<Listener>> {
    let row = tx
        .opt(
            concat!(
                "select ",
                columns!(),
                " from webhooks
                 where merchant_id = $1 and mode = $2 and id = $3
                   and listener_name is not null and deleted_at is null"
            ),
            args![scope.merchant, scope.mode, id],
        )
        .await?;
    row.map(read).transpose()
}

pub async fn find_by_name(tx: &Tx, scope: Scope, name: &str) -> Result<Option<Listener>> {
    let row = tx
        .opt(
            concat!(
                "select ",
                columns!(),
                " from webhooks
                 where merchant_id = $1 and mode = $2 and listener_name = $3
                   and deleted_at is null"
            ),
            args![scope.merchant, scope.mode, name],
        )
        .await?;
    row.map(read).transpose()
}

pub async fn list(tx: &Tx, scope: Scope) -> Result<Vec<Listener>> {
    let rows = tx
        .all(
            concat!(
                "select ",
                columns!(),
                " from webhooks
                 where merchant_id = $1 and mode = $2 and listener_name is not null
                   and deleted_at is null
                 order by listener_name"
            ),
            args![scope.merchant, scope.mode],
        )
        .await?;
    rows.into_iter().map(read).collect()
}

pub async fn count(tx: &Tx, scope: Scope) -> Result<i64> {
    let mut row = tx
        .one(
            "select count(*)
               from webhooks
              where merchant_id = $1 and mode = $2 and listener_name is not null
                and deleted_at is null",
            args![scope.merchant, scope.mode],
        )
        .await?;
    Ok(row.take()?)
}

/// Records that a listener is asked for now, and the events that it wants.
pub async fn reopen(tx: &Tx, scope: Scope, id: WebhookId, events: &[String]) -> Result<()> {
    tx.exec(
        "update webhooks
            set listener_seen_at = $1, events = $2
          where merchant_id = $3 and mode = $4 and id = $5",
        args![tx.now(), serde_json::to_string(events)?, scope.merchant, scope.mode, id],
    )
    .await?;
    Ok(())
}

/// Counts a connection of a listener.
pub async fn connect(tx: &Tx, scope: Scope, id: WebhookId) -> Result<Option<Listener>> {
    let row = tx
        .opt(
            concat!(
                "update webhooks
                    set listener_seen_at = $1, listener_connection = listener_connection + 1
                  where merchant_id = $2 and mode = $3 and id = $4
                    and listener_name is not null and deleted_at is null
                 returning ",
                columns!()
            ),
            args![tx.now(), scope.merchant, scope.mode, id],
        )
        .await?;
    row.map(read).transpose()
}

pub async fn replace_secret(tx: &Tx, scope: Scope, id: WebhookId, sealed: &[u8]) -> Result<()> {
    tx.exec(
        "update webhooks
            set secret = $1
          where merchant_id = $2 and mode = $3 and id = $4",
        args![sealed, scope.merchant, scope.mode, id],
    )
    .await?;
    Ok(())
}

pub async fn delete(tx: &Tx, scope: Scope, id: WebhookId) -> Result<bool> {
    let deleted = tx
        .exec(
            "update webhooks
                set active = false, deleted_at = $1
              where merchant_id = $2 and mode = $3 and id = $4
                and listener_name is not null and deleted_at is null",
            args![tx.now(), scope.merchant, scope.mode, id],
        )
        .await?;
    Ok(deleted == 1)
}

/// Reads through the index of listeners alone, of which there are few.
pub async fn places(tx: &Tx) -> Result<Vec<Place>> {
    let rows = tx
        .all(
            "select merchant_id, mode, id
               from webhooks
              where listener_name is not null
              order by listener_seen_at",
            &[],
        )
        .await?;
    let read = |mut row: Row| {
        let (merchant, mode, id) = (row.take()?, row.take()?, row.take()?);
        Ok(Place { scope: Scope { merchant, mode, ahead: Duration::ZERO }, id })
    };
    rows.into_iter().map(read).collect()
}

pub async fn delete_unseen(tx: &Tx, scope: Scope, id: WebhookId, before: Timestamp) -> Result<()> {
    tx.exec(
        "update webhooks
            set active = false, deleted_at = $1
          where merchant_id = $2 and mode = $3 and id = $4 and deleted_at is null
            and listener_seen_at < $5",
        args![tx.now(), scope.merchant, scope.mode, id, before],
    )
    .await?;
    Ok(())
}

/// Removes the row of a deleted listener once it has no deliveries.
pub async fn forget(tx: &Tx, scope: Scope, id: WebhookId) -> Result<u64> {
    let removed = tx
        .exec(
            "delete from webhooks
              where merchant_id = $1 and mode = $2 and id = $3 and deleted_at is not null
                and not exists (
                    select 1
                      from webhook_deliveries as deliveries
                     where deliveries.merchant_id = $1 and deliveries.mode = $2
                       and deliveries.webhook_id = $3)",
            args![scope.merchant, scope.mode, id],
        )
        .await?;
    Ok(removed)
}

fn read(mut row: Row) -> Result<Listener> {
    Ok(Listener {
        id: row.take()?,
        name: row.take()?,
        events: serde_json::from_str(&row.take::<String>()?)?,
        secret: row.take()?,
        connection: row.take()?,
        seen_at: row.take()?,
    })
}
