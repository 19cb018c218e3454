//! The table of withdrawals.

use brazil::pix_key::PixKey;
use db::args;
use db::error::Error as DbError;
use db::time::Timestamp;
use db::tx::Tx;
use db::value::{Arg, Row, ToArg};
use ledger::cents::Cents;
use uuid::Uuid;

use crate::audit::decision::Decision;
use crate::merchants;
use crate::platform::error::Result;
use crate::platform::ids::{Mode, Scope, WithdrawalId};
use crate::store::{PendingOrders, Sums, add_up, owners, pix_key, summing, unresolved};
use crate::withdrawals::status::FailureReason;
use crate::withdrawals::{PaymentOrderReference, Withdrawal};

/// The columns of a withdrawal, in the order in which `read` takes them.
macro_rules! withdrawal_columns {
    () => {
        "id, merchant_id, version, status, amount_cents, fee_cents, pix_key_type, pix_key,
         description, idempotency_key, provider, external_id, end_to_end_id, failure_reason,
         failure_message, contradiction, created_at, updated_at, processed_at, sent_at,
         not_sent_at, returned_cents, acknowledged_at, completed_at, failed_at, decided_by,
         decided_at, decided_from"
    };
}

pub(super) use withdrawal_columns;

/// Why a withdrawal is not sent.
#[derive(Debug)]
pub struct WithdrawalFailure<'a> {
    pub reason: FailureReason,
    /// The message to the merchant.
    pub message: Option<&'a str>,
    pub decided: Option<Decision>,
}

