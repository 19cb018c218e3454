//! What was paid out of an account, and to which key.

use db::args;
use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;

use crate::platform::error::Result;
use crate::platform::ids::Scope;
use crate::withdrawals::Withdrawal;

/// Sums what was asked for since an instant and was paid, without fees; that none has failed is
/// what the index of their limits knows.
pub async fn paid_since(tx: &Tx, scope: Scope, since: Timestamp) -> Result<Cents> {
    let mut row = tx
        .one(
            "select cast(coalesce(sum(amount_cents - fee_cents), 0) as bigint)
               from withdrawals
              where merchant_id = $1 and mode = $2 and created_at >= $3
                and status <> 'FAILED' and status = 'COMPLETED'",
            args![scope.merchant, scope.mode, since],
        )
        .await?;
    Ok(row.take()?)
}

/// Whether another withdrawal of the account to the key of this one was paid.
pub async fn was_paid_to(tx: &Tx, scope: Scope, of: &Withdrawal) -> Result<bool> {
    let row = tx
        .opt(
            "select id
               from withdrawals
              where merchant_id = $1 and mode = $2 and pix_key = $3 and pix_key_type = $4
                and status = 'COMPLETED' and id <> $5
              limit 1",
            args![scope.merchant, scope.mode, of.key.as_str(), of.key.key_type().as_str(), of.id],
        )
        .await?;
    Ok(row.is_some())
}
