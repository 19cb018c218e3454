//! The `mails` table.

use std::time::Duration;

use db::args;
use db::time::Timestamp;
use db::tx::Tx;
use db::value::{Arg, Row, ToArg};
use uuid::Uuid;

use crate::mail::list::{Filter, UnsentFilter, UnsentStatus};
use crate::mail::{Backlog, Kind, Mail, Status};
use crate::platform::error::Result;
use crate::platform::ids::{MailId, Scope};
use crate::platform::messages::Lang;

/// The columns of a mail, in the order in which `read` takes them.
macro_rules! columns {
    () => {
        "id, merchant_id, mode, kind, subject_id, recipient, lang, parameters, token,
         case when cancelled_at is null then status else 'CANCELLED' end,
         attempts, last_error, created_at, attempted_at, gives_up_at, ended_at"
    };
}

/// Mails of a scope that match a filter.
macro_rules! matching {
    () => {
        " from mails
         where merchant_id = $1 and mode = $2
           and (cast($3 as text) is null
                or case when cancelled_at is null then status else 'CANCELLED' end = $3)
           and (cast($4 as text) is null or kind = $4)
           and created_at >= $5 and created_at < $6"
    };
}

pub async fn insert(tx: &Tx, mail: &Mail) -> Result<()> {
    tx.exec(
        "insert into mails
                (id, merchant_id, mode, kind, subject_id, recipient, lang, parameters, token,
                 status, attempts, last_error, created_at, gives_up_at, ended_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)",
        args![
            mail.id,
            mail.merchant,
            mail.mode,
            mail.kind,
            mail.subject,
            mail.to,
            mail.lang.tag(),
            mail.content.as_ref().map(serde_json::to_string).transpose()?,
            mail.token,
            mail.status,
            mail.attempts,
            mail.last_error,
            mail.created_at,
            mail.gives_up_at,
            mail.ended_at,
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

/// Lists mails that wait or have failed, oldest first.
pub async fn list_unsent(tx: &Tx, filter: &UnsentFilter) -> Result<Vec<Mail>> {
    let page = filter.page;
    let rows = tx
        .all(
            concat!(
                "select ",
                columns!(),
                " from mails
                 where status in ('WAITING', 'FAILED') and cancelled_at is null
                   and (cast($1 as text) is null or status = $1)
                   and id > $2
                 order by id
                 limit $3 offset $4"
            ),
            args![filter.status, page.beyond(), page.fetch(), page.offset()],
        )
        .await?;
    rows.into_iter().map(read).collect()
}

pub async fn count_unsent(tx: &Tx, status: Option<UnsentStatus>) -> Result<i64> {
    let mut row = tx
        .one(
            "select count(*)
               from (select id
                       from mails
                      where status in ('WAITING', 'FAILED') and cancelled_at is null
                        and (cast($1 as text) is null or status = $1)
                      limit 1001) as unsent",
            args![status],
        )
        .await?;
    Ok(row.take()?)
}

pub async fn find_unsent(tx: &Tx, id: MailId) -> Result<Option<Mail>> {
    let sql = concat!(
        "select ",
        columns!(),
        " from mails
         where id = $1 and status in ('WAITING', 'FAILED') and cancelled_at is null"
    );
    tx.opt(sql, args![id]).await?.map(read).transpose()
}

/// The same, and locks it until the unit ends.
pub async fn lock_unsent(tx: &Tx, id: MailId) -> Result<Option<Mail>> {
    let sql = concat!(
        "select ",
        columns!(),
        " from mails
         where id = $1 and status in ('WAITING', 'FAILED') and cancelled_at is null
         /*+ lock mails */"
    );
    tx.opt(sql, args![id]).await?.map(read).transpose()
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

/// Records why a mail waits that was not offered to the server.
pub async fn hold(tx: &Tx, id: MailId, error: &str) -> Result<()> {
    tx.exec(
        "update mails set last_error = $1 where id = $2 and status = 'WAITING'",
        args![error, id],
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

/// Records that the server has refused a mail for good, and erases what was in it.
pub async fn mark_refused(tx: &Tx, id: MailId, error: &str) -> Result<()> {
    tx.exec(
        "update mails
            set status = 'FAILED', attempts = attempts + 1, attempted_at = $1, ended_at = $1,
                last_error = $2, parameters = null, token = null
          where id = $3 and status = 'WAITING'",
        args![tx.now(), error, id],
    )
    .await?;
    Ok(())
}

/// Records that a mail is not tried any more, and erases what was in it.
pub async fn mark_given_up(tx: &Tx, id: MailId) -> Result<()> {
    tx.exec(
        "update mails
            set status = 'FAILED', ended_at = $1, parameters = null, token = null
          where id = $2 and status = 'WAITING'",
        args![tx.now(), id],
    )
    .await?;
    Ok(())
}

/// The same of mails whose time was over at an instant, with an error for those that have none;
/// returns which.
pub async fn give_up(
    tx: &Tx,
    over_at: Timestamp,
    error: Option<&str>,
    most: i64,
) -> Result<Vec<MailId>> {
    let rows = tx
        .all(
            "update mails
                set status = 'FAILED', ended_at = $1, last_error = coalesce(last_error, $2),
                    parameters = null, token = null
              where id in (select id
                             from mails
                            where status = 'WAITING' and gives_up_at <= $3
                            order by id
                            limit $4)
                and status = 'WAITING'
             returning id",
            args![tx.now(), error, over_at, most],
        )
        .await?;
    ids(rows)
}

/// Takes back the mails of a kind about something that wait, and erases what was in them; returns
/// which, to whom and when they were written.
pub async fn cancel(
    tx: &Tx,
    kind: Kind,
    subject: Uuid,
) -> Result<Vec<(MailId, String, Timestamp)>> {
    let rows = tx
        .all(
            "update mails
                set status = 'FAILED', cancelled_at = $1, ended_at = $1, last_error = null,
                    parameters = null, token = null
              where subject_id = $2 and kind = $3 and status = 'WAITING'
             returning id, recipient, created_at",
            args![tx.now(), subject, kind],
        )
        .await?;
    rows.into_iter().map(|mut row| Ok((row.take()?, row.take()?, row.take()?))).collect()
}

pub async fn written_since(
    tx: &Tx,
    kind: Kind,
    subject: Uuid,
    since: Timestamp,
) -> Result<Vec<Timestamp>> {
    let rows = tx
        .all(
            "select created_at
               from mails
              where subject_id = $1 and kind = $2 and created_at > $3
              order by created_at",
            args![subject, kind, since],
        )
        .await?;
    rows.into_iter().map(|mut row| Ok(row.take()?)).collect()
}

/// Deletes the mails of a kind to an address; returns which.
pub async fn delete_to(tx: &Tx, scope: Scope, kind: Kind, to: &str) -> Result<Vec<MailId>> {
    let rows = tx
        .all(
            "delete from mails
              where merchant_id = $1 and mode = $2 and kind = $3 and recipient = $4
             returning id",
            args![scope.merchant, scope.mode, kind, to],
        )
        .await?;
    ids(rows)
}

/// Deletes all mails about something; returns which.
pub async fn delete_about(tx: &Tx, subject: Uuid) -> Result<Vec<MailId>> {
    ids(tx.all("delete from mails where subject_id = $1 returning id", args![subject]).await?)
}

/// Deletes mails of a scope; returns which.
pub async fn clear(tx: &Tx, scope: Scope, most: i64) -> Result<Vec<MailId>> {
    let rows = tx
        .all(
            "delete from mails
              where merchant_id = $1 and mode = $2
                and id in (select id
                             from mails
                            where merchant_id = $1 and mode = $2
                            limit $3)
             returning id",
            args![scope.merchant, scope.mode, most],
        )
        .await?;
    ids(rows)
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
    let oldest: Option<Timestamp> = row.take()?;
    let longest = oldest.map_or(Duration::ZERO, |oldest| tx.now().since(oldest));
    Ok(Backlog { count, longest })
}

fn ids(rows: Vec<Row>) -> Result<Vec<MailId>> {
    rows.into_iter().map(|mut row| Ok(row.take()?)).collect()
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
