//! The tables of the PIX payments and returns that completed orders, and of what banks call their
//! orders.

use db::args;
use db::tx::Tx;
use uuid::Uuid;

use crate::platform::error::Result;

/// Stores that an order was completed by a payment, unless another order was; returns the kind and
/// id of the order that was completed by it.
pub async fn claim_payment(
    tx: &Tx,
    provider: &str,
    end_to_end_id: &str,
    kind: &str,
    id: Uuid,
) -> Result<(String, Uuid)> {
    // An update of nothing returns the row that is there already.
    let mut row = tx
        .one(
            "insert into payout_payments (provider, end_to_end_id, kind, order_id)
             values ($1, $2, $3, $4)
                 on conflict (provider, end_to_end_id) do update set provider = excluded.provider
             returning kind, order_id",
            args![provider, end_to_end_id, kind, id],
        )
        .await?;
    Ok((row.take()?, row.take()?))
}

pub async fn bank_code(tx: &Tx, provider: &str, reference: &str) -> Result<Option<String>> {
    let row = tx
        .opt(
            "select bank_code from payout_bank_codes where provider = $1 and reference = $2",
            args![provider, reference],
        )
        .await?;
    row.map(|mut row| Ok(row.take()?)).transpose()
}

/// Stores the bank's own code of an order; the first one stays.
pub async fn note_bank_code(tx: &Tx, provider: &str, reference: &str, code: &str) -> Result<()> {
    tx.exec(
        "insert into payout_bank_codes (provider, reference, bank_code) values ($1, $2, $3)
             on conflict do nothing",
        args![provider, reference, code],
    )
    .await?;
    Ok(())
}

pub async fn named_by_bank(tx: &Tx, provider: &str, code: &str) -> Result<Option<String>> {
    let row = tx
        .opt(
            "select reference from payout_bank_codes where provider = $1 and bank_code = $2",
            args![provider, code],
        )
        .await?;
    row.map(|mut row| Ok(row.take()?)).transpose()
}