pub async fn insert(tx: &Tx, scope: Scope, new: &Withdrawal) -> Result<()> {
    tx.defer(
        "insert into withdrawals
                (merchant_id, mode, id, version, status, amount_cents, fee_cents, pix_key_type,
                 pix_key, description, idempotency_key, created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
        args![
            scope.merchant,
            scope.mode,
            new.id,
            new.version,
            new.status.name(),
            new.amount,
            new.fee,
            new.key.key_type().as_str(),
            new.key.as_str(),
            new.description,
            new.idempotency_key,
            new.created_at,
            new.updated_at,
        ],
    )
    .await?;
    Ok(())
}

pub async fn find(tx: &Tx, scope: Scope, id: WithdrawalId) -> Result<Option<Withdrawal>> {
    let row = tx
        .opt(
            concat!(
                "select ",
                withdrawal_columns!(),
                " from withdrawals
                 where merchant_id = $1 and mode = $2 and id = $3"
            ),
            args![scope.merchant, scope.mode, id],
        )
        .await?;
    row.map(read).transpose()
}

pub async fn find_by_key(tx: &Tx, scope: Scope, key: Uuid) -> Result<Option<Withdrawal>> {
    let row = tx
        .opt(
            concat!(
                "select ",
                withdrawal_columns!(),
                " from withdrawals
                 where merchant_id = $1 and mode = $2 and idempotency_key = $3"
            ),
            args![scope.merchant, scope.mode, key],
        )
        .await?;
    row.map(read).transpose()
}

/// Finds a withdrawal by its bank's reference, with its scope.
pub async fn find_by_reference(tx: &Tx, reference: &str) -> Result<Option<(Scope, Withdrawal)>> {
    let row = tx
        .opt(
            concat!(
                "select mode, owner_id, dev_ahead_micros, ",
                withdrawal_columns!(),
                " from withdrawals",
                owners!(),
                " where external_id = $1"
            ),
            args![reference],
        )
        .await?;
    row.map(|mut row| Ok((merchants::owner(&mut row)?, read(row)?))).transpose()
}

/// The same, and locks it until the unit ends.
pub async fn lock_by_reference(tx: &Tx, reference: &str) -> Result<Option<(Scope, Withdrawal)>> {
    let row = tx
        .opt(
            concat!(
                "select mode, owner_id, dev_ahead_micros, ",
                withdrawal_columns!(),
                " from withdrawals",
                owners!(),
                " where external_id = $1 /*+ lock withdrawals */"
            ),
            args![reference],
        )
        .await?;
    row.map(|mut row| Ok((merchants::owner(&mut row)?, read(row)?))).transpose()
}

/// The scope that owns a withdrawal.
pub async fn scope_of(tx: &Tx, mode: Mode, id: WithdrawalId) -> Result<Option<Scope>> {
    let row = tx
        .opt(
            concat!(
                "select mode, owner_id, dev_ahead_micros from withdrawals",
                owners!(),
                " where mode = $1 and id = $2"
            ),
            args![mode, id],
        )
        .await?;
    row.map(|mut row| merchants::owner(&mut row)).transpose()
}

/// Counts the orders that were sent and whose outcome is unknown.
pub async fn unresolved(tx: &Tx, mode: Mode) -> Result<PendingOrders> {
    PendingOrders::read(tx, tx.opt(unresolved!("withdrawals"), args![mode]).await?)
}

/// Sums what was requested since a given time and has not failed.
pub async fn sum_since(tx: &Tx, scope: Scope, since: Timestamp) -> Result<Cents> {
    let mut row = tx
        .one(
            "select cast(coalesce(sum(amount_cents), 0) as bigint)
               from withdrawals
              where merchant_id = $1 and mode = $2 and created_at >= $3 and status <> 'FAILED'",
            args![scope.merchant, scope.mode, since],
        )
        .await?;
    Ok(row.take()?)
}

/// Claims a withdrawal for a bank; `None` if it has ended, or was claimed already.
pub async fn claim(
    tx: &Tx,
    scope: Scope,
    id: WithdrawalId,
    order: &PaymentOrderReference,
    decided: Option<&Decision>,
) -> Result<Option<Withdrawal>> {
    let [decided_by, decided_at, decided_from] = Decision::args(decided);
    let row = tx
        .opt(
            concat!(
                "update withdrawals
                    set processed_at = $1, provider = $2, external_id = $3,
                        decided_by = $7, decided_at = $8, decided_from = $9,
                        version = version + 1, updated_at = $1
                  where merchant_id = $4 and mode = $5 and id = $6
                    and status = 'PENDING' and processed_at is null
                 returning ",
                withdrawal_columns!()
            ),
            &[
                scope.now(tx).to_arg(),
                order.provider.to_arg(),
                order.reference.to_arg(),
                scope.merchant.to_arg(),
                scope.mode.to_arg(),
                id.to_arg(),
                decided_by,
                decided_at,
                decided_from,
            ],
        )
        .await?;
    row.map(read).transpose()
}

/// Stores that the order is about to be sent; false if that was stored before.
pub async fn mark_sent(tx: &Tx, scope: Scope, id: WithdrawalId) -> Result<bool> {
    let marked = tx
        .exec(
            "update withdrawals
                set sent_at = $1
              where merchant_id = $2 and mode = $3 and id = $4
                and status = 'PENDING' and processed_at is not null and sent_at is null",
            args![scope.now(tx), scope.merchant, scope.mode, id],
        )
        .await?;
    Ok(marked == 1)
}

/// Stores that the order waits here, if it was never sent.
pub async fn note_held_back(tx: &Tx, scope: Scope, id: WithdrawalId) -> Result<()> {
    tx.exec(
        "update withdrawals
            set not_sent_at = $1
          where merchant_id = $2 and mode = $3 and id = $4
            and status = 'PENDING' and processed_at is not null and sent_at is null",
        args![scope.now(tx), scope.merchant, scope.mode, id],
    )
    .await?;
    Ok(())
}

/// Stores that the order has not been sent after all.
pub async fn unmark_sent(tx: &Tx, scope: Scope, id: WithdrawalId) -> Result<()> {
    tx.defer(
        "update withdrawals
            set sent_at = null, not_sent_at = $4
          where merchant_id = $1 and mode = $2 and id = $3
            and status = 'PENDING' and acknowledged_at is null",
        args![scope.merchant, scope.mode, id, scope.now(tx)],
    )
    .await?;
    Ok(())
}

pub async fn acknowledge(tx: &Tx, scope: Scope, id: WithdrawalId) -> Result<()> {
    tx.defer(
        "update withdrawals
            set acknowledged_at = $1
          where merchant_id = $2 and mode = $3 and id = $4 and acknowledged_at is null",
        args![scope.now(tx), scope.merchant, scope.mode, id],
    )
    .await?;
    Ok(())
}

/// Completes a claimed withdrawal; `None` if it has ended.
pub async fn complete(
    tx: &Tx,
    scope: Scope,
    id: WithdrawalId,
    end_to_end_id: &str,
) -> Result<Option<Withdrawal>> {
    let row = tx
        .opt(
            concat!(
                "update withdrawals
                    set status = 'COMPLETED', end_to_end_id = $1, completed_at = $2,
                        contradiction = null,
                        version = version + 1, updated_at = $2
                  where merchant_id = $3 and mode = $4 and id = $5
                    and status = 'PENDING' and processed_at is not null
                 returning ",
                withdrawal_columns!()
            ),
            args![end_to_end_id, scope.now(tx), scope.merchant, scope.mode, id],
        )
        .await?;
    row.map(read).transpose()
}

/// Fails a claimed withdrawal; `None` if it has ended, or the bank has come to know it since it was
/// read.
pub async fn fail_claimed(
    tx: &Tx,
    scope: Scope,
    of: &Withdrawal,
    reason: &str,
) -> Result<Option<Withdrawal>> {
    let row = tx
        .opt(
            concat!(
                "update withdrawals
                    set status = 'FAILED', failure_reason = $1, failed_at = $2,
                        contradiction = null, version = version + 1, updated_at = $2
                  where merchant_id = $3 and mode = $4 and id = $5
                    and status = 'PENDING' and processed_at is not null
                    and (acknowledged_at is null) = $6
                 returning ",
                withdrawal_columns!()
            ),
            args![
                reason,
                scope.now(tx),
                scope.merchant,
                scope.mode,
                of.id,
                of.acknowledged_at.is_none(),
            ],
        )
        .await?;
    row.map(read).transpose()
}

/// Fails an unclaimed withdrawal; `None` if it has ended, or was claimed. One that an administrator
/// fails may also be claimed, as long as its order certainly did not reach its bank.
pub async fn fail_unclaimed(
    tx: &Tx,
    scope: Scope,
    id: WithdrawalId,
    why: &WithdrawalFailure<'_>,
) -> Result<Option<Withdrawal>> {
    let [decided_by, decided_at, decided_from] = Decision::args(why.decided.as_ref());
    let by_administrator = i64::from(why.decided.is_some());
    let row = tx
        .opt(
            concat!(
                "update withdrawals
                    set status = 'FAILED', failure_reason = $1, failure_message = $2,
                        decided_by = $7, decided_at = $8, decided_from = $9,
                        failed_at = $3, version = version + 1, updated_at = $3
                  where merchant_id = $4 and mode = $5 and id = $6
                    and status = 'PENDING'
                    and (processed_at is null
                         or (cast($10 as bigint) = 1
                             and sent_at is null and not_sent_at is not null))
                 returning ",
                withdrawal_columns!()
            ),
            &[
                Arg::Text(why.reason.name()),
                why.message.to_arg(),
                scope.now(tx).to_arg(),
                scope.merchant.to_arg(),
                scope.mode.to_arg(),
                id.to_arg(),
                decided_by,
                decided_at,
                decided_from,
                by_administrator.to_arg(),
            ],
        )
        .await?;
    row.map(read).transpose()
}

/// Stores the first report of a bank that contradicts a withdrawal's final result, or another
/// order.
pub async fn note_status_mismatch(
    tx: &Tx,
    scope: Scope,
    id: WithdrawalId,
    status: &str,
) -> Result<()> {
    tx.defer(
        "update withdrawals
            set contradiction = $1, version = version + 1, updated_at = $2
          where merchant_id = $3 and mode = $4 and id = $5 and contradiction is null",
        args![status, scope.now(tx), scope.merchant, scope.mode, id],
    )
    .await?;
    Ok(())
}

/// Stores the decision that ends a contradicted withdrawal.
pub async fn resolve(
    tx: &Tx,
    scope: Scope,
    id: WithdrawalId,
    message: Option<&str>,
    decided: Option<&Decision>,
) -> Result<()> {
    let [decided_by, decided_at, decided_from] = Decision::args(decided);
    tx.defer(
        "update withdrawals
            set failure_message = $1, decided_by = $5, decided_at = $6, decided_from = $7
          where merchant_id = $2 and mode = $3 and id = $4",
        &[
            message.to_arg(),
            scope.merchant.to_arg(),
            scope.mode.to_arg(),
            id.to_arg(),
            decided_by,
            decided_at,
            decided_from,
        ],
    )
    .await?;
    Ok(())
}

/// Sums of withdrawals: what is pending, the net amounts and the fees of those that were paid, and
/// what came back of them.
pub async fn sums(tx: &Tx, of: Option<Scope>) -> Result<Sums<4>> {
    let sums = summing!(
        "merchant_id",
        "cast(coalesce(sum(amount_cents)
                       filter (where status = 'PENDING'), 0) as bigint),
         cast(coalesce(sum(amount_cents - fee_cents)
                       filter (where status = 'COMPLETED'), 0) as bigint),
         cast(coalesce(sum(fee_cents)
                       filter (where status = 'COMPLETED'), 0) as bigint),
         cast(coalesce(sum(returned_cents), 0) as bigint)",
        "withdrawals",
        "true"
    );
    add_up(tx, of, sums).await
}

