//! The table of refunds, and the payment's counters of them.

use brazil::pix_key::PixKey;
use db::args;
use db::tx::Tx;
use db::value::Row;
use ledger::cents::Cents;
use uuid::Uuid;

use crate::merchants;
use crate::platform::error::{Error, Result};
use crate::platform::ids::{Mode, RefundId, Scope, TransactionId};
use crate::store::{PendingOrders, Sums, add_up, newest_of, owners, summing, unresolved};
use crate::transactions::refunds::Refund;
use crate::transactions::refunds::method::RefundMethod;
use crate::transactions::store::if_unchanged;
use crate::transactions::{Transaction, changes};

/// The columns of a refund, in the order in which `read` takes them.
macro_rules! columns {
    () => {
        "id, transaction_id, status, way, pix_key_type, pix_key, provider, amount_cents, reason,
         external_id, restock, rail_id, failure_reason, created_at, refunded_before_cents,
         sent_at, acknowledged_at, completed_at, failed_at"
    };
}

/// Counts a refund on its payment; returns what is then left of it beside concurrent refunds, or
/// `None` if the payment cannot refund so much.
pub async fn reserve(
    tx: &Tx,
    scope: Scope,
    of: TransactionId,
    amount: Cents,
) -> Result<Option<Cents>> {
    let row = tx
        .opt(
            "update transactions
                set refunding_cents = refunding_cents + $1, version = version + 1, updated_at = $2
              where merchant_id = $3 and mode = $4 and id = $5 and status = 'PAID'
                and refunding_cents + refunded_cents + $1 <= paid_cents
             returning paid_cents - refunding_cents - refunded_cents",
            args![amount, scope.now(tx), scope.merchant, scope.mode, of],
        )
        .await?;
    row.map(|mut row| Ok(row.take()?)).transpose()
}

/// Updates the payment after a refund's result, if nothing changed it meanwhile.
pub async fn change(
    tx: &Tx,
    scope: Scope,
    before: &Transaction,
    after: &Transaction,
) -> Result<bool> {
    let sql = concat!(
        "update transactions
            set version = $6, status = $7, refunding_cents = $8, refunded_cents = $9,
                refunded_at = $10, updated_at = $11",
        if_unchanged!()
    );
    let Transaction { refunding, refunded, refunded_at, updated_at, .. } = after;
    let more = args![refunding, refunded, refunded_at, updated_at];
    changes::change(tx, sql, scope, before, after, more).await
}

