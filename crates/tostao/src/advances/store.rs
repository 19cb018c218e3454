//! The tables of advances.

use db::args;
use db::error::Error as DbError;
use db::tx::Tx;
use db::value::{Arg, Row, ToArg};
use ledger::cents::Cents;

use crate::advances::Advance;
use crate::advances::collateral::CollateralPart;
use crate::advances::list::{AdminFilter, Filter};
use crate::advances::status::Status;
use crate::advances::terms::MonthlyRateBps;
use crate::audit::decision::Decision;
use crate::merchants;
use crate::platform::error::Result;
use crate::platform::http::page::Page;
use crate::platform::ids::{AdvanceId, Mode, Scope};
use crate::receivables::allocation::LostCollateral;
use crate::store::{Sums, add_up, owners, summing};

/// The columns of an advance, in the order in which `read` takes them.
macro_rules! columns {
    () => {
        "id, merchant_id, version, status, amount_cents, rate_basis_points, fee_cents,
         outstanding_cents, debited_cents, reason, rejection_reason, created_at, updated_at,
         approved_at, rejected_at, cancelled_at, settled_at, decided_by, decided_at,
         decided_from"
    };
}

/// A merchant's advances that match a filter.
macro_rules! matching {
    () => {
        " from advances
         where merchant_id = $1 and mode = $2
           and (cast($3 as text) is null or status = $3)
           and created_at >= $4 and created_at < $5"
    };
}

/// All merchants' advances that match an administrator's filter.
macro_rules! matching_all_accounts {
    () => {
        " from advances
         where mode = $1
           and (cast($2 as text) is null or status = $2)
           and (not $3 or merchant_id = $4)"
    };
}

/// Stores a request; false if another advance is open.
pub async fn insert(tx: &Tx, scope: Scope, new: &Advance) -> Result<bool> {
    let inserted = tx
        .exec(
            "insert into advances
                    (merchant_id, mode, id, version, status, amount_cents, rate_basis_points,
                     outstanding_cents, debited_cents, reason, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, 0, 0, $8, $9, $9)
                 on conflict do nothing",
            args![
                scope.merchant,
                scope.mode,
                new.id,
                new.version,
                new.status.name(),
                new.amount,
                i64::from(new.rate.basis_points()),
                new.reason,
                new.created_at,
            ],
        )
        .await?;
    Ok(inserted == 1)
}

pub async fn find(tx: &Tx, scope: Scope, id: AdvanceId) -> Result<Option<Advance>> {
    let row = tx
        .opt(
            concat!(
                "select ",
                columns!(),
                " from advances
                 where merchant_id = $1 and mode = $2 and id = $3"
            ),
            args![scope.merchant, scope.mode, id],
        )
        .await?;
    row.map(read).transpose()
}

/// The scope that owns an advance.
pub async fn scope_of(tx: &Tx, mode: Mode, id: AdvanceId) -> Result<Option<Scope>> {
    let row = tx
        .opt(
            concat!(
                "select mode, owner_id, dev_ahead_micros from advances",
                owners!(),
                " where mode = $1 and id = $2"
            ),
            args![mode, id],
        )
        .await?;
    row.map(|mut row| merchants::owner(&mut row)).transpose()
}

pub async fn list(tx: &Tx, scope: Scope, filter: &Filter) -> Result<Vec<Advance>> {
    let page = &filter.page;
    let rows = tx
        .all(
            concat!(
                "select ",
                columns!(),
                matching!(),
                " and id < $6
                 order by id desc
                 limit $7 offset $8"
            ),
            &wanted(&scope, filter, args![page.before(), page.fetch(), page.offset()]),
        )
        .await?;
    rows.into_iter().map(read).collect()
}

pub async fn count(tx: &Tx, scope: Scope, filter: &Filter) -> Result<i64> {
    let sql = concat!("select count(*)", matching!());
    Ok(tx.one(sql, &wanted(&scope, filter, &[])).await?.take()?)
}

/// Lists what waits for a decision, oldest first.
pub async fn list_waiting(tx: &Tx, mode: Mode, page: Page) -> Result<Vec<Advance>> {
    let rows = tx
        .all(
            concat!(
                "select ",
                columns!(),
                " from advances
                 where mode = $1 and status = 'PENDING' and id > $2
                 order by id
                 limit $3 offset $4"
            ),
            args![mode, page.beyond(), page.fetch(), page.offset()],
        )
        .await?;
    rows.into_iter().map(read).collect()
}

pub async fn count_waiting(tx: &Tx, mode: Mode) -> Result<i64> {
    let mut row = tx
        .one(
            "select count(*)
               from (select id
                       from advances
                      where mode = $1 and status = 'PENDING'
                      limit 1001) as waiting",
            args![mode],
        )
        .await?;
    Ok(row.take()?)
}

