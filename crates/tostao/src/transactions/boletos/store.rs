//! What banks have reported about boletos.

use db::args;
use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;

use crate::platform::error::Result;
use crate::platform::ids::{Scope, TransactionId};
use crate::transactions::boletos::totals::Booked;

/// Returns what is booked of a boleto whose bank reports totals.
pub async fn booked(tx: &Tx, provider: &str, code: &str) -> Result<Booked> {
    let row = tx
        .opt(
            "select booked_cents, unclaimed_cents
               from boleto_totals
              where provider = $1 and bank_code = $2",
            args![provider, code],
        )
        .await?;
    let Some(mut row) = row else { return Ok(Booked::default()) };
    Ok(Booked { all: row.take()?, unclaimed: row.take()? })
}

/// Stores what is booked of a boleto, if nothing changed that meanwhile.
pub async fn change_booked(
    tx: &Tx,
    provider: &str,
    code: &str,
    before: Booked,
    after: Booked,
) -> Result<bool> {
    let changed = tx
        .exec(
            "insert into boleto_totals (provider, bank_code, booked_cents, unclaimed_cents)
             values ($1, $2, $3, $4)
                 on conflict (provider, bank_code) do update
                set booked_cents = excluded.booked_cents,
                    unclaimed_cents = excluded.unclaimed_cents
              where boleto_totals.booked_cents = $5 and boleto_totals.unclaimed_cents = $6",
            args![provider, code, after.all, after.unclaimed, before.all, before.unclaimed],
        )
        .await?;
    Ok(changed == 1)
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
