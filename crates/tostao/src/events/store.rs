//! The outbox's table.

use db::args;
use db::error::Error as DbError;
use db::tx::Tx;
use db::value::Row;

use crate::error::Result;
use crate::events::Occurrence;
use crate::events::names::Name;
use crate::ids::{EventId, Scope};

pub async fn insert(tx: &Tx, scope: Scope, event: &Occurrence) -> Result<()> {
    tx.defer(
        "insert into events
                (merchant_id, mode, id, name, object_id, sequence, data, sample, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        args![
            scope.merchant,
            scope.mode,
            event.id,
            event.name.text(),
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

pub async fn find(tx: &Tx, scope: Scope, id: EventId) -> Result<Option<Occurrence>> {
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

fn read(mut row: Row) -> Result<Occurrence> {
    Ok(Occurrence {
        id: row.take()?,
        name: name(&row.take::<String>()?)?,
        object: row.take()?,
        sequence: row.take()?,
        data: row.take()?,
        sample: row.take()?,
        created_at: row.take()?,
    })
}

fn name(text: &str) -> Result<Name> {
    let unknown = || DbError::Row(format!("unknown event {text}"));
    Ok(Name::parse(text).ok_or_else(unknown)?)
}
