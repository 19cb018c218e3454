//! The table of the PIX payments and returns that completed orders.

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
