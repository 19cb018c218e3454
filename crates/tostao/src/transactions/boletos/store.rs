//! What banks have reported about boletos.

use db::args;
use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;

use crate::platform::error::Result;
use crate::platform::ids::{MerchantId, Scope, TransactionId};
use crate::transactions::boletos::totals::Booked;

/// The boletos of an amount that were booked as paid at a bank between two instants and may have
/// been paid by a PIX, of which none is known.
macro_rules! paid_between {
    () => {
        " from transactions
         where provider = $1 and paid_cents = $2 and paid_at between $3 and $4
           and slip_payment_id is not null and end_to_end_id is null
           and (pix_code is not null or slip_number is null)"
    };
}

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

/// The first boleto of an amount that was booked as paid at a bank between two instants and may
/// have been paid by a PIX, and whether it is of a merchant, whose boletos come first.
pub async fn paid_between(
    tx: &Tx,
    (provider, amount): (&str, Cents),
    [from, to]: [Timestamp; 2],
    own: Option<MerchantId>,
) -> Result<Option<(TransactionId, bool)>> {
    let row = tx
        .opt(
            concat!(
                "select id, coalesce(merchant_id = $5, false) as is_own",
                paid_between!(),
                " order by is_own desc, id limit 1"
            ),
            args![provider, amount, from, to, own],
        )
        .await?;
    row.map(|mut row| Ok((row.take()?, row.take()?))).transpose()
}

/// Whether a boleto is one of those.
pub async fn is_paid_between(
    tx: &Tx,
    (provider, amount): (&str, Cents),
    [from, to]: [Timestamp; 2],
    id: TransactionId,
) -> Result<bool> {
    let sql = concat!("select id", paid_between!(), " and id = $5");
    Ok(tx.opt(sql, args![provider, amount, from, to, id]).await?.is_some())
}

/// Whether there is a boleto of an amount that was registered at a bank by an instant, is not
/// booked as paid, could be paid until another one, and may be paid by a PIX; and whether one of
/// them is of a merchant.
pub async fn unpaid_at(
    tx: &Tx,
    (provider, amount): (&str, Cents),
    [at, payable_until]: [Timestamp; 2],
    own: Option<MerchantId>,
) -> Result<Option<bool>> {
    let row = tx
        .opt(
            "select coalesce(merchant_id = $5, false) as is_own
               from transactions
              where provider = $1 and amount_cents = $2 and expires_at >= $4
                and slip_bank_code is not null and paid_at is null and created_at <= $3
                and status in ('PENDING', 'EXPIRED', 'CANCELLED')
                and (pix_code is not null or slip_number is null)
              order by is_own desc
              limit 1",
            args![provider, amount, at, payable_until, own],
        )
        .await?;
    row.map(|mut row| Ok(row.take()?)).transpose()
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
