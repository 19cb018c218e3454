//! The `connection_differences` table.

use db::args;
use db::time::Timestamp;
use db::tx::Tx;
use db::value::Row;
use ledger::cents::Cents;

use crate::audit::decision::Decision;
use crate::connections::differences::{Difference, Filter, Kind, NewDifference, Status};
use crate::platform::error::Result;
use crate::platform::ids::{ConnectionId, DifferenceId, MerchantId};

/// The columns of a difference with its connection's name, in the order in which `read` takes them.
macro_rules! columns {
    () => {
        "connection_differences.id, connection_id, connections.name, kind, reference, amount_cents,
         details, merchant_id, status, note, found_at, decided_by, decided_at, decided_from
           from connection_differences
           join connections on connections.id = connection_id"
    };
}

/// Stores a difference as open; returns false if it is known and as it was. One that a connection
/// now reports otherwise is open again.
pub async fn insert(tx: &Tx, new: &NewDifference, of: Option<MerchantId>) -> Result<bool> {
    let inserted = tx
        .exec(
            "insert into connection_differences
                    (id, connection_id, kind, reference, amount_cents, details, merchant_id, status,
                     found_at)
             values ($1, $2, $3, $4, $5, $6, $7, 'OPEN', $8)
                 on conflict (connection_id, kind, reference) do update
                    set amount_cents = excluded.amount_cents, details = excluded.details,
                        merchant_id = coalesce(excluded.merchant_id,
                                               connection_differences.merchant_id),
                        status = excluded.status, found_at = excluded.found_at, note = null,
                        decided_by = null, decided_at = null, decided_from = null
                  where connection_differences.details <> excluded.details
                     or coalesce(connection_differences.amount_cents, 0)
                        <> coalesce(excluded.amount_cents, 0)",
            args![
                DifferenceId::new(tx),
                new.connection,
                new.kind,
                new.reference,
                new.amount,
                serde_json::to_string(&new.details)?,
                of,
                tx.now(),
            ],
        )
        .await?;
    Ok(inserted == 1)
}

/// Stores whose a known difference is, if that was not known before; it is not open again.
pub async fn name_owner(
    tx: &Tx,
    (connection, kind, reference): (ConnectionId, Kind, &str),
    owner: MerchantId,
) -> Result<()> {
    tx.exec(
        "update connection_differences
            set merchant_id = $4
          where connection_id = $1 and kind = $2 and reference = $3 and merchant_id is null",
        args![connection, kind, reference, owner],
    )
    .await?;
    Ok(())
}

pub async fn list(tx: &Tx, filter: &Filter) -> Result<Vec<Difference>> {
    let page = &filter.page;
    let rows = tx
        .all(
            concat!(
                "select ",
                columns!(),
                " where (cast($1 as text) is null or status = $1)
                    and connection_differences.id < $2
                  order by connection_differences.id desc
                  limit $3 offset $4"
            ),
            args![filter.status, page.before(), page.fetch(), page.offset()],
        )
        .await?;
    rows.into_iter().map(read).collect()
}

/// How many of a kind a connection has open.
pub async fn count_open_of(tx: &Tx, of: ConnectionId, kind: Kind) -> Result<i64> {
    let sql = "select count(*) from connection_differences
                where connection_id = $1 and kind = $2 and status = 'OPEN'";
    Ok(tx.one(sql, args![of, kind]).await?.take()?)
}

/// Blanks what was kept of unreadable entries before an instant; returns how many.
pub async fn blank_details(tx: &Tx, kinds: [Kind; 2], before: Timestamp, most: i64) -> Result<u64> {
    let [one, other] = kinds;
    let blanked = tx
        .exec(
            "update connection_differences
                set details = '{}'
              where id in (
                    select id
                      from connection_differences
                     where kind in ($1, $2) and found_at < $3 and details <> '{}'
                     limit $4)",
            args![one, other, before, most],
        )
        .await?;
    Ok(blanked)
}

pub async fn count(tx: &Tx, status: Option<Status>) -> Result<i64> {
    let sql = "select count(*) from connection_differences
                where (cast($1 as text) is null or status = $1)";
    Ok(tx.one(sql, args![status]).await?.take()?)
}

pub async fn find(tx: &Tx, id: DifferenceId) -> Result<Option<Difference>> {
    let sql = concat!("select ", columns!(), " where connection_differences.id = $1");
    tx.opt(sql, args![id]).await?.map(read).transpose()
}

pub async fn lock(tx: &Tx, id: DifferenceId) -> Result<Option<Difference>> {
    let sql = concat!(
        "select ",
        columns!(),
        " where connection_differences.id = $1 /*+ lock connection_differences */"
    );
    tx.opt(sql, args![id]).await?.map(read).transpose()
}

/// The caller holds the row's lock.
pub async fn resolve(tx: &Tx, resolved: &Difference) -> Result<()> {
    let [by, at, from] = Decision::args(resolved.decided.as_ref());
    tx.exec(
        "update connection_differences
            set status = $2, note = $3, decided_by = $4, decided_at = $5, decided_from = $6
          where id = $1",
        &[args![resolved.id, resolved.status, resolved.note].as_slice(), &[by, at, from]].concat(),
    )
    .await?;
    Ok(())
}

/// Closes a difference that is open; its amount becomes that of `left`, if there is one.
pub async fn close(
    tx: &Tx,
    (connection, kind, reference): (ConnectionId, Kind, &str),
    left: Option<Cents>,
    note: &str,
) -> Result<()> {
    let decided = Decision::by_server(tx.now());
    let [by, at, from] = Decision::args(Some(&decided));
    tx.exec(
        "update connection_differences
            set status = 'RESOLVED', amount_cents = coalesce(cast($4 as bigint), amount_cents),
                note = $5, decided_by = $6, decided_at = $7, decided_from = $8
          where connection_id = $1 and kind = $2 and reference = $3 and status = 'OPEN'",
        &[args![connection, kind, reference, left, note].as_slice(), &[by, at, from]].concat(),
    )
    .await?;
    Ok(())
}

/// The differences of a kind, open or not.
pub async fn of_kind(tx: &Tx, kind: Kind) -> Result<Vec<Difference>> {
    let sql = concat!("select ", columns!(), " where kind = $1");
    tx.all(sql, args![kind]).await?.into_iter().map(read).collect()
}

pub async fn find_named(
    tx: &Tx,
    (of, kind, reference): (ConnectionId, Kind, &str),
) -> Result<Option<Difference>> {
    let sql = concat!(
        "select ",
        columns!(),
        " where connection_id = $1 and kind = $2 and reference = $3"
    );
    tx.opt(sql, args![of, kind, reference]).await?.map(read).transpose()
}

/// The difference of a kind and a name, locked until the unit ends.
pub async fn lock_named(
    tx: &Tx,
    of: ConnectionId,
    kind: Kind,
    reference: &str,
) -> Result<Option<Difference>> {
    let sql = concat!(
        "select ",
        columns!(),
        " where connection_id = $1 and kind = $2 and reference = $3
          /*+ lock connection_differences */"
    );
    tx.opt(sql, args![of, kind, reference]).await?.map(read).transpose()
}

fn read(mut row: Row) -> Result<Difference> {
    Ok(Difference {
        id: row.take()?,
        connection: row.take()?,
        connection_name: row.take()?,
        kind: row.take()?,
        reference: row.take()?,
        amount: row.take()?,
        details: serde_json::from_str(&row.take::<String>()?)?,
        merchant: row.take()?,
        status: row.take()?,
        note: row.take()?,
        found_at: row.take()?,
        decided: Decision::read(&mut row)?,
    })
}
