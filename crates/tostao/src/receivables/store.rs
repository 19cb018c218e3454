//! The tables of receivables.

use db::args;
use db::time::Timestamp;
use db::tx::Tx;
use db::value::{Arg, Row, ToArg};
use ledger::cents::Cents;
use uuid::Uuid;

use crate::platform::error::Result;
use crate::platform::ids::{AdvanceId, ReceivableId, Scope, TransactionId};
use crate::receivables::allocation::Contribution;
use crate::receivables::list::{Filter, Status};
use crate::receivables::{NewReceivable, Pledge, Receivable};
use crate::store::{Sums, add_up, summing};

/// The columns of a part, in the order in which `read` takes them.
macro_rules! columns {
    () => {
        "id, transaction_id, installment, amount_cents, fee_cents, commission_cents, taken_cents,
         pledged_to, pledged_cents, due_at, settled_at"
    };
}

/// The parts of a merchant's payments that are due within a period, after a place in the list.
macro_rules! matching {
    () => {
        " from receivables
         where merchant_id = $1 and mode = $2 and (due_at, id) > ($3, $4)
           and due_at >= $5 and due_at < $6"
    };
}

pub async fn insert(
    tx: &Tx,
    scope: Scope,
    of: TransactionId,
    id: ReceivableId,
    installment: i64,
    part: &NewReceivable,
) -> Result<()> {
    tx.defer(
        "insert into receivables
                (merchant_id, mode, transaction_id, installment, id, status, amount_cents,
                 fee_cents, commission_cents, taken_cents, due_at)
         values ($1, $2, $3, $4, $5, 'PENDING', $6, $7, $8, 0, $9)",
        args![
            scope.merchant,
            scope.mode,
            of,
            installment,
            id,
            part.amount,
            part.fee,
            part.commission,
            part.due_at,
        ],
    )
    .await?;
    Ok(())
}

pub async fn list(tx: &Tx, scope: Scope, of: TransactionId) -> Result<Vec<Receivable>> {
    let rows = tx
        .all(
            concat!(
                "select ",
                columns!(),
                " from receivables
                 where merchant_id = $1 and mode = $2 and transaction_id = $3
                 order by installment"
            ),
            args![scope.merchant, scope.mode, of],
        )
        .await?;
    rows.into_iter().map(read).collect()
}

/// Settles a part; `None` if it was settled before.
pub async fn settle(
    tx: &Tx,
    scope: Scope,
    of: TransactionId,
    installment: i64,
) -> Result<Option<Receivable>> {
    let row = tx
        .opt(
            concat!(
                "update receivables
                    set status = 'SETTLED', settled_at = $1
                  where merchant_id = $2 and mode = $3 and transaction_id = $4
                    and installment = $5 and status = 'PENDING'
                 returning ",
                columns!()
            ),
            args![scope.now(tx), scope.merchant, scope.mode, of, installment],
        )
        .await?;
    row.map(read).transpose()
}

/// Takes from a part; false if it has settled or changed since it was read.
pub async fn deduct(
    tx: &Tx,
    scope: Scope,
    part: &Receivable,
    share: &Contribution,
) -> Result<bool> {
    let taken = tx
        .exec(
            "update receivables
                set taken_cents = taken_cents + $1 + $2,
                    pledged_cents = pledged_cents - $2,
                    pledged_to = case when pledged_cents = $2 then null else pledged_to end
              where merchant_id = $3 and mode = $4 and transaction_id = $5
                and installment = $6 and status = 'PENDING'
                and taken_cents = $7 and pledged_cents = $8",
            args![
                share.free,
                share.pledged,
                scope.merchant,
                scope.mode,
                part.transaction,
                part.installment,
                part.taken,
                part.pledged(),
            ],
        )
        .await?;
    Ok(taken == 1)
}

