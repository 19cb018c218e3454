//! The table of changes, and the one statement that counts.

use db::args;
use db::tx::Tx;
use db::value::{Arg, Row, ToArg};

use crate::platform::error::Result;
use crate::platform::ids::{Scope, SubscriptionId};
use crate::subscriptions::metrics::{
    Change, ChangesFilter, ChangesSum, Counted, ListedChange, MrrMovement, Window,
};

/// The changes that match a filter.
macro_rules! matching {
    () => {
        " from subscription_changes as c
          join subscriptions as s
            on s.merchant_id = c.merchant_id and s.mode = c.mode and s.id = c.subscription_id
         where c.merchant_id = $1 and c.mode = $2
           and c.kind in ('NEW', 'EXPANSION', 'CONTRACTION', 'CHURN')
           and c.changed_at >= $3 and c.changed_at < $4
           and (cast($5 as text) is null or c.kind = $5)"
    };
}

pub async fn insert(tx: &Tx, scope: Scope, of: SubscriptionId, change: Change) -> Result<()> {
    tx.defer(
        "insert into subscription_changes
                (merchant_id, mode, changed_at, id, subscription_id, kind, annual_cents, paying,
                 lost)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        args![
            scope.merchant,
            scope.mode,
            scope.now(tx),
            tx.new_id(),
            of,
            change.kind.name(),
            change.annual,
            change.paying,
            i64::from(change.lost),
        ],
    )
    .await?;
    Ok(())
}

/// Counts the current recurring revenue, and the changes in a window and after it, each by an
/// index-only scan.
pub async fn count(tx: &Tx, scope: Scope, window: Window) -> Result<Counted> {
    let rows = tx
        .all(
            "select 'PRESENT', status, count(*), cast(sum(annual_cents) as bigint),
                    cast(0 as bigint), cast(0 as bigint)
               from subscriptions
              where merchant_id = $1 and mode = $2
              group by status
             union all
             select 'WINDOW', kind, count(*), cast(sum(annual_cents) as bigint),
                    cast(sum(paying) as bigint), cast(sum(lost) as bigint)
               from subscription_changes
              where merchant_id = $1 and mode = $2
                and kind in ('NEW', 'EXPANSION', 'CONTRACTION', 'CHURN')
                and changed_at >= $3 and changed_at < $4
              group by kind
             union all
             select 'LATER', kind, count(*), cast(sum(annual_cents) as bigint),
                    cast(sum(paying) as bigint), cast(sum(lost) as bigint)
               from subscription_changes
              where merchant_id = $1 and mode = $2
                and kind in ('NEW', 'EXPANSION', 'CONTRACTION', 'CHURN')
                and changed_at >= $4
              group by kind",
            args![scope.merchant, scope.mode, window.from, window.to],
        )
        .await?;
    let mut counted = Counted::default();
    for mut row in rows {
        let (part, word): (String, String) = (row.take()?, row.take()?);
        let (number, annual): (i64, i64) = (row.take()?, row.take()?);
        let (paying, lost): (i64, i64) = (row.take()?, row.take()?);
        match part.as_str() {
            "PRESENT" => counted.has(&word, number, annual),
            "WINDOW" => counted.changed(&word, annual, paying, lost),
            _ => counted.changes_later(annual, paying),
        }
    }
    Ok(counted)
}

/// Lists changes, newest first.
pub async fn list(tx: &Tx, scope: Scope, filter: &ChangesFilter) -> Result<Vec<ListedChange>> {
    let page = &filter.page;
    let rows = tx
        .all(
            concat!(
                "select c.id, c.changed_at, c.kind, c.annual_cents, c.lost, c.subscription_id,
                        s.plan_name, s.client_id, s.customer_name",
                matching!(),
                " and c.id < $6
                 order by c.id desc
                 limit $7 offset $8"
            ),
            &filter_args(&scope, filter, args![page.before(), page.fetch(), page.offset()]),
        )
        .await?;
    rows.into_iter().map(|mut row| read(&mut row)).collect()
}

/// Counts changes, and sums them up.
pub async fn sum(tx: &Tx, scope: Scope, filter: &ChangesFilter) -> Result<(i64, ChangesSum)> {
    let sql = concat!(
        "select count(*), cast(coalesce(sum(c.annual_cents), 0) as bigint),
                cast(coalesce(sum(c.lost), 0) as bigint)",
        matching!()
    );
    let mut row = tx.one(sql, &filter_args(&scope, filter, &[])).await?;
    Ok((row.take()?, ChangesSum { annual: row.take()?, lost: row.take()? }))
}

/// The parameters of `matching`, then `more`.
fn filter_args<'a>(scope: &'a Scope, filter: &'a ChangesFilter, more: &[Arg<'a>]) -> Vec<Arg<'a>> {
    let own = [
        scope.merchant.to_arg(),
        scope.mode.to_arg(),
        filter.window.from.to_arg(),
        filter.window.to.to_arg(),
        filter.kind.map(MrrMovement::name).map_or(Arg::Null, Arg::Text),
    ];
    [own.as_slice(), more].concat()
}

fn read(row: &mut Row) -> Result<ListedChange> {
    Ok(ListedChange {
        id: row.take()?,
        at: row.take()?,
        kind: row.take()?,
        annual: row.take()?,
        lost: row.take::<i64>()? != 0,
        subscription: row.take()?,
        plan_name: row.take()?,
        client: row.take()?,
        subscriber: row.take()?,
    })
}
