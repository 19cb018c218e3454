//! The outbox's table.

use db::args;
use db::tx::Tx;
use db::value::Row;
use uuid::Uuid;

use crate::events::EventRecord;
use crate::events::names::Name;
use crate::platform::error::Result;
use crate::platform::ids::{EventId, Scope};
use crate::store::delete_rows_before;

pub async fn insert(tx: &Tx, scope: Scope, event: &EventRecord) -> Result<()> {
    tx.insert_row(
        "insert into events
                (merchant_id, mode, id, name, object_id, sequence, data, sample, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        args![
            scope.merchant,
            scope.mode,
            event.id,
            event.name,
            event.object,
            event.sequence,
            event.data,
            event.sample,
            event.created_at,
        ],
    )
    .await?;
    Ok(())
}

pub async fn find(tx: &Tx, scope: Scope, id: EventId) -> Result<Option<EventRecord>> {
    let row = tx
        .opt(
            "select id, name, object_id, sequence, data, sample, created_at
               from events
              where merchant_id = $1 and mode = $2 and id = $3",
            args![scope.merchant, scope.mode, id],
        )
        .await?;
    row.map(read).transpose()
}

pub async fn after(
    tx: &Tx,
    scope: Scope,
    after: Uuid,
    most: i64,
) -> Result<Vec<(EventId, String)>> {
    let rows = tx
        .all(
            "select id, data
               from events
              where merchant_id = $1 and mode = $2 and id > $3
              order by id
              limit $4",
            args![scope.merchant, scope.mode, after, most],
        )
        .await?;
    rows.into_iter().map(|mut row| Ok((row.take()?, row.take()?))).collect()
}

/// The newest events from the first id of an instant on, newest first.
pub async fn since(tx: &Tx, scope: Scope, first: Uuid, most: i64) -> Result<Vec<EventRecord>> {
    let rows = tx
        .all(
            "select id, name, object_id, sequence, data, sample, created_at
               from events
              where merchant_id = $1 and mode = $2 and id >= $3
              order by id desc
              limit $4",
            args![scope.merchant, scope.mode, first, most],
        )
        .await?;
    rows.into_iter().map(read).collect()
}

/// The same without their data: what they are called and about.
pub async fn named_since(
    tx: &Tx,
    scope: Scope,
    first: Uuid,
    most: i64,
) -> Result<Vec<(EventId, Name, Uuid)>> {
    let rows = tx
        .all(
            "select id, name, object_id
               from events
              where merchant_id = $1 and mode = $2 and id >= $3
              order by id desc
              limit $4",
            args![scope.merchant, scope.mode, first, most],
        )
        .await?;
    rows.into_iter().map(|mut row| Ok((row.take()?, row.take()?, row.take()?))).collect()
}

pub async fn rewrite(tx: &Tx, scope: Scope, id: EventId, data: &str) -> Result<()> {
    tx.defer(
        "update events
            set data = $1
          where merchant_id = $2 and mode = $3 and id = $4",
        args![data, scope.merchant, scope.mode, id],
    )
    .await?;
    Ok(())
}

fn read(mut row: Row) -> Result<EventRecord> {
    Ok(EventRecord {
        id: row.take()?,
        name: row.take()?,
        object: row.take()?,
        sequence: row.take()?,
        data: row.take()?,
        sample: row.take()?,
        created_at: row.take()?,
    })
}

pub async fn any_before(tx: &Tx, scope: Scope, first: Uuid) -> Result<bool> {
    let row = tx
        .opt(
            "select id
               from events
              where merchant_id = $1 and mode = $2 and id < $3
              order by id
              limit 1",
            args![scope.merchant, scope.mode, first],
        )
        .await?;
    Ok(row.is_some())
}

pub async fn delete_before(tx: &Tx, scope: Scope, first: Uuid, most: i64) -> Result<u64> {
    let sql = delete_rows_before!("events");
    Ok(tx.exec(sql, args![scope.merchant, scope.mode, first, most]).await?)
}