/// Returns false if the payment has a refund with the same external id.
pub async fn insert(tx: &Tx, scope: Scope, new: &Refund) -> Result<bool> {
    let key = new.method.key();
    let inserted = tx
        .exec(
            "insert into refunds
                    (merchant_id, mode, transaction_id, id, status, way, provider, amount_cents,
                     reason, external_id, restock, pix_key_type, pix_key, created_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
                 on conflict (merchant_id, mode, transaction_id, external_id)
                    where external_id is not null do nothing",
            args![
                scope.merchant,
                scope.mode,
                new.transaction,
                new.id,
                new.status.name(),
                new.method.name(),
                new.provider,
                new.amount,
                new.reason,
                new.external_id,
                new.restock,
                key.map(|key| key.key_type().as_str()),
                key.map(PixKey::as_str),
                new.created_at,
            ],
        )
        .await?;
    Ok(inserted == 1)
}

pub async fn find(tx: &Tx, scope: Scope, of: TransactionId, id: RefundId) -> Result<Refund> {
    let row = tx
        .opt(
            concat!(
                "select ",
                columns!(),
                " from refunds
                 where merchant_id = $1 and mode = $2 and transaction_id = $3 and id = $4"
            ),
            args![scope.merchant, scope.mode, of, id],
        )
        .await?;
    read(&mut row.ok_or(Error::NotFound("Refund"))?)
}

/// Finds the owner and the payment of a mode's refund.
pub async fn find_by_id(
    tx: &Tx,
    mode: Mode,
    id: RefundId,
) -> Result<Option<(Scope, TransactionId)>> {
    let row = tx
        .opt(
            concat!(
                "select mode, owner_id, dev_ahead_micros, transaction_id
                   from refunds",
                owners!(),
                " where id = $1 and mode = $2"
            ),
            args![id, mode],
        )
        .await?;
    row.map(|mut row| Ok((merchants::owner(&mut row)?, row.take()?))).transpose()
}

/// Finds the payment of a scope's refund.
pub async fn payment_of(tx: &Tx, scope: Scope, id: RefundId) -> Result<Option<TransactionId>> {
    let row = tx
        .opt(
            "select transaction_id from refunds
              where id = $1 and merchant_id = $2 and mode = $3",
            args![id, scope.merchant, scope.mode],
        )
        .await?;
    row.map(|mut row| Ok(row.take()?)).transpose()
}

/// Finds a refund that a bank was ordered to pay by a method, by its reference, with its scope.
pub async fn find_ordered(
    tx: &Tx,
    provider: &str,
    method: &str,
    reference: &str,
) -> Result<Option<(Scope, Refund)>> {
    let Ok(id) = Uuid::try_parse(reference) else { return Ok(None) };
    let row = tx
        .opt(
            concat!(
                "select mode, owner_id, dev_ahead_micros, ",
                columns!(),
                " from refunds",
                owners!(),
                " where id = $1 and way = $2 and provider = $3"
            ),
            args![id, method, provider],
        )
        .await?;
    row.map(|mut row| Ok((merchants::owner(&mut row)?, read(&mut row)?))).transpose()
}

pub async fn list(tx: &Tx, scope: Scope, of: TransactionId) -> Result<Vec<Refund>> {
    let rows = tx
        .all(
            concat!(
                "select ",
                columns!(),
                " from refunds
                 where merchant_id = $1 and mode = $2 and transaction_id = $3
                 order by id"
            ),
            args![scope.merchant, scope.mode, of],
        )
        .await?;
    rows.into_iter().map(|mut row| read(&mut row)).collect()
}

pub async fn newest_of(
    tx: &Tx,
    scope: Scope,
    of: TransactionId,
    most: i64,
) -> Result<Vec<RefundId>> {
    let rows = tx.all(newest_of!("refunds"), args![scope.merchant, scope.mode, of, most]).await?;
    rows.into_iter().map(|mut row| Ok(row.take()?)).collect()
}

/// Counts the orders that were sent and whose outcome is unknown.
pub async fn unresolved(tx: &Tx, mode: Mode) -> Result<PendingOrders> {
    PendingOrders::read(tx, tx.opt(unresolved!("refunds"), args![mode]).await?)
}

/// Gives a refund of a card's charge its turn, unless another one of the same charge has it, and
/// stores what was refunded before; the caller holds the payment's lock. Returns whether it has its
/// turn.
pub async fn take_turn(
    tx: &Tx,
    scope: Scope,
    refund: &Refund,
    refunded_before: Cents,
) -> Result<bool> {
    let taken = tx
        .exec(
            "update refunds
                set refunded_before_cents = $1
              where merchant_id = $2 and mode = $3 and transaction_id = $4 and id = $5
                and not exists (
                    select 1
                      from refunds as others
                     where others.merchant_id = $2 and others.mode = $3
                       and others.transaction_id = $4 and others.id <> $5
                       and others.way = 'CARD' and others.status = 'PENDING'
                       and others.refunded_before_cents is not null)",
            args![refunded_before, scope.merchant, scope.mode, refund.transaction, refund.id],
        )
        .await?;
    Ok(taken == 1)
}

/// Stores that the order is about to be sent; false if it may have been sent before.
pub async fn mark_sent(tx: &Tx, scope: Scope, refund: &Refund) -> Result<bool> {
    let marked = tx
        .exec(
            "update refunds
                set sent_at = $1
              where merchant_id = $2 and mode = $3 and transaction_id = $4 and id = $5
                and status = 'PENDING' and sent_at is null",
            args![scope.now(tx), scope.merchant, scope.mode, refund.transaction, refund.id],
        )
        .await?;
    Ok(marked == 1)
}

/// Stores that the order has not been sent after all, so that its turn is over, too.
pub async fn unmark_sent(tx: &Tx, scope: Scope, refund: &Refund) -> Result<()> {
    tx.defer(
        "update refunds
            set sent_at = null, refunded_before_cents = null
          where merchant_id = $1 and mode = $2 and transaction_id = $3 and id = $4
            and status = 'PENDING' and acknowledged_at is null",
        args![scope.merchant, scope.mode, refund.transaction, refund.id],
    )
    .await?;
    Ok(())
}

/// Stores that the provider knows the order.
pub async fn acknowledge(tx: &Tx, scope: Scope, refund: &Refund) -> Result<()> {
    tx.defer(
        "update refunds
            set acknowledged_at = $1
          where merchant_id = $2 and mode = $3 and transaction_id = $4 and id = $5
            and acknowledged_at is null",
        args![scope.now(tx), scope.merchant, scope.mode, refund.transaction, refund.id],
    )
    .await?;
    Ok(())
}

/// Stores a refund's result; false if it has ended before, or its provider has come to know it
/// since it was read.
pub async fn end(tx: &Tx, scope: Scope, ended: &Refund) -> Result<bool> {
    let updated = tx
        .exec(
            "update refunds
                set status = $1, rail_id = $2, failure_reason = $3, completed_at = $4,
                    failed_at = $5
              where merchant_id = $6 and mode = $7 and transaction_id = $8 and id = $9
                and status = 'PENDING' and (acknowledged_at is null) = $10",
            args![
                ended.status.name(),
                ended.rail_id,
                ended.failure_reason,
                ended.completed_at,
                ended.failed_at,
                scope.merchant,
                scope.mode,
                ended.transaction,
                ended.id,
                ended.acknowledged_at.is_none(),
            ],
        )
        .await?;
    Ok(updated == 1)
}

/// Whether a completed refund restocks what was sold.
pub async fn wants_restock(tx: &Tx, scope: Scope, of: TransactionId) -> Result<bool> {
    let mut row = tx
        .one(
            "select count(*)
               from refunds
              where merchant_id = $1 and mode = $2 and transaction_id = $3
                and restock and status = 'COMPLETED'",
            args![scope.merchant, scope.mode, of],
        )
        .await?;
    Ok(row.take::<i64>()? > 0)
}

/// Sums of refunds: what is pending, and what was done.
pub async fn sums(tx: &Tx, of: Option<Scope>) -> Result<Sums<2>> {
    let sums = summing!(
        "merchant_id",
        "cast(coalesce(sum(amount_cents)
                       filter (where status = 'PENDING'), 0) as bigint),
         cast(coalesce(sum(amount_cents)
                       filter (where status = 'COMPLETED'), 0) as bigint)",
        "refunds",
        "true"
    );
    add_up(tx, of, sums).await
}

fn read(row: &mut Row) -> Result<Refund> {
    Ok(Refund {
        id: row.take()?,
        transaction: row.take()?,
        status: row.take()?,
        method: RefundMethod::read(row)?,
        provider: row.take()?,
        amount: row.take()?,
        reason: row.take()?,
        external_id: row.take()?,
        restock: row.take()?,
        rail_id: row.take()?,
        failure_reason: row.take()?,
        created_at: row.take()?,
        refunded_before: row.take()?,
        sent_at: row.take()?,
        acknowledged_at: row.take()?,
        completed_at: row.take()?,
        failed_at: row.take()?,
    })
}
