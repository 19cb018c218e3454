//! Chargebacks of cards, as their acquirer reports them; repeating a report is not an error.
//!
//! | The report | The payment | Result |
//! |---|---|---|
//! | contested | paid | a dispute is opened, also where an earlier one was won |
//! | contested | disputed, about another amount | a dispute about it replaces the open one |
//! | contested, of more than is left | paid, or disputed | what is left is held; a difference |
//! | won, or lost | disputed, about that amount | the dispute is won, or lost |
//! | lost | paid | a dispute is opened and lost |
//! | won | paid, and a part was lost | a difference, if that part may be what was won |
//! | as it was decided | paid, or charged back | nothing |
//! | any other one | any | a difference |
//!
//! Amounts are of all chargebacks of the charge, so those that have ended are subtracted.

use db::tx::Tx;
use ledger::cents::Cents;
use rails::connection::ChargebackState;

use crate::platform::error::{Result, overflow};
use crate::transactions::charge;
use crate::transactions::disputes::{
    Dispute, Status, lose, not_yet, open_about, replace, store, win,
};
use crate::transactions::refunds::refundable_amount;
use crate::transactions::status::Status as PaymentStatus;
use crate::transactions::terms::PaymentTerms;

/// Applies an acquirer's own report about a chargeback; false where it is a difference, or about no
/// payment of ours.
pub async fn receive(
    tx: &Tx,
    terms: &PaymentTerms,
    provider: &str,
    reference: &str,
    (amount, state): (Cents, ChargebackState),
) -> Result<bool> {
    let found = charge::find_charged(tx, provider, reference).await?;
    let Some((scope, before)) = found else { return Ok(false) };
    let id = before.id;
    let disputes = store::list(tx, scope, id).await?;
    let amount = undecided(&disputes, amount, state)?;
    let held = store::find_open(tx, scope, id).await?.map(|open| open.amount);
    let (left, is_held) = (refundable_amount(&before), held == Some(amount));
    let most = amount.min(left);
    let is_covered = Cents::ZERO < amount && amount <= left;
    match (state, before.status) {
        (_, PaymentStatus::Processing) => Err(not_yet("is not decided")),
        // The acquirer goes on reporting parts that were lost.
        (ChargebackState::Open | ChargebackState::Lost, PaymentStatus::Paid)
            if amount.is_zero() =>
        {
            Ok(true)
        }
        (ChargebackState::Open, PaymentStatus::Paid) if most > Cents::ZERO => {
            open_about(tx, scope, terms, id, Some(amount)).await?;
            Ok(is_covered)
        }
        (ChargebackState::Open, PaymentStatus::Disputed) if most > Cents::ZERO => {
            if held != Some(most) {
                replace(tx, scope, terms, &before, most).await?;
            }
            Ok(is_covered)
        }
        (ChargebackState::Lost, PaymentStatus::Paid) if is_covered => {
            open_about(tx, scope, terms, id, Some(amount)).await?;
            lose(tx, scope, terms, id).await.map(|_| true)
        }
        (ChargebackState::Won, PaymentStatus::Disputed) if is_held => {
            win(tx, scope, terms, id).await.map(|_| true)
        }
        (ChargebackState::Lost, PaymentStatus::Disputed) if is_held => {
            lose(tx, scope, terms, id).await.map(|_| true)
        }
        (ChargebackState::Open | ChargebackState::Lost, PaymentStatus::ChargedBack) => Ok(true),
        (ChargebackState::Won, PaymentStatus::Paid) => {
            let is_lost = disputes.iter().any(|it| it.status == Status::Lost);
            Ok(amount <= Cents::ZERO || !is_lost)
        }
        _ => Ok(false),
    }
}

/// What was refunded of a card's charge beside what was ordered here, given all that its acquirer
/// refunded; less than zero while an order is under way, and `None` if the charge is none of ours.
/// A part that was lost in a dispute is a refund here, and none there.
pub async fn refunded_elsewhere(
    tx: &Tx,
    provider: &str,
    reference: &str,
    all: Cents,
) -> Result<Option<Cents>> {
    let found = charge::find_charged(tx, provider, reference).await?;
    let Some((scope, charge)) = found else { return Ok(None) };
    let disputes = store::list(tx, scope, charge.id).await?;
    let mut lost = disputes.iter().filter(|it| it.is_part && it.status == Status::Lost);
    let ordered = charge.refunded.plus(charge.refunding).ok_or_else(overflow)?;
    let ordered = lost.try_fold(ordered, |ordered, lost| ordered.minus(lost.amount));
    let excess = ordered.and_then(|ordered| all.minus(ordered)).ok_or_else(overflow)?;
    Ok(Some(excess))
}

/// What a report is about besides the chargebacks that have ended.
fn undecided(disputes: &[Dispute], amount: Cents, state: ChargebackState) -> Result<Cents> {
    let is_ended = |it: &&Dispute| match state {
        ChargebackState::Open | ChargebackState::Lost => it.is_part && it.status == Status::Lost,
        ChargebackState::Won => it.status == Status::Won && !it.is_replaced,
    };
    let mut ended = disputes.iter().filter(is_ended);
    ended.try_fold(amount, |rest, ended| rest.minus(ended.amount)).ok_or_else(overflow)
}
