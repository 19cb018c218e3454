//! The table of changes, and the one statement that counts.

use db::args;
use db::tx::Tx;

use crate::platform::error::Result;
use crate::platform::ids::{Scope, SubscriptionId};
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
