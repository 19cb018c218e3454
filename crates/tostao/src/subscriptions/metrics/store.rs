//! The table of changes, and the one statement that counts.

use db::args;
use db::tx::Tx;

use crate::error::Result;
use crate::ids::{Scope, SubscriptionId};
use crate::subscriptions::metrics::{Change, Counted, Window};

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

/// Counts what recurs now by an index alone, and what changed since a window began.
pub async fn count(tx: &Tx, scope: Scope, window: Window) -> Result<Counted> {
    let mut row = tx
        .one(
            "select cast(coalesce(sum(case status when 'ACTIVE' then number end), 0) as bigint),
                    cast(coalesce(sum(case status when 'TRIALING' then number end), 0) as bigint),
                    cast(coalesce(sum(case status when 'PAST_DUE' then number end), 0) as bigint),
                    cast(coalesce(sum(case status when 'PAUSED' then number end), 0) as bigint),
                    cast(coalesce(sum(annual), 0) as bigint),
                    max(later_annual), max(later_paying), max(all_annual), max(all_paying),
                    max(new), max(expansion), max(contraction), max(churned), max(lost)
               from (select cast(coalesce(sum(case when changed_at >= $4 then annual_cents end), 0)
                                 as bigint) as later_annual,
                            cast(coalesce(sum(case when changed_at >= $4 then paying end), 0)
                                 as bigint) as later_paying,
                            cast(coalesce(sum(annual_cents), 0) as bigint) as all_annual,
                            cast(coalesce(sum(paying), 0) as bigint) as all_paying,
                            cast(coalesce(sum(case when kind = 'NEW' and changed_at < $4
                                                   then annual_cents end), 0)
                                 as bigint) as new,
                            cast(coalesce(sum(case when kind = 'EXPANSION' and changed_at < $4
                                                   then annual_cents end), 0)
                                 as bigint) as expansion,
                            cast(coalesce(sum(case when kind = 'CONTRACTION' and changed_at < $4
                                                   then -annual_cents end), 0)
                                 as bigint) as contraction,
                            cast(coalesce(sum(case when kind = 'CHURN' and changed_at < $4
                                                   then -annual_cents end), 0)
                                 as bigint) as churned,
                            cast(coalesce(sum(case when changed_at < $4 then lost end), 0)
                                 as bigint) as lost
                       from subscription_changes
                      where merchant_id = $1 and mode = $2 and changed_at >= $3) as changes
               left join (select status, count(*) as number, sum(annual_cents) as annual
                            from subscriptions
                           where merchant_id = $1 and mode = $2
                           group by status) as present
                 on true",
            args![scope.merchant, scope.mode, window.from, window.to],
        )
        .await?;
    let (active, trialing) = (row.take()?, row.take()?);
    let (past_due, paused) = (row.take()?, row.take()?);
    let (annual, later_annual, later_paying): (i64, i64, i64) =
        (row.take()?, row.take()?, row.take()?);
    let (all_annual, all_paying): (i64, i64) = (row.take()?, row.take()?);
    let paying: i64 = active + past_due;
    Ok(Counted {
        active,
        trialing,
        past_due,
        paused,
        annual: annual - later_annual,
        paying: paying - later_paying,
        annual_before: annual - all_annual,
        paying_before: paying - all_paying,
        new: row.take()?,
        expansion: row.take()?,
        contraction: row.take()?,
        churned: row.take()?,
        lost: row.take()?,
    })
}

pub async fn clear(tx: &Tx, scope: Scope, most: i64) -> Result<u64> {
    let cleared = tx
        .exec(
            "delete from subscription_changes
              where merchant_id = $1 and mode = $2 and (changed_at, id) in (
                    select changed_at, id
                      from subscription_changes
                     where merchant_id = $1 and mode = $2
                     limit $3)",
            args![scope.merchant, scope.mode, most],
        )
        .await?;
    Ok(cleared)
}
