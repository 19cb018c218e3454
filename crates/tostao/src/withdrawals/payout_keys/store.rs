//! The `payout_keys` table.

use anyhow::anyhow;
use db::args;
use db::tx::Tx;
use db::value::Row;

use crate::platform::error::{Error, Result};
use crate::platform::ids::{MerchantId, PayoutKeyId, Scope};
use crate::store::pix_key;
use crate::withdrawals::payout_keys::PayoutKey;

/// The columns of a key, in the order in which `read` takes them.
macro_rules! payout_key_columns {
    () => {
        "id, label, pix_key_type, pix_key, usable_from, created_at, created_by"
    };
}

pub async fn insert(tx: &Tx, scope: Scope, new: &PayoutKey) -> Result<()> {
    tx.exec(
        "insert into payout_keys
                (merchant_id, mode, id, label, pix_key_type, pix_key, usable_from, created_at,
                 created_by)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        args![
            scope.merchant,
            scope.mode,
            new.id,
            new.label,
            new.key.key_type().as_str(),
            new.key.as_str(),
            new.usable_from,
            new.created_at,
            new.created_by,
        ],
    )
    .await?;
    Ok(())
}

pub async fn list(tx: &Tx, scope: Scope) -> Result<Vec<PayoutKey>> {
    let rows = tx
        .all(
            concat!(
                "select ",
                payout_key_columns!(),
                " from payout_keys
                 where merchant_id = $1 and mode = $2
                 order by id desc"
            ),
            args![scope.merchant, scope.mode],
        )
        .await?;
    rows.into_iter().map(read).collect()
}

pub async fn find(tx: &Tx, scope: Scope, id: PayoutKeyId) -> Result<Option<PayoutKey>> {
    let row = tx
        .opt(
            concat!(
                "select ",
                payout_key_columns!(),
                " from payout_keys
                 where merchant_id = $1 and mode = $2 and id = $3"
            ),
            args![scope.merchant, scope.mode, id],
        )
        .await?;
    row.map(read).transpose()
}

pub async fn delete(tx: &Tx, scope: Scope, id: PayoutKeyId) -> Result<()> {
    tx.exec(
        "delete from payout_keys where merchant_id = $1 and mode = $2 and id = $3",
        args![scope.merchant, scope.mode, id],
    )
    .await?;
    Ok(())
}

pub async fn delete_all(tx: &Tx, merchant: MerchantId) -> Result<()> {
    tx.exec("delete from payout_keys where merchant_id = $1", args![merchant]).await?;
    Ok(())
}

fn read(mut row: Row) -> Result<PayoutKey> {
    Ok(PayoutKey {
        id: row.take()?,
        label: row.take()?,
        key: pix_key(&mut row)?
            .ok_or_else(|| Error::Internal(anyhow!("a payout key is no PIX key")))?,
        usable_from: row.take()?,
        created_at: row.take()?,
        created_by: row.take()?,
    })
}
