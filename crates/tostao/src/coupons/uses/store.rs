//! The `coupon_uses` table.

use db::args;
use db::tx::Tx;
use db::value::Row;
use ledger::cents::Cents;

use crate::coupons::uses::{BuyerIdentity, Use};
use crate::platform::error::Result;
use crate::platform::ids::{CouponId, Scope, TransactionId};

/// The columns of a use, in the order in which `read` takes them.
macro_rules! columns {
    () => {
        "coupon_id, discount_cents, released_at is not null"
    };
}

pub async fn insert(
    tx: &Tx,
    scope: Scope,
    transaction: TransactionId,
    coupon: CouponId,
    discount: Cents,
    buyer: &BuyerIdentity,
) -> Result<()> {
    tx.defer(
        "insert into coupon_uses
                (merchant_id, mode, transaction_id, coupon_id, state, discount_cents, document,
                 email, card_fingerprint, created_at, updated_at)
         values ($1, $2, $3, $4, 'RESERVED', $5, $6, $7, $8, $9, $9)",
        args![
            scope.merchant,
            scope.mode,
            transaction,
            coupon,
            discount,
            buyer.document,
            buyer.email,
            buyer.card_fingerprint,
            scope.now(tx),
        ],
    )
    .await?;
    Ok(())
}

pub async fn blank(tx: &Tx, scope: Scope, transaction: TransactionId) -> Result<()> {
    tx.defer(
        "update coupon_uses
            set document = null, email = '', card_fingerprint = null
          where merchant_id = $1 and mode = $2 and transaction_id = $3",
        args![scope.merchant, scope.mode, transaction],
    )
    .await?;
    Ok(())
}

/// Counts the uses of a coupon by a buyer who matches any of the identifiers.
pub async fn count(tx: &Tx, scope: Scope, coupon: CouponId, buyer: &BuyerIdentity) -> Result<i64> {
    let mut row = tx
        .one(
            "select count(*)
               from coupon_uses
              where merchant_id = $1 and mode = $2 and state in ('RESERVED', 'USED')
                and transaction_id in (
                    select transaction_id
                      from coupon_uses
                     where merchant_id = $1 and mode = $2 and coupon_id = $3 and document = $4
                     union
                    select transaction_id
                      from coupon_uses
                     where merchant_id = $1 and mode = $2 and coupon_id = $3 and email = $5
                     union
                    select transaction_id
                      from coupon_uses
                     where merchant_id = $1 and mode = $2 and coupon_id = $3
                       and card_fingerprint = $6)",
            args![
                scope.merchant,
                scope.mode,
                coupon,
                buyer.document,
                buyer.email,
                buyer.card_fingerprint,
            ],
        )
        .await?;
    Ok(row.take()?)
}

/// Records that a payment came; `None` if it uses no coupon, or was recorded before.
pub async fn mark_paid(tx: &Tx, scope: Scope, transaction: TransactionId) -> Result<Option<Use>> {
    let row = tx
        .opt(
            concat!(
                "update coupon_uses
                    set state = 'USED', updated_at = $1
                  where merchant_id = $2 and mode = $3 and transaction_id = $4
                    and state in ('RESERVED', 'RELEASED')
                 returning ",
                columns!()
            ),
            args![scope.now(tx), scope.merchant, scope.mode, transaction],
        )
        .await?;
    row.map(read).transpose()
}

/// Records that a payment will not come; `None` if it uses no coupon, or has come or ended before.
pub async fn release(tx: &Tx, scope: Scope, transaction: TransactionId) -> Result<Option<Use>> {
    let row = tx
        .opt(
            concat!(
                "update coupon_uses
                    set state = 'RELEASED', released_at = $1, updated_at = $1
                  where merchant_id = $2 and mode = $3 and transaction_id = $4
                    and state = 'RESERVED'
                 returning ",
                columns!()
            ),
            args![scope.now(tx), scope.merchant, scope.mode, transaction],
        )
        .await?;
    row.map(read).transpose()
}

/// Records that a payment was refunded; `None` if it used no coupon, or that was recorded before.
pub async fn free(tx: &Tx, scope: Scope, transaction: TransactionId) -> Result<Option<Use>> {
    let row = tx
        .opt(
            concat!(
                "update coupon_uses
                    set state = 'FREED', updated_at = $1
                  where merchant_id = $2 and mode = $3 and transaction_id = $4
                    and state = 'USED'
                 returning ",
                columns!()
            ),
            args![scope.now(tx), scope.merchant, scope.mode, transaction],
        )
        .await?;
    row.map(read).transpose()
}

fn read(mut row: Row) -> Result<Use> {
    Ok(Use { coupon: row.take()?, discount: row.take()?, released: row.take()? })
}
