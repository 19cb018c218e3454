//! The tables `connections`, `connection_secrets` and `connection_routes`.

use db::args;
use db::tx::Tx;
use db::value::Row;
use rails::profile::{Certificate, RailKind};
use rails::trouble::Trouble;

use crate::platform::error::Result;
use crate::platform::ids::ConnectionId;
use crate::providers::connections::problem::Problem;
use crate::providers::connections::{Route, StoredConnection};

/// The columns of a connection, in the order in which `read` takes them.
macro_rules! columns {
    () => {
        "id, name, profile, environment, settings, certificate_subject, certificate_fingerprint,
         certificate_not_after, problem, problem_reason, problem_subject, checked_at, disabled_at,
         created_at, updated_at, version"
    };
}

/// Returns false if another connection has the name.
pub async fn insert(tx: &Tx, new: &StoredConnection) -> Result<bool> {
    let certificate = new.certificate.as_ref();
    let inserted = tx
        .exec(
            concat!(
                "insert into connections (",
                columns!(),
                ")
                 values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
                     on conflict (name) do nothing"
            ),
            args![
                new.id,
                new.name,
                new.profile,
                new.environment,
                serde_json::to_string(&new.settings)?,
                certificate.map(|certificate| &certificate.subject),
                certificate.map(|certificate| &certificate.fingerprint),
                certificate.map(|certificate| certificate.not_after),
                new.problem.as_ref().map(|problem| &problem.text),
                new.problem.as_ref().and_then(|problem| problem.reason),
                new.problem.as_ref().and_then(|problem| problem.subject.as_ref()),
                new.checked_at,
                new.disabled_at,
                new.created_at,
                new.updated_at,
                new.version,
            ],
        )
        .await?;
    Ok(inserted == 1)
}

pub async fn update(tx: &Tx, changed: &StoredConnection) -> Result<()> {
    let certificate = changed.certificate.as_ref();
    tx.exec(
        "update connections
            set settings = $2, certificate_subject = $3, certificate_fingerprint = $4,
                certificate_not_after = $5, problem = $6, problem_reason = $7,
                problem_subject = $8, checked_at = $9, disabled_at = $10, updated_at = $11,
                version = $12
          where id = $1",
        args![
            changed.id,
            serde_json::to_string(&changed.settings)?,
            certificate.map(|certificate| &certificate.subject),
            certificate.map(|certificate| &certificate.fingerprint),
            certificate.map(|certificate| certificate.not_after),
            changed.problem.as_ref().map(|problem| &problem.text),
            changed.problem.as_ref().and_then(|problem| problem.reason),
            changed.problem.as_ref().and_then(|problem| problem.subject.as_ref()),
            changed.checked_at,
            changed.disabled_at,
            changed.updated_at,
            changed.version,
        ],
    )
    .await?;
    Ok(())
}

pub async fn note_check(
    tx: &Tx,
    (id, version): (ConnectionId, i64),
    problem: Option<&Problem>,
) -> Result<()> {
    tx.exec(
        "update connections
            set problem = $2, problem_reason = $3, problem_subject = $4, checked_at = $5
          where id = $1 and version = $6",
        args![
            id,
            problem.map(|problem| &problem.text),
            problem.and_then(|problem| problem.reason),
            problem.and_then(|problem| problem.subject.as_ref()),
            tx.now(),
            version,
        ],
    )
    .await?;
    Ok(())
}

pub async fn list(tx: &Tx) -> Result<Vec<StoredConnection>> {
    let sql = concat!("select ", columns!(), " from connections order by name");
    tx.all(sql, &[]).await?.into_iter().map(read).collect()
}

pub async fn find(tx: &Tx, id: ConnectionId) -> Result<Option<StoredConnection>> {
    let sql = concat!("select ", columns!(), " from connections where id = $1");
    tx.opt(sql, args![id]).await?.map(read).transpose()
}

