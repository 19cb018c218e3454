//! Boletos whose bank reports no single payments, but the total that was ever paid to each.
//!
//! A PIX of such a boleto is part of its total, and the bank may report it as a PIX as well, before
//! or after. Neither report says which of the other it is in, so amounts are compared:
//!
//! | report | new is | and then |
//! |---|---|---|
//! | a total | what is beyond everything booked | a PIX may claim it |
//! | a PIX | what is beyond the money that no PIX has claimed | it has claimed that |
//!
//! Money that a PIX claims by mistake, because it was paid beside it, is in the next total and is
//! booked then. Nothing is booked beyond a total and the PIX that were reported.

use db::tx::Tx;
use ledger::cents::Cents;
use rails::boleto::PaidBy;

use crate::platform::error::{Error, Result};
use crate::platform::ids::Scope;
use crate::transactions::Transaction;
use crate::transactions::boletos::store;
use crate::transactions::incoming_payment::IncomingPayment;
use crate::transactions::receive::ChargeReference;

/// What is booked of a boleto.
#[derive(Debug, Clone, Copy, Default)]
pub struct Booked {
    /// From totals and as PIX.
    pub all: Cents,
    /// From totals, and may yet be reported as PIX.
    pub unclaimed: Cents,
}

/// What of a reported payment is not booked yet, and is about to be; `None` if all of it is.
pub async fn not_booked(
    tx: &Tx,
    provider: &str,
    of: Option<(Scope, &Transaction)>,
    (charge, incoming): (ChargeReference<'_>, &IncomingPayment),
) -> Result<Option<IncomingPayment>> {
    let amount = match (charge, of) {
        (ChargeReference::TotalOfBoleto(code, paid_by), _) => {
            let due = of.map(|(_, transaction)| transaction.amount);
            take_total(tx, (provider, code), incoming.amount, (paid_by, due)).await?
        }
        (ChargeReference::Txid(_), Some((scope, transaction))) => {
            claim(tx, scope, transaction, incoming).await?
        }
        (ChargeReference::Txid(_) | ChargeReference::Boleto(_), _) => Some(incoming.amount),
    };
    Ok(amount.map(|amount| IncomingPayment { amount, ..incoming.clone() }))
}

/// What of a total is beyond everything booked.
async fn take_total(
    tx: &Tx,
    boleto: (&str, &str),
    total: Cents,
    (paid_by, due): (PaidBy, Option<Cents>),
) -> Result<Option<Cents>> {
    let before = store::booked(tx, boleto.0, boleto.1).await?;
    let beyond = total.minus(before.all).filter(|beyond| *beyond > Cents::ZERO);
    let Some(beyond) = beyond else { return Ok(None) };
    // The bank says one way for all payments, so only that of a single one is certain.
    let is_single = before.all.is_zero() && due.is_some_and(|due| total <= due);
    let unclaimed = match paid_by {
        PaidBy::Barcode if is_single => before.unclaimed,
        PaidBy::Barcode | PaidBy::Pix => sum(before.unclaimed, beyond)?,
    };
    change(tx, boleto, before, Booked { all: total, unclaimed }).await?;
    Ok(Some(beyond))
}

/// What of a PIX is beyond the money of its boleto that no PIX has claimed. A payment that was
/// booked from a total gets the end-to-end id, by which it is refunded.
async fn claim(
    tx: &Tx,
    scope: Scope,
    transaction: &Transaction,
    incoming: &IncomingPayment,
) -> Result<Option<Cents>> {
    let Some(boleto) = &transaction.boleto else { return Ok(Some(incoming.amount)) };
    let boleto = (&*transaction.provider, &*boleto.bank_code);
    let before = store::booked(tx, boleto.0, boleto.1).await?;
    let claimed = before.unclaimed.min(incoming.amount);
    let rest = difference(incoming.amount, claimed)?;
    let unclaimed = difference(before.unclaimed, claimed)?;
    change(tx, boleto, before, Booked { all: sum(before.all, rest)?, unclaimed }).await?;
    if claimed.is_zero() {
        return Ok(Some(rest));
    }
    // A PIX of less cannot be given back in full.
    if incoming.amount >= transaction.amount {
        store::note_end_to_end_id(tx, scope, transaction.id, &incoming.payment_id).await?;
    }
    Ok(Some(rest).filter(|rest| !rest.is_zero()))
}

/// Stores that a PIX is the payment of a boleto as which it was booked; no other PIX may claim that
/// money then.
pub async fn identify(
    tx: &Tx,
    scope: Scope,
    transaction: &Transaction,
    incoming: &IncomingPayment,
) -> Result<()> {
    let Some(boleto) = &transaction.boleto else { return Ok(()) };
    let boleto = (&*transaction.provider, &*boleto.bank_code);
    let before = store::booked(tx, boleto.0, boleto.1).await?;
    if !before.unclaimed.is_zero() {
        let claimed = before.unclaimed.min(incoming.amount);
        let unclaimed = difference(before.unclaimed, claimed)?;
        change(tx, boleto, before, Booked { unclaimed, ..before }).await?;
    }
    store::note_end_to_end_id(tx, scope, transaction.id, &incoming.payment_id).await
}

async fn change(
    tx: &Tx,
    (provider, code): (&str, &str),
    before: Booked,
    after: Booked,
) -> Result<()> {
    if store::change_booked(tx, provider, code, before, after).await? {
        return Ok(());
    }
    Err(tx.collision("the boleto was reported by another unit").into())
}

fn sum(one: Cents, other: Cents) -> Result<Cents> {
    one.plus(other).ok_or_else(overflow)
}

fn difference(one: Cents, other: Cents) -> Result<Cents> {
    one.minus(other).ok_or_else(overflow)
}

fn overflow() -> Error {
    Error::Internal(anyhow::anyhow!("what was paid to a boleto overflows"))
}
