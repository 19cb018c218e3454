//! The table of what is held of commissions.

use db::args;
use db::tx::Tx;
use db::value::Row;
use uuid::Uuid;

use crate::affiliates::commissions::clawbacks::CommissionHold;
use crate::platform::error::Result;
use crate::platform::ids::{Scope, TransactionId};
use crate::store::{delete_scope, delete_scope_as_affiliate};

pub async fn insert(
    tx: &Tx,
    scope: Scope,
    of: TransactionId,
    by: Uuid,
    hold: &CommissionHold,
) -> Result<()> {
    tx.defer(
        "insert into affiliate_takes
                (merchant_id, mode, transaction_id, by_id, affiliate_id, amount_cents,
                 unpaid_cents, released)
         values ($1, $2, $3, $4, $5, $6, $7, $8)",
        args![
            scope.merchant,
            scope.mode,
            of,
            by,
            hold.affiliate,
            hold.amount,
            hold.unpaid,
            hold.released,
        ],
    )
    .await?;
    Ok(())
}

/// Deletes what was held and returns it, so that it ends once.
pub async fn delete(
    tx: &Tx,
    scope: Scope,
    of: TransactionId,
    by: Uuid,
) -> Result<Option<CommissionHold>> {
    let row = tx
        .opt(
            "delete from affiliate_takes
              where merchant_id = $1 and mode = $2 and transaction_id = $3 and by_id = $4
             returning affiliate_id, amount_cents, unpaid_cents, released",
            args![scope.merchant, scope.mode, of, by],
        )
        .await?;
    let read = |mut row: Row| {
        Ok(CommissionHold {
            affiliate: row.take()?,
            amount: row.take()?,
            unpaid: row.take()?,
            released: row.take()?,
        })
    };
    row.map(read).transpose()
}

/// Deletes what refunds and disputes hold of a merchant's sales.
pub async fn clear_given(tx: &Tx, scope: Scope, most: i64) -> Result<u64> {
    let sql = delete_scope!("affiliate_takes", "transaction_id, by_id");
    Ok(tx.exec(sql, args![scope.merchant, scope.mode, most]).await?)
}

/// Deletes what refunds and disputes hold of an affiliate's commissions.
pub async fn clear_had(tx: &Tx, scope: Scope, most: i64) -> Result<u64> {
    let sql = delete_scope_as_affiliate!("affiliate_takes", "merchant_id, transaction_id, by_id");
    Ok(tx.exec(sql, args![scope.merchant, scope.mode, most]).await?)
}