/// Lists what may be pledged, soonest due first.
pub async fn list_pledgeable(tx: &Tx, scope: Scope) -> Result<Vec<Receivable>> {
    let rows = tx
        .all(
            concat!(
                "select ",
                columns!(),
                " from receivables
                 where merchant_id = $1 and mode = $2 and due_at > $3 and status = 'PENDING'
                   and exists (
                       select 1
                         from transactions
                        where transactions.merchant_id = $1 and transactions.mode = $2
                          and transactions.id = receivables.transaction_id
                          and transactions.status = 'PAID'
                          and transactions.method = 'CREDIT_CARD')
                 order by due_at, id"
            ),
            args![scope.merchant, scope.mode, scope.now(tx)],
        )
        .await?;
    rows.into_iter().map(read).collect()
}

/// Pledges some of a part; false if it is due or has changed since it was read.
pub async fn pledge(
    tx: &Tx,
    scope: Scope,
    to: AdvanceId,
    part: &Receivable,
    amount: Cents,
) -> Result<bool> {
    let pledged = tx
        .exec(
            "update receivables
                set pledged_to = $1, pledged_cents = pledged_cents + $2
              where merchant_id = $3 and mode = $4 and transaction_id = $5
                and installment = $6 and status = 'PENDING'
                and (pledged_to is null or pledged_to = $1)
                and taken_cents = $7 and pledged_cents = $8",
            args![
                to,
                amount,
                scope.merchant,
                scope.mode,
                part.transaction,
                part.installment,
                part.taken,
                part.pledged(),
            ],
        )
        .await?;
    Ok(pledged == 1)
}

/// Lists the parts of a merchant's payments, soonest due first; pending ones have an index of their
/// own.
pub async fn list_due(tx: &Tx, scope: Scope, filter: &Filter) -> Result<Vec<Receivable>> {
    let rows = match filter.status {
        Some(Status::Pending) => list_pending(tx, scope, filter).await?,
        Some(Status::Settled) | None => list_all(tx, scope, filter).await?,
    };
    rows.into_iter().map(read).collect()
}

/// When the soonest part is due, from an instant on, of which something reaches the balance: what
/// is pledged of a part goes to its advance.
pub async fn next_due(tx: &Tx, scope: Scope, from: Timestamp) -> Result<Option<Timestamp>> {
    let row = tx
        .opt(
            "select due_at
               from receivables
              where merchant_id = $1 and mode = $2 and due_at >= $3 and status = 'PENDING'
                and amount_cents - fee_cents - commission_cents - taken_cents - pledged_cents > 0
              order by due_at, id
              limit 1",
            args![scope.merchant, scope.mode, from],
        )
        .await?;
    Ok(row.map(|mut row| row.take()).transpose()?)
}

/// Sums what is left to the merchant of all parts that have not settled.
///
/// SQLite has no statistics, and takes the index of pending parts for a range of it alone.
pub async fn sum_pending(tx: &Tx, scope: Scope) -> Result<Cents> {
    let mut row = tx
        .one(
            "select cast(coalesce(sum(amount_cents - fee_cents - commission_cents - taken_cents), 0)
                         as bigint)
               from receivables
              where merchant_id = $1 and mode = $2 and due_at > 0 and status = 'PENDING'",
            args![scope.merchant, scope.mode],
        )
        .await?;
    Ok(row.take()?)
}

pub async fn record_deduction(
    tx: &Tx,
    scope: Scope,
    of: TransactionId,
    by: Uuid,
    installment: i64,
    amount: Cents,
) -> Result<()> {
    tx.defer(
        "insert into receivable_takes
                (merchant_id, mode, transaction_id, by_id, installment, amount_cents)
         values ($1, $2, $3, $4, $5, $6)",
        args![scope.merchant, scope.mode, of, by, installment, amount],
    )
    .await?;
    Ok(())
}

/// Deletes what was taken and returns it, so that it is given back once.
pub async fn delete_deductions(
    tx: &Tx,
    scope: Scope,
    of: TransactionId,
    by: Uuid,
) -> Result<Vec<(i64, Cents)>> {
    let rows = tx
        .all(
            "delete from receivable_takes
              where merchant_id = $1 and mode = $2 and transaction_id = $3 and by_id = $4
             returning installment, amount_cents",
            args![scope.merchant, scope.mode, of, by],
        )
        .await?;
    rows.into_iter().map(|mut row| Ok((row.take()?, row.take()?))).collect()
}

