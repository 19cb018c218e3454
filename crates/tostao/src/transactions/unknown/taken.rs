//! Money of no charge that its bank has sent back to its payer.

use db::tx::Tx;
use ledger::cents::Cents;

use crate::audit::ActorContext;
use crate::audit::decision::Decision;
use crate::platform::error::{Error, Result};
use crate::platform::ids::{Scope, UnmatchedId};
use crate::transactions::terms::PaymentTerms;
use crate::transactions::unknown::{Status, UnknownPayment, lock, store};
use crate::transactions::{returns, unmatched};

/// Refuses to decide about money that its bank has sent back, or says so.
pub async fn expect_not_sent_back(tx: &Tx, money: &UnknownPayment) -> Result<()> {
    if !is_sent_back(tx, money).await? {
        return Ok(());
    }
    Err(state(money, unmatched::SENT_BACK))
}

/// Whether its bank has sent money of it back, or says so, and that is not booked.
pub async fn is_sent_back(tx: &Tx, money: &UnknownPayment) -> Result<bool> {
    unmatched::is_sent_back(tx, &money.provider, &money.payment_id).await
}

/// Locks the money of a PIX of no charge, if there is any, until the unit ends.
pub async fn lock_by_pix(tx: &Tx, provider: &str, end_to_end_id: &str) -> Result<()> {
    if let Some((mode, id)) = store::find_named(tx, provider, end_to_end_id).await? {
        lock(tx, mode, id).await?;
    }
    Ok(())
}

/// Books what a bank took back of money of no charge that awaits a decision: all of it, or a part,
/// which becomes a row of its own. Nothing where there is no such money, or it was decided on; an
/// error while it is on its way back.
pub async fn take_back(
    tx: &Tx,
    terms: &PaymentTerms,
    by: &ActorContext,
    provider: &str,
    (end_to_end_id, return_id): (&str, &str),
    most: Cents,
) -> Result<()> {
    let found = store::find_named(tx, provider, end_to_end_id).await?;
    let Some((mode, id)) = found else { return Ok(()) };
    let before = lock(tx, mode, id).await?;
    match before.status {
        Status::Open => {}
        Status::Returning => return Err(state(&before, unmatched::ON_ITS_WAY_BACK)),
        Status::Matched | Status::Returned | Status::Dismissed => return Ok(()),
    }
    let (scope, amount) = (Scope::platform(mode), most.min(before.amount));
    if amount.is_zero() {
        return Ok(());
    }
    let decided = Decision::about(scope.merchant, by, tx.now())?;
    let decided = decided.or_else(|| Some(Decision::by_server(tx.now())));
    let is_whole = amount == before.amount;
    let taken = if is_whole { before } else { split(tx, scope, &before, amount).await? };
    let returning =
        UnknownPayment { status: Status::Returning, failure_reason: None, decided, ..taken };
    store::change(tx, mode, &returning).await?;
    let sent_by = returns::begin_taken(tx, scope, returning.money(), false).await?;
    returns::complete_taken(tx, terms, sent_by, return_id).await
}

/// Makes a part of money an open row of its own; the rest stays as it was. The caller holds the row
/// lock of the whole.
async fn split(
    tx: &Tx,
    scope: Scope,
    whole: &UnknownPayment,
    amount: Cents,
) -> Result<UnknownPayment> {
    let part = UnknownPayment { id: UnmatchedId::new(tx), amount, ..whole.clone() };
    store::split(tx, scope.mode, whole, &part).await?;
    Ok(part)
}

fn state(money: &UnknownPayment, message: &str) -> Error {
    Error::State { current: money.status.to_string(), message: message.to_owned() }
}
