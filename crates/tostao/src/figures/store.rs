//! The tables of days that are over.

use db::args;
use db::time::Timestamp;
use db::tx::Tx;
use db::value::Row;
use jiff::civil::Date;

use crate::books::turnover::Turnover;
use crate::figures::period::Period;
use crate::figures::{ByMethod, DayMoney, Kept};
use crate::platform::error::{Error, Result};
use crate::platform::ids::{MerchantId, Scope};
use crate::store::{Sums, add_up, delete_scope, summing};
use crate::transactions::list::Issued;

/// Sums the days by the transfers in their ranges; and the same with what each kept figure differs
/// by, and by how many entries a day does not begin where the one before ends.
const SUMS: [&str; 2] = summing!(
    "merchant_id",
    "cast(coalesce(sum(sold + refunded + charged_back + fees), 0) as bigint),
     cast(coalesce(sum(sold + refunded + charged_back + fees
                       + abs(sold_cents - sold) + abs(refunded_cents - refunded)
                       + abs(charged_back_cents - charged_back)
                       + abs(fees_cents - fees) + abs(from_sequence - expected)), 0)
          as bigint)",
    "(select merchant_id, mode, sold_cents, refunded_cents, charged_back_cents, fees_cents,
             from_sequence,
             coalesce(max(to_sequence) over (
                          partition by merchant_id, mode
                              order by day
                               rows between unbounded preceding and 1 preceding),
                      (select first_sequence
                         from figure_starts
                        where figure_starts.merchant_id = daily_figures.merchant_id
                          and daily_figures.mode = 0), 1) as expected,
             coalesce((select sum(amount_cents)
                         from ledger_transfers
                        where debit_owner_id = merchant_id and book = mode
                          and debit_code = 1000 and kind = 'payment_captured'
                          and debit_sequence >= from_sequence
                          and debit_sequence < to_sequence), 0) as sold,
             coalesce((select sum(amount_cents)
                         from ledger_transfers
                        where credit_owner_id = merchant_id and book = mode
                          and credit_code = 1000 and kind = 'refund_completed'
                          and credit_sequence >= from_sequence
                          and credit_sequence < to_sequence), 0) as refunded,
             coalesce((select sum(amount_cents)
                         from ledger_transfers
                        where credit_owner_id = merchant_id and book = mode
                          and credit_code = 1000 and kind = 'dispute_lost'
                          and credit_sequence >= from_sequence
                          and credit_sequence < to_sequence), 0) as charged_back,
             coalesce((select sum(fees.amount_cents)
                         from ledger_transfers as sales
                         join ledger_transfers as fees
                           on fees.subject_id = sales.subject_id and fees.kind = sales.kind
                        where sales.debit_owner_id = merchant_id and sales.book = mode
                          and sales.debit_code = 1000 and sales.kind = 'payment_captured'
                          and sales.debit_sequence >= from_sequence
                          and sales.debit_sequence < to_sequence
                          and fees.credit_owner_id = merchant_id
                          and fees.credit_code = 4000), 0) as fees
        from daily_figures) as days",
    "true"
);

/// Reads which days are kept.
pub async fn kept(tx: &Tx, scope: Scope) -> Result<Option<Kept>> {
    let mut row = tx
        .one(
            "select min(day), max(day), min(from_sequence), max(to_sequence)
               from daily_figures
              where merchant_id = $1 and mode = $2",
            args![scope.merchant, scope.mode],
        )
        .await?;
    let days: (Option<String>, Option<String>) = (row.take()?, row.take()?);
    let entries: (Option<i64>, Option<i64>) = (row.take()?, row.take()?);
    let ((Some(first), Some(last)), (Some(first_entry), Some(next_entry))) = (days, entries) else {
        return Ok(None);
    };
    Ok(Some(Kept { first: day(&first)?, first_entry, last: day(&last)?, next_entry }))
}

/// Reads the kept days of a period, oldest first.
pub async fn money(tx: &Tx, scope: Scope, period: Period) -> Result<Vec<DayMoney>> {
    let rows = tx
        .all(
            "select day, from_sequence, to_sequence, sold_cents, refunded_cents,
                    charged_back_cents, fees_cents
               from daily_figures
              where merchant_id = $1 and mode = $2 and day >= $3 and day <= $4
              order by day",
            args![scope.merchant, scope.mode, period.from.to_string(), period.to.to_string()],
        )
        .await?;
    let read = |mut row: Row| {
        Ok(DayMoney {
            day: day(&row.take::<String>()?)?,
            entries: row.take()?..row.take()?,
            money: Turnover {
                sold: row.take()?,
                refunded: row.take()?,
                charged_back: row.take()?,
                fees: row.take()?,
            },
        })
    };
    rows.into_iter().map(read).collect()
}

/// Keeps a day; another node may have kept the same.
pub async fn insert(tx: &Tx, scope: Scope, day: &DayMoney) -> Result<()> {
    tx.exec(
        "insert into daily_figures
                (merchant_id, mode, day, from_sequence, to_sequence, sold_cents, refunded_cents,
                 charged_back_cents, fees_cents)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
             on conflict (merchant_id, mode, day) do nothing",
        args![
            scope.merchant,
            scope.mode,
            day.day.to_string(),
            day.entries.start,
            day.entries.end,
            day.money.sold,
            day.money.refunded,
            day.money.charged_back,
            day.money.fees,
        ],
    )
    .await?;
    Ok(())
}