/// Returns an amount to an unsettled part; false if it has settled.
pub async fn restore(
    tx: &Tx,
    scope: Scope,
    of: TransactionId,
    installment: i64,
    amount: Cents,
) -> Result<bool> {
    let restored = tx
        .exec(
            "update receivables
                set taken_cents = taken_cents - $1
              where merchant_id = $2 and mode = $3 and transaction_id = $4
                and installment = $5 and status = 'PENDING'",
            args![amount, scope.merchant, scope.mode, of, installment],
        )
        .await?;
    Ok(restored == 1)
}

/// Sums of parts: what unsettled ones are worth, what of them is pledged and was taken, and what
/// was ever pledged; then the amounts and the fees of all.
pub async fn sums(tx: &Tx, of: Option<Scope>) -> Result<Sums<6>> {
    let sums = summing!(
        "merchant_id",
        "cast(coalesce(sum(amount_cents - fee_cents - commission_cents - taken_cents)
                       filter (where status = 'PENDING'), 0) as bigint),
         cast(coalesce(sum(pledged_cents)
                       filter (where status = 'PENDING'), 0) as bigint),
         cast(coalesce(sum(taken_cents)
                       filter (where status = 'PENDING'), 0) as bigint),
         cast(coalesce(sum(pledged_cents), 0) as bigint),
         cast(coalesce(sum(amount_cents), 0) as bigint),
         cast(coalesce(sum(fee_cents), 0) as bigint)",
        "receivables",
        "true"
    );
    add_up(tx, of, sums).await
}

/// Sums of what refunds and disputes took of unsettled parts, and of all.
pub async fn sums_of_deductions(tx: &Tx, of: Option<Scope>) -> Result<Sums<2>> {
    let sums = summing!(
        "merchant_id",
        "cast(coalesce(sum(case when exists (
             select 1
               from receivables
              where receivables.merchant_id = takes.merchant_id
                and receivables.mode = takes.mode
                and receivables.transaction_id = takes.transaction_id
                and receivables.installment = takes.installment
                and receivables.status = 'PENDING')
                               then amount_cents end), 0) as bigint),
         cast(coalesce(sum(amount_cents), 0) as bigint)",
        "receivable_takes as takes",
        "true"
    );
    add_up(tx, of, sums).await
}

async fn list_pending(tx: &Tx, scope: Scope, filter: &Filter) -> Result<Vec<Row>> {
    let rows = tx
        .all(
            concat!(
                "select ",
                columns!(),
                matching!(),
                " and status = 'PENDING'
                 order by due_at, id
                 limit $7"
            ),
            &wanted(&scope, filter, args![filter.limit + 1]),
        )
        .await?;
    Ok(rows)
}

async fn list_all(tx: &Tx, scope: Scope, filter: &Filter) -> Result<Vec<Row>> {
    let status = filter.status.map(Status::name);
    let rows = tx
        .all(
            concat!(
                "select ",
                columns!(),
                matching!(),
                " and (cast($7 as text) is null or status = $7)
                 order by due_at, id
                 limit $8"
            ),
            &wanted(&scope, filter, args![status, filter.limit + 1]),
        )
        .await?;
    Ok(rows)
}

/// The parameters of `matching`, then `more`.
fn wanted<'a>(scope: &'a Scope, filter: &'a Filter, more: &[Arg<'a>]) -> Vec<Arg<'a>> {
    let own = [
        scope.merchant.to_arg(),
        scope.mode.to_arg(),
        filter.after.due_at.to_arg(),
        filter.after.id.to_arg(),
        filter.period.from.to_arg(),
        filter.period.to.to_arg(),
    ];
    [own.as_slice(), more].concat()
}

fn read(mut row: Row) -> Result<Receivable> {
    Ok(Receivable {
        id: row.take()?,
        transaction: row.take()?,
        installment: row.take()?,
        amount: row.take()?,
        fee: row.take()?,
        commission: row.take()?,
        taken: row.take()?,
        pledge: read_pledge(row.take()?, row.take()?),
        due_at: row.take()?,
        settled_at: row.take()?,
    })
}

fn read_pledge(to: Option<AdvanceId>, amount: Cents) -> Option<Pledge> {
    to.map(|to| Pledge { to, amount })
}
