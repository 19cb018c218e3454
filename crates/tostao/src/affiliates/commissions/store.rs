//! The tables of commissions.

use db::args;
use db::tx::Tx;
use db::value::{Arg, Row, ToArg};
use ledger::cents::Cents;

use crate::affiliates::commissions::clawbacks::CommissionHold;
use crate::affiliates::commissions::events::CommissionSale;
use crate::affiliates::commissions::list::Filter;
use crate::affiliates::commissions::view::Source;
use crate::affiliates::commissions::{Commission, HeldReason, Status};
use crate::platform::error::Result;
use crate::platform::ids::{CommissionId, MerchantId, Scope, TransactionId};
use crate::store::delete_scope_as_affiliate;

/// How many waiting commissions one run of the job releases.
pub const RELEASED_AT_ONCE: i64 = 50;

/// The columns of a commission, in the order in which `read` takes them.
macro_rules! columns {
    () => {
        "id, version, type, status, program_id, link_id, affiliate_id, transaction_id, product_id,
         code, clicked_at, attributed_at, base_cents, commission_type, commission_value,
         earned_cents, amount_cents, returned_cents, held_cents, unfunded_cents, held_reason,
         owed_cents, repaid_cents, sale_cents, sale_method, available_at, paid_at, cancelled_at,
         cancel_reason, created_at, updated_at"
    };
}

/// The commissions that match a filter, besides the condition on their owner.
macro_rules! matching {
    () => {
        " and mode = $2
          and (cast($3 as text) is null or status = $3)
          and ($4 or program_id = $5)
          and created_at >= $6 and created_at < $7
          and ($8 or link_id = $9)"
    };
}

pub async fn insert(tx: &Tx, scope: Scope, new: &Commission) -> Result<()> {
    tx.defer(
        "insert into affiliate_commissions
                (merchant_id, mode, id, version, type, status, program_id, link_id, affiliate_id,
                 transaction_id, product_id, code, source, clicked_at, attributed_at, base_cents,
                 commission_type, commission_value, earned_cents, amount_cents, returned_cents,
                 held_cents, unfunded_cents, held_reason, owed_cents, repaid_cents, sale_cents,
                 sale_method, available_at, paid_at, cancel_reason, created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
                 $19, $20, 0, 0, $21, $22, $23, 0, $24, $25, $26, $27, $28, $29, $29)",
        args![
            scope.merchant,
            scope.mode,
            new.id,
            new.version,
            new.kind.name(),
            new.status.name(),
            new.program,
            new.link,
            new.affiliate,
            new.transaction,
            new.product,
            new.code,
            Source::of(new.clicked_at).name(),
            new.clicked_at,
            new.attributed_at,
            new.base,
            new.commission_type.name(),
            new.commission_value,
            new.earned,
            new.amount,
            new.unfunded,
            new.held_reason.map(HeldReason::name),
            new.owed,
            new.sale,
            new.method,
            new.available_at,
            new.paid_at,
            new.cancel_reason,
            new.created_at,
        ],
    )
    .await?;
    Ok(())
}

/// Finds the commission of a payment, if something may still be taken of it.
pub async fn find_sale(tx: &Tx, scope: Scope, of: TransactionId) -> Result<Option<Commission>> {
    let row = tx
        .opt(
            concat!(
                "select ",
                columns!(),
                " from affiliate_commissions
                 where merchant_id = $1 and mode = $2 and transaction_id = $3
                   and type <> 'CLAWBACK' and status <> 'CANCELLED'"
            ),
            args![scope.merchant, scope.mode, of],
        )
        .await?;
    row.map(read).transpose()
}

/// Finds the payment data shown with a commission.
pub async fn find_payment(tx: &Tx, scope: Scope, of: &Commission) -> Result<CommissionSale> {
    let mut row = tx
        .one(
            "select external_id, paid_cents, status, created_at, updated_at, paid_at
               from transactions
              where merchant_id = $1 and mode = $2 and id = $3",
            args![scope.merchant, scope.mode, of.transaction],
        )
        .await?;
    Ok(CommissionSale {
        id: of.transaction,
        external_id: row.take()?,
        amount: of.sale,
        paid_amount: row.take()?,
        currency: "BRL",
        method: of.method.clone(),
        status: row.take()?,
        created_at: row.take()?,
        updated_at: row.take()?,
        paid_at: row.take()?,
    })
}