/// Reads the kept counts of a period, oldest first.
pub async fn payments(tx: &Tx, scope: Scope, period: Period) -> Result<Vec<(Date, ByMethod)>> {
    let rows = tx
        .all(
            "select day, pix_issued, pix_paid, boleto_issued, boleto_paid, card_issued, card_paid
               from daily_payments
              where merchant_id = $1 and mode = $2 and day >= $3 and day <= $4
              order by day",
            args![scope.merchant, scope.mode, period.from.to_string(), period.to.to_string()],
        )
        .await?;
    let read = |mut row: Row| {
        let day = day(&row.take::<String>()?)?;
        let mut counts = ByMethod::default();
        for count in &mut counts {
            *count = Issued { issued: row.take()?, paid: row.take()? };
        }
        Ok((day, counts))
    };
    rows.into_iter().map(read).collect()
}

/// The last day whose payments were counted.
pub async fn last_counted(tx: &Tx, scope: Scope) -> Result<Option<Date>> {
    let mut row = tx
        .one(
            "select max(day) from daily_payments where merchant_id = $1 and mode = $2",
            args![scope.merchant, scope.mode],
        )
        .await?;
    row.take::<Option<String>>()?.as_deref().map(day).transpose()
}

/// The days of a period whose payments were last counted before an instant, at most `most`.
pub async fn counted_before(
    tx: &Tx,
    scope: Scope,
    period: Period,
    before: Timestamp,
    most: i64,
) -> Result<Vec<Date>> {
    let rows = tx
        .all(
            "select day
               from daily_payments
              where merchant_id = $1 and mode = $2 and day >= $3 and day <= $4
                and counted_at < $5
              order by day
              limit $6",
            args![
                scope.merchant,
                scope.mode,
                period.from.to_string(),
                period.to.to_string(),
                before,
                most,
            ],
        )
        .await?;
    rows.into_iter().map(|mut row| day(&row.take::<String>()?)).collect()
}

/// Keeps the count of a day's payments, in place of an earlier one.
pub async fn keep_payments(
    tx: &Tx,
    scope: Scope,
    day: Date,
    [pix, boleto, card]: &ByMethod,
    counted_at: Timestamp,
) -> Result<()> {
    tx.expect_one(
        "insert into daily_payments
                (merchant_id, mode, day, pix_issued, pix_paid, boleto_issued, boleto_paid,
                 card_issued, card_paid, counted_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
             on conflict (merchant_id, mode, day) do update
            set pix_issued = excluded.pix_issued, pix_paid = excluded.pix_paid,
                boleto_issued = excluded.boleto_issued, boleto_paid = excluded.boleto_paid,
                card_issued = excluded.card_issued, card_paid = excluded.card_paid,
                counted_at = excluded.counted_at",
        args![
            scope.merchant,
            scope.mode,
            day.to_string(),
            pix.issued,
            pix.paid,
            boleto.issued,
            boleto.paid,
            card.issued,
            card.paid,
            counted_at,
        ],
    )
    .await?;
    Ok(())
}

/// Reads where the figures of development data begin, and how often they have started again; `None`
/// if at the first entry.
pub async fn start(tx: &Tx, merchant: MerchantId) -> Result<Option<(i64, i64)>> {
    let sql = "select first_sequence, coalesce(resets, 0)
                 from figure_starts
                where merchant_id = $1";
    let row = tx.opt(sql, args![merchant]).await?;
    row.map(|mut row| Ok((row.take()?, row.take()?))).transpose()
}

pub async fn start_at(tx: &Tx, merchant: MerchantId, first: i64) -> Result<()> {
    tx.expect_one(
        "insert into figure_starts (merchant_id, first_sequence, resets) values ($1, $2, 1)
             on conflict (merchant_id) do update
            set first_sequence = excluded.first_sequence,
                resets = coalesce(figure_starts.resets, 0) + 1",
        args![merchant, first],
    )
    .await?;
    Ok(())
}

pub async fn forget_start(tx: &Tx, merchant: MerchantId) -> Result<()> {
    tx.exec("delete from figure_starts where merchant_id = $1", args![merchant]).await?;
    Ok(())
}

pub async fn clear_money(tx: &Tx, scope: Scope, most: i64) -> Result<u64> {
    let sql = delete_scope!("daily_figures", "day");
    Ok(tx.exec(sql, args![scope.merchant, scope.mode, most]).await?)
}

pub async fn clear_payments(tx: &Tx, scope: Scope, most: i64) -> Result<u64> {
    let sql = delete_scope!("daily_payments", "day");
    Ok(tx.exec(sql, args![scope.merchant, scope.mode, most]).await?)
}

/// Proves the kept days by the transfers.
pub async fn sums(tx: &Tx, of: Option<Scope>) -> Result<Sums<2>> {
    add_up(tx, of, SUMS).await
}

fn day(text: &str) -> Result<Date> {
    let wrong = || Error::Internal(anyhow::anyhow!("a kept day is no date: {text}"));
    text.parse().map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::SUMS;
    use crate::books::chart::AccountKind::{FeeRevenue, Outside};
    use crate::books::turnover::{CAPTURED, CHARGED_BACK, REFUNDED};

    #[test]
    fn the_proof_names_the_accounts_and_movements_of_the_figures() {
        for sql in SUMS {
            let mut codes: Vec<&str> =
                sql.split("_code = ").skip(1).map(|rest| &rest[..4]).collect();
            codes.sort_unstable();
            codes.dedup();
            let expected = [Outside, FeeRevenue].map(|account| account.code().to_string());
            assert_eq!(codes, expected);
            let named = sql.split("kind = '").skip(1).filter_map(|rest| rest.split('\'').next());
            let named: Vec<_> = named.collect();
            assert_eq!(named, [CAPTURED, REFUNDED, CHARGED_BACK, CAPTURED]);
        }
    }
}
