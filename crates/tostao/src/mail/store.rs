//! The `mails` table.

use std::time::Duration;

use db::args;
use db::tx::Tx;
use db::value::{Arg, Row, ToArg};
use uuid::Uuid;

use crate::mail::list::Filter;
use crate::mail::{Backlog, Kind, Mail, Status};
use crate::platform::error::Result;
use crate::platform::ids::{MailId, Scope};
use crate::platform::messages::Lang;
use crate::store::delete_scope;

/// The columns of a mail, in the order in which `read` takes them.
macro_rules! columns {
    () => {
        "id, merchant_id, mode, kind, subject_id, recipient, lang, parameters, token, status,
         attempts, last_error, created_at, attempted_at, gives_up_at, ended_at"
    };
}

/// Mails of a scope that match a filter.
macro_rules! matching {
    () => {
        " from mails
         where merchant_id = $1 and mode = $2
           and (cast($3 as text) is null or status = $3)
           and (cast($4 as text) is null or kind = $4)
           and created_at >= $5 and created_at < $6"
    };
}

pub async fn insert(tx: &Tx, mail: &Mail) -> Result<()> {
    tx.exec(
        "insert into mails
                (id, merchant_id, mode, kind, subject_id, recipient, lang, parameters, token,
                 status, attempts, created_at, gives_up_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
        args![
            mail.id,
            mail.merchant,
            mail.mode,
            mail.kind,
            mail.subject,
            mail.to,
            mail.lang.tag(),
            serde_json::to_string(&mail.content)?,
            mail.token,
            mail.status,
            mail.attempts,
            mail.created_at,
            mail.gives_up_at,
        ],
    )
    .await?;
    Ok(())
}

pub async fn find(tx: &Tx, scope: Scope, id: MailId) -> Result<Option<Mail>> {
    let sql = concat!(
        "select ",
        columns!(),
        " from mails
         where merchant_id = $1 and mode = $2 and id = $3"
    );
    tx.opt(sql, args![scope.merchant, scope.mode, id]).await?.map(read).transpose()
}

/// A mail that has not left.
pub async fn find_waiting(tx: &Tx, id: MailId) -> Result<Option<Mail>> {
    let sql = concat!("select ", columns!(), " from mails where id = $1 and status = 'WAITING'");
    tx.opt(sql, args![id]).await?.map(read).transpose()
}

pub async fn list(tx: &Tx, scope: Scope, filter: &Filter) -> Result<Vec<Mail>> {
    let page = filter.page;
    let rows = tx
        .all(
            concat!(
                "select ",
                columns!(),
                matching!(),
                " and id < $7
                  order by id desc
                  limit $8 offset $9"
            ),
            &wanted(&scope, filter, args![page.before(), page.fetch(), page.offset()]),
        )
        .await?;
    rows.into_iter().map(read).collect()
}

pub async fn count(tx: &Tx, scope: Scope, filter: &Filter) -> Result<i64> {
    let sql = concat!("select count(*)", matching!());
    Ok(tx.one(sql, &wanted(&scope, filter, &[])).await?.take()?)
}

/// Records an attempt after which the mail waits again.
pub async fn delay(tx: &Tx, id: MailId, error: &str) -> Result<()> {
    tx.exec(
        "update mails
            set attempts = attempts + 1, attempted_at = $1, last_error = $2
          where id = $3 and status = 'WAITING'",
        args![tx.now(), error, id],
    )
    .await?;
    Ok(())
}

/// Records that the server has accepted a mail, and erases what was in it.
pub async fn mark_sent(tx: &Tx, id: MailId) -> Result<()> {
    tx.exec(
        "update mails
            set status = 'SENT', attempts = attempts + 1, attempted_at = $1, ended_at = $1,
                last_error = null, parameters = null, token = null
          where id = $2 and status = 'WAITING'",
        args![tx.now(), id],
    )
    .await?;
    Ok(())
}

/// Records that a mail is not tried any more, and erases what was in it; without an error, the last
/// one stays.
pub async fn mark_failed(tx: &Tx, id: MailId, error: Option<&str>) -> Result<()> {
    tx.exec(
        "update mails
            set status = 'FAILED', ended_at = $1, last_error = coalesce($2, last_error),
                parameters = null, token = null
          where id = $3 and status = 'WAITING'",
        args![tx.now(), error, id],
    )
    .await?;
    Ok(())
}

pub async fn take_back(tx: &Tx, kind: Kind, subject: Uuid) -> Result<()> {
    tx.exec(
        "delete from mails where subject_id = $1 and kind = $2 and status = 'WAITING'",
        args![subject, kind],
    )
    .await?;
    Ok(())
}

pub async fn forget_about(tx: &Tx, subject: Uuid) -> Result<()> {
    tx.exec("delete from mails where subject_id = $1", args![subject]).await?;
    Ok(())
}

pub async fn clear(tx: &Tx, scope: Scope, most: i64) -> Result<u64> {
    let sql = delete_scope!("mails", "id");
    Ok(tx.exec(sql, args![scope.merchant, scope.mode, most]).await?)
}

pub async fn delete_before(tx: &Tx, first: Uuid, most: i64) -> Result<u64> {
    let deleted = tx
        .exec(
            "delete from mails
              where id in (select id from mails where id < $1 order by id limit $2)",
            args![first, most],
        )
        .await?;
    Ok(deleted)
}

pub async fn backlog(tx: &Tx) -> Result<Backlog> {
    let mut row = tx
        .one("select count(*), min(created_at) from mails where status = 'WAITING'", args![])
        .await?;
    let count = row.take()?;
    let oldest: Option<db::time::Timestamp> = row.take()?;
    let longest = oldest.map_or(Duration::ZERO, |oldest| tx.now().since(oldest));
    Ok(Backlog { count, longest })
}

/// The parameters of `matching`, then `more`.
fn wanted<'a>(scope: &'a Scope, filter: &'a Filter, more: &[Arg<'a>]) -> Vec<Arg<'a>> {
    let own = [
        scope.merchant.to_arg(),
        scope.mode.to_arg(),
        filter.status.as_ref().map_or(Arg::Null, ToArg::to_arg),
        filter.kind.as_ref().map_or(Arg::Null, ToArg::to_arg),
        filter.created.from.to_arg(),
        filter.created.to.to_arg(),
    ];
    [own.as_slice(), more].concat()
}

fn read(mut row: Row) -> Result<Mail> {
    Ok(Mail {
        id: row.take()?,
        merchant: row.take()?,
        mode: row.take()?,
        kind: row.take()?,
        subject: row.take()?,
        to: row.take()?,
        lang: Lang::parse(&row.take::<String>()?).unwrap_or_default(),
        content: row
            .take::<Option<String>>()?
            .map(|text| serde_json::from_str(&text))
            .transpose()?,
        token: row.take()?,
        status: row.take::<Status>()?,
        attempts: row.take()?,
        last_error: row.take()?,
        created_at: row.take()?,
        attempted_at: row.take()?,
        gives_up_at: row.take()?,
        ended_at: row.take()?,
    })
}