pub async fn list_own(tx: &Tx, scope: Scope, filter: &Filter) -> Result<Vec<Commission>> {
    let page = &filter.page;
    let rows = tx
        .all(
            concat!(
                "select ",
                columns!(),
                " from affiliate_commissions where affiliate_id = $1",
                matching!(),
                " and id < $10
                  order by id desc
                  limit $11 offset $12"
            ),
            &wanted(&scope, filter, args![page.before(), page.fetch(), page.offset()]),
        )
        .await?;
    rows.into_iter().map(read).collect()
}

pub async fn count_own(tx: &Tx, scope: Scope, filter: &Filter) -> Result<i64> {
    let sql =
        concat!("select count(*) from affiliate_commissions where affiliate_id = $1", matching!());
    Ok(tx.one(sql, &wanted(&scope, filter, &[])).await?.take()?)
}

pub async fn list_of(tx: &Tx, scope: Scope, filter: &Filter) -> Result<Vec<Commission>> {
    let page = &filter.page;
    let rows = tx
        .all(
            concat!(
                "select ",
                columns!(),
                " from affiliate_commissions where merchant_id = $1",
                matching!(),
                " and id < $10
                  order by id desc
                  limit $11 offset $12"
            ),
            &wanted(&scope, filter, args![page.before(), page.fetch(), page.offset()]),
        )
        .await?;
    rows.into_iter().map(read).collect()
}

pub async fn count_of(tx: &Tx, scope: Scope, filter: &Filter) -> Result<i64> {
    let sql =
        concat!("select count(*) from affiliate_commissions where merchant_id = $1", matching!());
    Ok(tx.one(sql, &wanted(&scope, filter, &[])).await?.take()?)
}

/// Finds a due commission; `None` if it is not due, or partly held.
pub async fn find_due(tx: &Tx, scope: Scope, id: CommissionId) -> Result<Option<Commission>> {
    let row = tx
        .opt(
            concat!(
                "select ",
                columns!(),
                " from affiliate_commissions
                 where merchant_id = $2 and mode = $3 and id = $4 and status = 'PENDING'
                   and held_cents = 0 and available_at <= $1"
            ),
            args![scope.now(tx), scope.merchant, scope.mode, id],
        )
        .await?;
    row.map(read).transpose()
}

/// Lists due commissions that wait for their merchant, who adds at most the available amount to
/// each, oldest first.
pub async fn waiting(tx: &Tx, scope: Scope, available: Cents) -> Result<Vec<CommissionId>> {
    let rows = tx
        .all(
            "select id
               from affiliate_commissions
              where merchant_id = $1 and mode = $2 and held_reason is not null
                and available_at <= $3 and held_cents = 0 and unfunded_cents <= $4
              order by available_at, id
              limit $5",
            args![scope.merchant, scope.mode, scope.now(tx), available, RELEASED_AT_ONCE],
        )
        .await?;
    rows.into_iter().map(|mut row| Ok(row.take()?)).collect()
}

/// Whether any due commission waits for its merchant.
pub async fn any_waiting(tx: &Tx, scope: Scope) -> Result<bool> {
    let row = tx
        .opt(
            "select id
               from affiliate_commissions
              where merchant_id = $1 and mode = $2 and held_reason is not null
                and available_at <= $3 and held_cents = 0
              limit 1",
            args![scope.merchant, scope.mode, scope.now(tx)],
        )
        .await?;
    Ok(row.is_some())
}

/// Stores a commission's progress towards its release; false if it has changed since it was read.
pub async fn progress(
    tx: &Tx,
    scope: Scope,
    before: &Commission,
    after: &Commission,
) -> Result<bool> {
    let written = tx
        .exec(
            "update affiliate_commissions
                set version = $1, status = $2, unfunded_cents = $3, held_reason = $4,
                    repaid_cents = $5, paid_at = $6, updated_at = $7
              where merchant_id = $8 and mode = $9 and id = $10 and version = $11",
            args![
                after.version,
                after.status.name(),
                after.unfunded,
                after.held_reason.map(HeldReason::name),
                after.repaid,
                after.paid_at,
                after.updated_at,
                scope.merchant,
                scope.mode,
                before.id,
                before.version,
            ],
        )
        .await?;
    Ok(written == 1)
}

