//! The table of the payments that payouts were made by.

use db::args;
use db::tx::Tx;

use crate::platform::error::Result;

/// Stores that a payout was made by a payment; false if another payout was.
pub async fn claim_payment(tx: &Tx, provider: &str, end_to_end_id: &str) -> Result<bool> {
    let claimed = tx
        .exec(
            "insert into payout_payments (provider, end_to_end_id) values ($1, $2)
                 on conflict (provider, end_to_end_id) do nothing",
            args![provider, end_to_end_id],
        )
        .await?;
    Ok(claimed == 1)
}
