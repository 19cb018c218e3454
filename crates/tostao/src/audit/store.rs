//! The `audit_log` table.

use db::args;
use db::time::Timestamp;
use db::tx::Tx;
use db::value::{Arg, Row, ToArg};
use uuid::Uuid;

use crate::audit::list::Filter;
use crate::audit::{Action, Actor, ActorContext, ActorKind, Entry, StoredEntry};
use crate::platform::error::Result;
use crate::platform::ids::{AuditId, MerchantId, PersonId};

/// The columns of an entry, in the order in which `read` takes them.
macro_rules! columns {
    () => {
        "id, created_at, merchant_id, mode, actor_kind, actor_id, action, subject_id,
         client_address, request_id, count, details, member_id"
    };
}

const NO_ACTOR: Uuid = Uuid::nil();

/// Entries that match a filter.
macro_rules! matching {
    () => {
        " from audit_log
         where (cast($1 as text) is null or action = $1)
           and created_at >= $2 and created_at < $3
           and (cast($4 as boolean) or actor_id = $5)"
    };
}

pub async fn insert(tx: &Tx, by: &ActorContext, entry: &Entry) -> Result<()> {
    tx.defer(
        "insert into audit_log
                (id, created_at, merchant_id, mode, actor_kind, actor_id, action, subject_id,
                 client_address, request_id, count, details, member_id)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
        args![
            AuditId::new(tx),
            tx.now(),
            entry.merchant,
            entry.mode,
            stored_kind(by.actor).name(),
            by.actor.id(),
            entry.action.name(),
            entry.subject,
            by.client_address,
            by.request_id,
            entry.count,
            serde_json::to_string(&entry.details)?,
            match by.actor {
                Actor::Member(person) => Some(person),
                _ => None,
            },
        ],
    )
    .await?;
    Ok(())
}

pub async fn list(tx: &Tx, merchant: MerchantId, filter: &Filter) -> Result<Vec<StoredEntry>> {
    let page = &filter.page;
    let rows = tx
        .all(
            concat!(
                "select ",
                columns!(),
                matching!(),
                " and merchant_id = $6",
                " and id < $7
                  order by id desc
                  limit $8 offset $9"
            ),
            &wanted(filter, args![merchant, page.before(), page.fetch(), page.offset()]),
        )
        .await?;
    rows.into_iter().map(read).collect()
}

pub async fn count(tx: &Tx, merchant: MerchantId, filter: &Filter) -> Result<i64> {
    let sql = concat!("select count(*)", matching!(), " and merchant_id = $6");
    Ok(tx.one(sql, &wanted(filter, args![merchant])).await?.take()?)
}

pub async fn list_all_accounts(tx: &Tx, filter: &Filter) -> Result<Vec<StoredEntry>> {
    let page = &filter.page;
    let rows = tx
        .all(
            concat!(
                "select ",
                columns!(),
                matching!(),
                " and id < $6
                  order by id desc
                  limit $7 offset $8"
            ),
            &wanted(filter, args![page.before(), page.fetch(), page.offset()]),
        )
        .await?;
    rows.into_iter().map(read).collect()
}

pub async fn count_all_accounts(tx: &Tx, filter: &Filter) -> Result<i64> {
    let sql = concat!("select count(*)", matching!());
    Ok(tx.one(sql, &wanted(filter, args![])).await?.take()?)
}

/// When each of these actions was last done in an account, from an id on.
pub async fn last_changes(
    tx: &Tx,
    merchant: MerchantId,
    first: Uuid,
    actions: &[Action; 11],
) -> Result<Vec<(Action, Timestamp)>> {
    let names = actions.map(|action| Arg::Text(action.name()));
    let rows = tx
        .all(
            "select action, max(created_at)
               from audit_log
              where merchant_id = $1 and id >= $2
                and action in ($3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
              group by action",
            &[args![merchant, first].as_slice(), &names].concat(),
        )
        .await?;
    let read = |mut row: Row| Ok((Action::parse(&row.take::<String>()?), row.take()?));
    let rows = rows.into_iter().map(read).collect::<Result<Vec<_>>>()?;
    Ok(rows.into_iter().filter_map(|(action, at)| Some((action?, at))).collect())
}

/// Deletes what was written before an instant, as far as the database allows it: only entries at
/// least a year older than the newest one.
pub async fn delete_expired(tx: &Tx, before: Timestamp, most: i64) -> Result<u64> {
    let deleted = tx
        .exec(
            "delete from audit_log
              where id in (
                    select id
                      from audit_log
                     where created_at < $1
                       and created_at <= (
                           select max(created_at) - 31536000000000 from audit_log)
                     limit $2)",
            args![before, most],
        )
        .await?;
    Ok(deleted)
}

/// The parameters of `matching`, then `more`.
fn wanted<'a>(filter: &'a Filter, more: &[Arg<'a>]) -> Vec<Arg<'a>> {
    let action = filter.action.map(Action::name).map_or(Arg::Null, Arg::Text);
    let (from, to) = (filter.created.from.to_arg(), filter.created.to.to_arg());
    // Without an actor, what stands in its place is compared with nothing.
    let actor = filter.actor.as_ref().unwrap_or(&NO_ACTOR);
    let own = [action, from, to, Arg::Bool(filter.actor.is_none()), actor.to_arg()];
    [own.as_slice(), more].concat()
}

/// A member acts for the owner: the version before this one knows no other kind, and `member_id`
/// distinguishes them.
fn stored_kind(actor: Actor) -> ActorKind {
    match actor.kind() {
        ActorKind::Member => ActorKind::Owner,
        kind => kind,
    }
}

fn read(mut row: Row) -> Result<StoredEntry> {
    let stored = StoredEntry {
        id: row.take()?,
        created_at: row.take()?,
        merchant: row.take()?,
        mode: row.take()?,
        actor_kind: row.take()?,
        actor_id: row.take()?,
        action: row.take()?,
        subject: row.take()?,
        client_address: row.take()?,
        request_id: row.take()?,
        count: row.take()?,
        details: serde_json::from_str(&row.take::<String>()?)?,
    };
    let member: Option<PersonId> = row.take()?;
    let actor_kind = member.map_or(stored.actor_kind, |_| ActorKind::Member);
    Ok(StoredEntry { actor_kind, ..stored })
}
