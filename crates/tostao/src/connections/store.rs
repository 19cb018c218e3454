//! The tables `connection_watermarks`, of up to when each list of a connection has been read, and
//! `acquirer_charges`, of what acquirers call the charges.

use db::args;
use db::time::Timestamp;
use db::tx::Tx;
use rails::connection::Window;

use crate::platform::error::Result;
use crate::platform::ids::ConnectionId;

pub async fn watermark(tx: &Tx, id: ConnectionId, window: Window) -> Result<Option<Timestamp>> {
    let row = tx
        .opt(
            "select read_until from connection_watermarks where connection_id = $1 and list = $2",
            args![id, window],
        )
        .await?;
    row.map(|mut row| Ok(row.take()?)).transpose()
}

/// Up to when each list of each connection has been read.
pub async fn watermarks(tx: &Tx) -> Result<Vec<(ConnectionId, String, Timestamp)>> {
    let sql = "select connection_id, list, read_until from connection_watermarks";
    let rows = tx.all(sql, &[]).await?;
    rows.into_iter().map(|mut row| Ok((row.take()?, row.take()?, row.take()?))).collect()
}

/// Stores that a list is read from an instant on; false if it was read before.
pub async fn begin_list(
    tx: &Tx,
    id: ConnectionId,
    window: Window,
    since: Timestamp,
) -> Result<bool> {
    let inserted = tx
        .exec(
            "insert into connection_watermarks (connection_id, list, read_until)
             values ($1, $2, $3)
                 on conflict (connection_id, list) do nothing",
            args![id, window, since],
        )
        .await?;
    Ok(inserted == 1)
}

/// Moves a watermark forward; it never moves back.
pub async fn advance_watermark(
    tx: &Tx,
    id: ConnectionId,
    window: Window,
    until: Timestamp,
) -> Result<()> {
    tx.exec(
        "insert into connection_watermarks (connection_id, list, read_until)
         values ($1, $2, $3)
             on conflict (connection_id, list) do update
                set read_until = excluded.read_until
              where connection_watermarks.read_until < excluded.read_until",
        args![id, window, until],
    )
    .await?;
    Ok(())
}

/// Stores what an acquirer calls the charge of a reference; the first one stays.
pub async fn name_charge(
    tx: &Tx,
    id: ConnectionId,
    charge_id: &str,
    reference: &str,
) -> Result<()> {
    tx.defer(
        "insert into acquirer_charges (connection_id, charge_id, reference)
         values ($1, $2, $3)
             on conflict (connection_id, charge_id) do nothing",
        args![id, charge_id, reference],
    )
    .await?;
    Ok(())
}

/// Stores that a charge was captured; returns how many others of the same reference were before it.
pub async fn note_capture(
    tx: &Tx,
    id: ConnectionId,
    charge_id: &str,
    reference: &str,
) -> Result<i64> {
    tx.exec(
        "update acquirer_charges
            set captures_before = (
                    select count(*)
                      from acquirer_charges as others
                     where others.connection_id = $1 and others.reference = $3
                       and others.charge_id <> $2 and others.captures_before is not null)
          where connection_id = $1 and charge_id = $2 and captures_before is null",
        args![id, charge_id, reference],
    )
    .await?;
    let row = tx
        .one(
            "select coalesce(captures_before, 0)
               from acquirer_charges
              where connection_id = $1 and charge_id = $2",
            args![id, charge_id],
        )
        .await;
    Ok(row?.take()?)
}

/// The reference of the charge that an acquirer names, if a report has named it before.
pub async fn charge_reference(
    tx: &Tx,
    id: ConnectionId,
    charge_id: &str,
) -> Result<Option<String>> {
    let row = tx
        .opt(
            "select reference from acquirer_charges where connection_id = $1 and charge_id = $2",
            args![id, charge_id],
        )
        .await?;
    row.map(|mut row| Ok(row.take()?)).transpose()
}
