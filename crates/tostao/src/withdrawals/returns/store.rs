//! The table of what banks sent back of paid withdrawals.

use db::args;
use db::tx::Tx;
use ledger::cents::Cents;

use crate::platform::error::Result;
use crate::platform::ids::{Scope, WithdrawalId};
use crate::store::{Sums, add_up, summing};
use crate::withdrawals::returns::WithdrawalReturn;

/// The sum of what banks sent back.
pub async fn sums(tx: &Tx, of: Option<Scope>) -> Result<Sums<1>> {
    let sums = summing!(
        "merchant_id",
        "cast(coalesce(sum(amount_cents), 0) as bigint)",
        "withdrawal_returns",
        "true"
    );
    add_up(tx, of, sums).await
}

/// The withdrawal and the amount under which a part that a bank sent back is stored.
pub async fn known(tx: &Tx, of: &WithdrawalReturn) -> Result<Option<(WithdrawalId, Cents)>> {
    let sql = "select withdrawal_id, amount_cents from withdrawal_returns
                where provider = $1 and return_id = $2";
    let row = tx.opt(sql, args![of.provider, of.return_id]).await?;
    row.map(|mut row| Ok((row.take()?, row.take()?))).transpose()
}

/// Stores what a bank sent back of a paid withdrawal. The caller holds the withdrawal's lock.
pub async fn insert(tx: &Tx, scope: Scope, new: &WithdrawalReturn) -> Result<()> {
    tx.defer(
        "insert into withdrawal_returns
                (merchant_id, mode, withdrawal_id, id, provider, return_id, amount_cents,
                 returned_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8)",
        args![
            scope.merchant,
            scope.mode,
            new.withdrawal,
            new.id,
            new.provider,
            new.return_id,
            new.amount,
            new.at,
        ],
    )
    .await?;
    tx.defer(
        "update withdrawals
            set returned_cents = returned_cents + $4, version = version + 1, updated_at = $5
          where merchant_id = $1 and mode = $2 and id = $3",
        args![scope.merchant, scope.mode, new.withdrawal, new.amount, scope.now(tx)],
    )
    .await?;
    Ok(())
}