/// Reads the columns of `withdrawal_columns`.
pub fn read(mut row: Row) -> Result<Withdrawal> {
    Ok(Withdrawal {
        id: row.take()?,
        merchant: row.take()?,
        version: row.take()?,
        status: row.take()?,
        amount: row.take()?,
        fee: row.take()?,
        key: read_key(&mut row)?,
        description: row.take()?,
        idempotency_key: row.take()?,
        order: read_order(row.take()?, row.take()?),
        end_to_end_id: row.take()?,
        failure_reason: row.take()?,
        failure_message: row.take()?,
        contradiction: row.take()?,
        created_at: row.take()?,
        updated_at: row.take()?,
        processed_at: row.take()?,
        sent_at: row.take()?,
        not_sent_at: row.take()?,
        returned: row.take()?,
        acknowledged_at: row.take()?,
        completed_at: row.take()?,
        failed_at: row.take()?,
        decided: Decision::read(&mut row)?,
    })
}

fn read_key(row: &mut Row) -> Result<PixKey> {
    let key = pix_key(row)?;
    key.ok_or_else(|| DbError::Row("a PIX key that does not fit its type".into()).into())
}

fn read_order(
    provider: Option<String>,
    reference: Option<String>,
) -> Option<PaymentOrderReference> {
    let (provider, reference) = provider.zip(reference)?;
    Some(PaymentOrderReference { provider, reference })
}