pub async fn lock(tx: &Tx, id: ConnectionId) -> Result<Option<StoredConnection>> {
    let sql =
        concat!("select ", columns!(), " from connections where id = $1 /*+ lock connections */");
    tx.opt(sql, args![id]).await?.map(read).transpose()
}

pub async fn secrets(tx: &Tx, id: ConnectionId) -> Result<Vec<(String, Vec<u8>)>> {
    let rows = tx
        .all(
            "select field, sealed from connection_secrets where connection_id = $1 order by field",
            args![id],
        )
        .await?;
    rows.into_iter().map(|mut row| Ok((row.take()?, row.take()?))).collect()
}

pub async fn put_secret(tx: &Tx, id: ConnectionId, field: &str, sealed: &[u8]) -> Result<()> {
    tx.exec(
        "insert into connection_secrets (connection_id, field, sealed)
         values ($1, $2, $3)
             on conflict (connection_id, field) do update set sealed = excluded.sealed",
        args![id, field, sealed],
    )
    .await?;
    Ok(())
}

pub async fn delete_secrets(tx: &Tx, id: ConnectionId) -> Result<()> {
    tx.exec("delete from connection_secrets where connection_id = $1", args![id]).await?;
    Ok(())
}

/// Returns false if it has been started before.
pub async fn start(tx: &Tx, id: ConnectionId) -> Result<bool> {
    let started = tx
        .exec(
            "update connections set started_at = $2 where id = $1 and started_at is null",
            args![id, tx.now()],
        )
        .await?;
    Ok(started == 1)
}

pub async fn is_started(tx: &Tx, id: ConnectionId) -> Result<bool> {
    let row = tx
        .opt("select id from connections where id = $1 and started_at is not null", args![id])
        .await?;
    Ok(row.is_some())
}

pub async fn routes(tx: &Tx) -> Result<Vec<Route>> {
    let sql = "select rail, connection_id, updated_at from connection_routes order by rail";
    let read = |mut row: Row| {
        Ok(Route { rail: row.take()?, connection: row.take()?, updated_at: row.take()? })
    };
    tx.all(sql, &[]).await?.into_iter().map(read).collect()
}

pub async fn route(tx: &Tx, rail: RailKind, to: Option<ConnectionId>) -> Result<()> {
    let Some(to) = to else {
        tx.exec("delete from connection_routes where rail = $1", args![rail]).await?;
        return Ok(());
    };
    tx.exec(
        "insert into connection_routes (rail, connection_id, updated_at)
         values ($1, $2, $3)
             on conflict (rail) do update
                set connection_id = excluded.connection_id, updated_at = excluded.updated_at",
        args![rail, to, tx.now()],
    )
    .await?;
    Ok(())
}

fn read(mut row: Row) -> Result<StoredConnection> {
    let (id, name, profile, environment) = (row.take()?, row.take()?, row.take()?, row.take()?);
    let settings = serde_json::from_str(&row.take::<String>()?)?;
    let (subject, fingerprint, not_after) = (row.take()?, row.take()?, row.take()?);
    let certificate = Option::zip(Option::zip(subject, fingerprint), not_after);
    Ok(StoredConnection {
        id,
        name,
        profile,
        environment,
        settings,
        certificate: certificate.map(|((subject, fingerprint), not_after)| Certificate {
            subject,
            fingerprint,
            not_after,
        }),
        problem: problem(&mut row)?,
        checked_at: row.take()?,
        disabled_at: row.take()?,
        created_at: row.take()?,
        updated_at: row.take()?,
        version: row.take()?,
    })
}

/// A reason that a later release stores is none here.
fn problem(row: &mut Row) -> Result<Option<Problem>> {
    let (text, reason): (Option<String>, Option<String>) = (row.take()?, row.take()?);
    let subject = row.take()?;
    let reason = reason.as_deref().and_then(Trouble::parse);
    Ok(text.map(|text| Problem { reason, subject, text }))
}