/// Lists the oldest clawbacks that an affiliate still owes a merchant; the others wait for the next
/// commission.
pub async fn list_owed(tx: &Tx, scope: Scope, affiliate: MerchantId) -> Result<Vec<Commission>> {
    let rows = tx
        .all(
            concat!(
                "select ",
                columns!(),
                " from affiliate_commissions
                 where merchant_id = $1 and mode = $2 and affiliate_id = $3 and owed_cents > 0
                 order by id
                 limit 50"
            ),
            args![scope.merchant, scope.mode, affiliate],
        )
        .await?;
    rows.into_iter().map(read).collect()
}

/// Records a partial repayment of a clawback; false if it has changed since it was read.
pub async fn repay(tx: &Tx, scope: Scope, of: &Commission, amount: Cents) -> Result<bool> {
    let repaid = tx
        .exec(
            "update affiliate_commissions
                set owed_cents = owed_cents - $1, version = version + 1, updated_at = $2
              where merchant_id = $3 and mode = $4 and id = $5 and version = $6",
            args![amount, scope.now(tx), scope.merchant, scope.mode, of.id, of.version],
        )
        .await?;
    Ok(repaid == 1)
}

/// Sums what a merchant still has to add to the commissions of their sales.
pub async fn unfunded(tx: &Tx, scope: Scope) -> Result<Cents> {
    let mut row = tx
        .one(
            "select cast(coalesce(sum(unfunded_cents), 0) as bigint)
               from affiliate_commissions
              where merchant_id = $1 and mode = $2 and unfunded_cents > 0",
            args![scope.merchant, scope.mode],
        )
        .await?;
    Ok(row.take()?)
}

pub async fn owed(tx: &Tx, scope: Scope) -> Result<Cents> {
    let mut row = tx
        .one(
            "select cast(coalesce(sum(owed_cents), 0) as bigint)
               from affiliate_commissions
              where affiliate_id = $1 and mode = $2 and owed_cents > 0",
            args![scope.merchant, scope.mode],
        )
        .await?;
    Ok(row.take()?)
}

/// Holds part of a commission; false if it has changed since it was read.
pub async fn hold(tx: &Tx, scope: Scope, of: &Commission, hold: &CommissionHold) -> Result<bool> {
    let updated = tx
        .exec(
            "update affiliate_commissions
                set held_cents = held_cents + $1, unfunded_cents = unfunded_cents - $2,
                    version = version + 1, updated_at = $3
              where merchant_id = $4 and mode = $5 and id = $6 and version = $7",
            args![
                hold.amount,
                hold.of_unfunded(),
                scope.now(tx),
                scope.merchant,
                scope.mode,
                of.id,
                of.version,
            ],
        )
        .await?;
    Ok(updated == 1)
}

/// Returns what was held.
pub async fn give_back(
    tx: &Tx,
    scope: Scope,
    of: TransactionId,
    hold: &CommissionHold,
) -> Result<Commission> {
    let row = tx
        .one(
            concat!(
                "update affiliate_commissions
                    set held_cents = held_cents - $1, unfunded_cents = unfunded_cents + $2,
                        version = version + 1, updated_at = $3
                  where merchant_id = $4 and mode = $5 and transaction_id = $6
                    and type <> 'CLAWBACK'
                 returning ",
                columns!()
            ),
            args![hold.amount, hold.of_unfunded(), scope.now(tx), scope.merchant, scope.mode, of],
        )
        .await?;
    read(row)
}

/// Records that the held part of a released commission goes to the buyer.
pub async fn claw_back_released(
    tx: &Tx,
    scope: Scope,
    of: TransactionId,
    amount: Cents,
) -> Result<Commission> {
    let row = tx
        .one(
            concat!(
                "update affiliate_commissions
                    set held_cents = held_cents - $1, returned_cents = returned_cents + $1,
                        version = version + 1, updated_at = $2
                  where merchant_id = $3 and mode = $4 and transaction_id = $5
                    and type <> 'CLAWBACK'
                 returning ",
                columns!()
            ),
            args![amount, scope.now(tx), scope.merchant, scope.mode, of],
        )
        .await?;
    read(row)
}

