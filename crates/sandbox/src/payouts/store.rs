//! The sandbox bank's table of orders.

use db::args;
use db::error::{Error, Result};
use db::time::Timestamp;
use db::tx::Tx;
use db::value::Row;
use rails::payout::{PayoutFailureCode, PayoutState};

use crate::payouts::Kept;

/// Stores an order; false if its reference is known.
pub async fn insert(tx: &Tx, new: &Kept, now: Timestamp) -> Result<bool> {
    let (end_to_end_id, refusal) = match &new.fate {
        PayoutState::Processing => (None, None),
        PayoutState::Paid { end_to_end_id } => (Some(end_to_end_id.as_str()), None),
        PayoutState::Refused(refusal) => (None, Some(refusal.name())),
    };
    let inserted = tx
        .exec(
            "insert into sandbox_payouts
                    (reference, amount_cents, end_to_end_id, refusal, settled, orders, ordered_at)
             values ($1, $2, $3, $4, $5, 1, $6)
                 on conflict (reference) do nothing",
            args![new.reference, new.amount, end_to_end_id, refusal, new.settled, now],
        )
        .await?;
    Ok(inserted == 1)
}

pub async fn count_again(tx: &Tx, reference: &str) -> Result<()> {
    tx.defer(
        "update sandbox_payouts set orders = orders + 1 where reference = $1",
        args![reference],
    )
    .await?;
    Ok(())
}

pub async fn settle(tx: &Tx, reference: &str) -> Result<()> {
    tx.defer("update sandbox_payouts set settled = true where reference = $1", args![reference])
        .await?;
    Ok(())
}

pub async fn find(tx: &Tx, reference: &str) -> Result<Option<Kept>> {
    let row = tx
        .opt(
            "select reference, amount_cents, end_to_end_id, refusal, settled
               from sandbox_payouts
              where reference = $1",
            args![reference],
        )
        .await?;
    row.map(read).transpose()
}

fn read(mut row: Row) -> Result<Kept> {
    Ok(Kept {
        reference: row.take()?,
        amount: row.take()?,
        fate: fate(row.take()?, row.take::<Option<String>>()?.as_deref())?,
        settled: row.take()?,
    })
}

fn fate(end_to_end_id: Option<String>, refusal: Option<&str>) -> Result<PayoutState> {
    let paid = end_to_end_id.map(|end_to_end_id| PayoutState::Paid { end_to_end_id });
    let refused = refusal.and_then(PayoutFailureCode::parse).map(PayoutState::Refused);
    paid.or(refused).ok_or_else(|| Error::Row("a payout without an outcome".into()))
}