pub async fn list_all_accounts(tx: &Tx, mode: Mode, filter: &AdminFilter) -> Result<Vec<Advance>> {
    let page = &filter.page;
    let rows = tx
        .all(
            concat!(
                "select ",
                columns!(),
                matching_all_accounts!(),
                " and id < $5
                 order by id desc
                 limit $6 offset $7"
            ),
            &wanted_all_accounts(mode, filter, args![page.before(), page.fetch(), page.offset()]),
        )
        .await?;
    rows.into_iter().map(read).collect()
}

pub async fn count_all_accounts(tx: &Tx, mode: Mode, filter: &AdminFilter) -> Result<i64> {
    let sql = concat!("select count(*)", matching_all_accounts!());
    Ok(tx.one(sql, &wanted_all_accounts(mode, filter, &[])).await?.take()?)
}

/// Approves a pending advance; `None` if it is not pending.
pub async fn approve(
    tx: &Tx,
    scope: Scope,
    id: AdvanceId,
    fee: Cents,
    decided: Option<&Decision>,
) -> Result<Option<Advance>> {
    let [decided_by, decided_at, decided_from] = Decision::args(decided);
    let row = tx
        .opt(
            concat!(
                "update advances
                    set status = 'APPROVED', fee_cents = $1, outstanding_cents = amount_cents,
                        approved_at = $2, decided_by = $6, decided_at = $7, decided_from = $8,
                        version = version + 1, updated_at = $2
                  where merchant_id = $3 and mode = $4 and id = $5 and status = 'PENDING'
                 returning ",
                columns!()
            ),
            &[
                fee.to_arg(),
                scope.now(tx).to_arg(),
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

/// Rejects a pending advance; `None` if it is not pending.
pub async fn reject(
    tx: &Tx,
    scope: Scope,
    id: AdvanceId,
    reason: Option<&str>,
    decided: Option<&Decision>,
) -> Result<Option<Advance>> {
    let [decided_by, decided_at, decided_from] = Decision::args(decided);
    let row = tx
        .opt(
            concat!(
                "update advances
                    set status = 'REJECTED', rejection_reason = $1, rejected_at = $2,
                        decided_by = $6, decided_at = $7, decided_from = $8,
                        version = version + 1, updated_at = $2
                  where merchant_id = $3 and mode = $4 and id = $5 and status = 'PENDING'
                 returning ",
                columns!()
            ),
            &[
                reason.to_arg(),
                scope.now(tx).to_arg(),
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

/// Cancels a pending advance; `None` if it is not pending.
pub async fn cancel(tx: &Tx, scope: Scope, id: AdvanceId) -> Result<Option<Advance>> {
    let row = tx
        .opt(
            concat!(
                "update advances
                    set status = 'CANCELLED', cancelled_at = $1, version = version + 1,
                        updated_at = $1
                  where merchant_id = $2 and mode = $3 and id = $4 and status = 'PENDING'
                 returning ",
                columns!()
            ),
            args![scope.now(tx), scope.merchant, scope.mode, id],
        )
        .await?;
    row.map(read).transpose()
}

/// Records a repayment, some of it from the balance; the last one settles the advance. This is one
/// statement, so that of two parts that settle concurrently one is the last.
pub async fn record_repayment(
    tx: &Tx,
    scope: Scope,
    id: AdvanceId,
    amount: Cents,
    debited: Cents,
) -> Result<Option<Advance>> {
    let row = tx
        .opt(
            concat!(
                "update advances
                    set outstanding_cents = outstanding_cents - $1,
                        debited_cents = debited_cents + $2,
                        status = case when outstanding_cents = $1 then 'SETTLED' else status end,
                        settled_at = case when outstanding_cents = $1 then $3 else settled_at end,
                        version = version + 1, updated_at = $3
                  where merchant_id = $4 and mode = $5 and id = $6 and status = 'APPROVED'
                 returning ",
                columns!()
            ),
            args![amount, debited, scope.now(tx), scope.merchant, scope.mode, id],
        )
        .await?;
    row.map(read).transpose()
}

/// Lists the collateral of an advance, soonest due first.
pub async fn collateral(tx: &Tx, mode: Mode, advance: &Advance) -> Result<Vec<CollateralPart>> {
    let rows = tx
        .all(
            "select transaction_id, installment, amount_cents, fee_cents, days, due_at
               from advance_slices
              where merchant_id = $1 and mode = $2 and advance_id = $3
              order by due_at, transaction_id, installment",
            args![advance.merchant, mode, advance.id],
        )
        .await?;
    rows.into_iter().map(read_collateral).collect()
}

/// Adds to an advance's part of a receivable.
pub async fn add_collateral(
    tx: &Tx,
    scope: Scope,
    of: AdvanceId,
    pledged: &CollateralPart,
) -> Result<()> {
    tx.defer(
        "insert into advance_slices
                (merchant_id, mode, advance_id, transaction_id, installment, amount_cents,
                 fee_cents, days, due_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
             on conflict (merchant_id, mode, advance_id, transaction_id, installment) do update
            set amount_cents = advance_slices.amount_cents + excluded.amount_cents",
        args![
            scope.merchant,
            scope.mode,
            of,
            pledged.transaction,
            pledged.installment,
            pledged.amount,
            pledged.fee,
            pledged.days,
            pledged.due_at,
        ],
    )
    .await?;
    Ok(())
}

/// Subtracts from an advance's part of a receivable.
pub async fn reduce_collateral(tx: &Tx, scope: Scope, broken: &LostCollateral) -> Result<()> {
    tx.defer(
        "update advance_slices
            set amount_cents = amount_cents - $1
          where merchant_id = $2 and mode = $3 and advance_id = $4 and transaction_id = $5
            and installment = $6",
        args![
            broken.amount,
            scope.merchant,
            scope.mode,
            broken.to,
            broken.transaction,
            broken.installment,
        ],
    )
    .await?;
    Ok(())
}

/// The advance that has not ended.
pub async fn open(tx: &Tx, scope: Scope) -> Result<Option<AdvanceId>> {
    let row = tx
        .opt(
            "select id
               from advances
              where merchant_id = $1 and mode = $2 and status in ('PENDING', 'APPROVED')",
            args![scope.merchant, scope.mode],
        )
        .await?;
    Ok(row.map(|mut row| row.take()).transpose()?)
}

/// Sums of advances: what is outstanding; for those that were paid out, the fees and the
/// receivables' amounts for them.
pub async fn sums(tx: &Tx, of: Option<Scope>) -> Result<Sums<3>> {
    let sums = summing!(
        "merchant_id",
        "cast(coalesce(sum(outstanding_cents)
                       filter (where status = 'APPROVED'), 0) as bigint),
         cast(coalesce(sum(fee_cents)
                       filter (where status in ('APPROVED', 'SETTLED')), 0) as bigint),
         cast(coalesce(sum(amount_cents - debited_cents)
                           filter (where status in ('APPROVED', 'SETTLED')), 0)
              as bigint)",
        "advances",
        "true"
    );
    add_up(tx, of, sums).await
}

/// Sums of what advances get of receivables, and of the fees for it.
pub async fn sums_of_collateral(tx: &Tx, of: Option<Scope>) -> Result<Sums<2>> {
    let sums = summing!(
        "merchant_id",
        "cast(coalesce(sum(amount_cents), 0) as bigint),
         cast(coalesce(sum(fee_cents), 0) as bigint)",
        "advance_slices",
        "true"
    );
    add_up(tx, of, sums).await
}

/// The parameters of `matching`, then `more`.
fn wanted<'a>(scope: &'a Scope, filter: &'a Filter, more: &[Arg<'a>]) -> Vec<Arg<'a>> {
    let own = [
        scope.merchant.to_arg(),
        scope.mode.to_arg(),
        filter.status.map(Status::name).map_or(Arg::Null, Arg::Text),
        filter.created.from.to_arg(),
        filter.created.to.to_arg(),
    ];
    [own.as_slice(), more].concat()
}

/// The parameters of `matching_all_accounts`, then `more`.
fn wanted_all_accounts<'a>(mode: Mode, filter: &'a AdminFilter, rest: &[Arg<'a>]) -> Vec<Arg<'a>> {
    let own = [
        Arg::Int(mode.book()),
        filter.status.map(Status::name).map_or(Arg::Null, Arg::Text),
        Arg::Bool(filter.merchant.is_some()),
        filter.merchant.to_arg(),
    ];
    [own.as_slice(), rest].concat()
}

fn read(mut row: Row) -> Result<Advance> {
    Ok(Advance {
        id: row.take()?,
        merchant: row.take()?,
        version: row.take()?,
        status: row.take()?,
        amount: row.take()?,
        rate: read_rate(row.take()?)?,
        fee: row.take()?,
        outstanding: row.take()?,
        debited: row.take()?,
        reason: row.take()?,
        rejection_reason: row.take()?,
        collateral: Vec::new(),
        created_at: row.take()?,
        updated_at: row.take()?,
        approved_at: row.take()?,
        rejected_at: row.take()?,
        cancelled_at: row.take()?,
        settled_at: row.take()?,
        decided: Decision::read(&mut row)?,
    })
}

fn read_collateral(mut row: Row) -> Result<CollateralPart> {
    Ok(CollateralPart {
        transaction: row.take()?,
        installment: row.take()?,
        amount: row.take()?,
        fee: row.take()?,
        days: row.take()?,
        due_at: row.take()?,
    })
}

fn read_rate(basis_points: i64) -> Result<MonthlyRateBps> {
    let rate = u32::try_from(basis_points).map(MonthlyRateBps::new);
    rate.map_err(|_| DbError::Row(format!("a rate of {basis_points} basis points")).into())
}
