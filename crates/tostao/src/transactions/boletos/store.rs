//! What banks have reported about boletos.

use db::args;
use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;

use crate::platform::error::Result;
use crate::platform::ids::{Scope, TransactionId};
pub use crate::transactions::store::receive_once;

/// Whether a bank has reported a receipt.
pub async fn is_received(tx: &Tx, provider: &str, payment_id: &str) -> Result<bool> {
    let row = tx
        .opt(
            "select payment_id
               from received_payments
              where provider = $1 and payment_id = $2",
            args![provider, payment_id],
        )
        .await?;
    Ok(row.is_some())
}

/// Whether a boleto of this amount was booked as paid at a bank between two instants, of which no
/// PIX is known.
pub async fn was_paid_between(
    tx: &Tx,
    provider: &str,
    amount: Cents,
    [from, to]: [Timestamp; 2],
) -> Result<bool> {
    let row = tx
        .opt(
            "select id
               from transactions
              where provider = $1 and paid_cents = $2 and paid_at between $3 and $4
                and slip_payment_id is not null and end_to_end_id is null
              limit 1",
            args![provider, amount, from, to],
        )
        .await?;
    Ok(row.is_some())
}

/// Stores the end-to-end id of a payment that was booked as a boleto's.
pub async fn note_end_to_end_id(
    tx: &Tx,
    scope: Scope,
    id: TransactionId,
    end_to_end_id: &str,
) -> Result<()> {
    tx.exec(
        "update transactions
            set end_to_end_id = $4
          where merchant_id = $1 and mode = $2 and id = $3
            and slip_payment_id is not null and end_to_end_id is null",
        args![scope.merchant, scope.mode, id, end_to_end_id],
    )
    .await?;
    Ok(())
}