/// The same for a pending commission: its amount is reduced, possibly to zero.
pub async fn claw_back_pending(
    tx: &Tx,
    scope: Scope,
    of: TransactionId,
    amount: Cents,
    reason: &str,
) -> Result<Commission> {
    let row = tx
        .one(
            concat!(
                "update affiliate_commissions
                    set held_cents = held_cents - $1, returned_cents = returned_cents + $1,
                        amount_cents = case when amount_cents = $1 then amount_cents
                                            else amount_cents - $1 end,
                        version = version + 1, updated_at = $2,
                        status = case when amount_cents = $1 then 'CANCELLED' else status end,
                        held_reason = case when amount_cents = $1 then null
                                           else held_reason end,
                        cancelled_at = case when amount_cents = $1 then cast($2 as bigint) end,
                        cancel_reason = case when amount_cents = $1 then cast($3 as text) end
                  where merchant_id = $4 and mode = $5 and transaction_id = $6
                    and type <> 'CLAWBACK'
                 returning ",
                columns!()
            ),
            args![amount, scope.now(tx), reason, scope.merchant, scope.mode, of],
        )
        .await?;
    read(row)
}

/// Deletes commissions of a merchant's sales; returns what each affiliate still holds of each.
pub async fn clear_given(tx: &Tx, scope: Scope, most: i64) -> Result<Vec<(MerchantId, Cents)>> {
    let rows = tx
        .all(
            "delete from affiliate_commissions
              where merchant_id = $1 and mode = $2 and id in (
                    select id
                      from affiliate_commissions
                     where merchant_id = $1 and mode = $2
                     limit $3)
             returning affiliate_id,
                       case when status = 'PENDING'
                            then amount_cents - held_cents - unfunded_cents
                            else 0 end",
            args![scope.merchant, scope.mode, most],
        )
        .await?;
    rows.into_iter().map(|mut row| Ok((row.take()?, row.take()?))).collect()
}

/// Deletes an affiliate's commissions on other merchants' sales.
pub async fn clear_had(tx: &Tx, scope: Scope, most: i64) -> Result<u64> {
    let sql = delete_scope_as_affiliate!("affiliate_commissions", "id");
    Ok(tx.exec(sql, args![scope.merchant, scope.mode, most]).await?)
}

/// The parameters of `matching` and of the condition on the owner, then `more`.
fn wanted<'a>(scope: &'a Scope, filter: &'a Filter, more: &[Arg<'a>]) -> Vec<Arg<'a>> {
    let own = [
        scope.merchant.to_arg(),
        scope.mode.to_arg(),
        filter.status.map(Status::name).map_or(Arg::Null, Arg::Text),
        Arg::Bool(filter.program.is_none()),
        filter.program.to_arg(),
        filter.created.from.to_arg(),
        filter.created.to.to_arg(),
        Arg::Bool(filter.link.is_none()),
        filter.link.to_arg(),
    ];
    [own.as_slice(), more].concat()
}

fn read(mut row: Row) -> Result<Commission> {
    Ok(Commission {
        id: row.take()?,
        version: row.take()?,
        kind: row.take()?,
        status: row.take()?,
        program: row.take()?,
        link: row.take()?,
        affiliate: row.take()?,
        transaction: row.take()?,
        product: row.take()?,
        code: row.take()?,
        clicked_at: row.take()?,
        attributed_at: row.take()?,
        base: row.take()?,
        commission_type: row.take()?,
        commission_value: row.take()?,
        earned: row.take()?,
        amount: row.take()?,
        returned: row.take()?,
        held: row.take()?,
        unfunded: row.take()?,
        held_reason: row.take()?,
        owed: row.take()?,
        repaid: row.take()?,
        sale: row.take()?,
        method: row.take()?,
        available_at: row.take()?,
        paid_at: row.take()?,
        cancelled_at: row.take()?,
        cancel_reason: row.take()?,
        created_at: row.take()?,
        updated_at: row.take()?,
    })
}
