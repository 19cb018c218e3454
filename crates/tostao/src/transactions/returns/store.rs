//! The table of returns.

use brazil::pix_key::PixKey;
use db::args;
use db::tx::Tx;
use db::value::Row;
use uuid::Uuid;

use crate::merchants;
use crate::platform::error::{Error, Result};
use crate::platform::ids::{MerchantId, Mode, ReturnId, Scope, TransactionId};
use crate::store::{PendingOrders, Sums, add_up, newest_of, summing, unresolved};
use crate::transactions::refunds::Status;
use crate::transactions::refunds::method::RefundMethod;
use crate::transactions::returns::Return;

/// The columns of a return, in the order in which `read` takes them.
macro_rules! columns {
    () => {
        "merchant_id, mode, id, transaction_id, of_id, status, way, pix_key_type, pix_key, provider,
         payment_id, amount_cents, rail_id, created_at, sent_at, acknowledged_at"
    };
}

pub async fn insert(tx: &Tx, new: &Return) -> Result<()> {
    let key = new.method.key();
    tx.exec(
        "insert into payment_returns
                (id, merchant_id, mode, transaction_id, of_id, status, way, provider, payment_id,
                 amount_cents, pix_key_type, pix_key, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
        args![
            new.id,
            new.scope.merchant,
            new.scope.mode,
            new.transaction,
            new.of,
            new.status.name(),
            new.method.name(),
            new.provider,
            new.payment_id,
            new.amount,
            key.map(|key| key.key_type().as_str()),
            key.map(PixKey::as_str),
            new.created_at,
        ],
    )
    .await?;
    Ok(())
}

pub async fn find(tx: &Tx, id: ReturnId) -> Result<Return> {
    let row = tx
        .opt(concat!("select ", columns!(), " from payment_returns where id = $1"), args![id])
        .await?;
    read(tx, row.ok_or(Error::NotFound("Return"))?).await
}

/// Whose account holds the money of a return.
pub async fn owner(tx: &Tx, id: ReturnId) -> Result<Option<MerchantId>> {
    let sql = "select merchant_id from payment_returns where id = $1";
    Ok(tx.opt(sql, args![id]).await?.map(|mut row| row.take()).transpose()?)
}

pub async fn is_pending(tx: &Tx, id: ReturnId) -> Result<bool> {
    let sql = "select id from payment_returns where id = $1 and status = 'PENDING'";
    Ok(tx.opt(sql, args![id]).await?.is_some())
}

/// The newest returns of what was set aside beside a payment, failed ones, too.
pub async fn newest_of(
    tx: &Tx,
    scope: Scope,
    of: TransactionId,
    most: i64,
) -> Result<Vec<ReturnId>> {
    let rows =
        tx.all(newest_of!("payment_returns"), args![scope.merchant, scope.mode, of, most]).await?;
    rows.into_iter().map(|mut row| Ok(row.take()?)).collect()
}

/// Finds a return and locks it until the unit ends.
pub async fn lock(tx: &Tx, id: ReturnId) -> Result<Return> {
    let row = tx
        .opt(
            concat!(
                "select ",
                columns!(),
                " from payment_returns where id = $1 /*+ lock payment_returns */"
            ),
            args![id],
        )
        .await?;
    read(tx, row.ok_or(Error::NotFound("Return"))?).await
}

/// Finds a return that a bank was ordered to pay by a method, by its reference.
pub async fn find_ordered(
    tx: &Tx,
    provider: &str,
    method: &str,
    reference: &str,
) -> Result<Option<ReturnId>> {
    let Ok(id) = Uuid::try_parse(reference) else { return Ok(None) };
    let row = tx
        .opt(
            "select id from payment_returns where id = $1 and way = $2 and provider = $3",
            args![id, method, provider],
        )
        .await?;
    row.map(|mut row| Ok(row.take()?)).transpose()
}

/// Counts the orders that were sent and whose outcome is unknown.
pub async fn unresolved(tx: &Tx, mode: Mode) -> Result<PendingOrders> {
    PendingOrders::read(tx, tx.opt(unresolved!("payment_returns"), args![mode]).await?)
}

/// Stores that the order is about to be sent; false if it may have been sent before.
pub async fn mark_sent(tx: &Tx, found: &Return) -> Result<bool> {
    let marked = tx
        .exec(
            "update payment_returns
                set sent_at = $1
              where id = $2 and status = 'PENDING' and sent_at is null",
            args![found.scope.now(tx), found.id],
        )
        .await?;
    Ok(marked == 1)
}

/// Stores that the order has not been sent after all.
pub async fn unmark_sent(tx: &Tx, found: &Return) -> Result<()> {
    tx.defer(
        "update payment_returns
            set sent_at = null
          where id = $1 and status = 'PENDING' and acknowledged_at is null",
        args![found.id],
    )
    .await?;
    Ok(())
}

/// Stores that the provider knows the order.
pub async fn acknowledge(tx: &Tx, found: &Return) -> Result<()> {
    tx.defer(
        "update payment_returns
            set acknowledged_at = $1
          where id = $2 and acknowledged_at is null",
        args![found.scope.now(tx), found.id],
    )
    .await?;
    Ok(())
}

/// Stores a return's result; false if it has ended before.
pub async fn end(
    tx: &Tx,
    found: &Return,
    status: Status,
    rail_id: Option<&str>,
    reason: Option<&str>,
) -> Result<bool> {
    let now = found.scope.now(tx);
    let updated = tx
        .exec(
            "update payment_returns
                set status = $1, rail_id = $2, failure_reason = $3, completed_at = $4,
                    failed_at = $5
              where id = $6 and status = 'PENDING'",
            args![
                status.name(),
                rail_id,
                reason,
                (status == Status::Completed).then_some(now),
                (status == Status::Failed).then_some(now),
                found.id,
            ],
        )
        .await?;
    Ok(updated == 1)
}

/// Sums of returns: those pending, and those that are done.
pub async fn sums(tx: &Tx, of: Option<Scope>) -> Result<Sums<2>> {
    let sums = summing!(
        "merchant_id",
        "cast(coalesce(sum(amount_cents)
                       filter (where status = 'PENDING'), 0) as bigint),
         cast(coalesce(sum(amount_cents)
                       filter (where status = 'COMPLETED'), 0) as bigint)",
        "payment_returns",
        "true"
    );
    add_up(tx, of, sums).await
}

async fn read(tx: &Tx, mut row: Row) -> Result<Return> {
    let (merchant, mode): (MerchantId, Mode) = (row.take()?, row.take()?);
    let platform = Scope::platform(mode);
    let scope = if merchant == platform.merchant {
        platform
    } else {
        merchants::scope(tx, merchant, mode).await?
    };
    Ok(Return {
        scope,
        id: row.take()?,
        transaction: row.take()?,
        of: row.take()?,
        status: row.take()?,
        method: RefundMethod::read(&mut row)?,
        provider: row.take()?,
        payment_id: row.take()?,
        amount: row.take()?,
        rail_id: row.take()?,
        created_at: row.take()?,
        sent_at: row.take()?,
        acknowledged_at: row.take()?,
    })
}
