//! Unmatched receipts: money that arrived beside a payment: too little, too much, or a second time.
//!
//! ```text
//! OPEN ──accept──▶ ACCEPTED                       suspense → available
//!   │                 └──taken back──▶ RETURNED   available → refunding → outside
//!   ├──taken back──▶ RETURNED                     suspense → refunding → outside
//!   └───return──▶ RETURNING ──done──▶ RETURNED    suspense → refunding → outside
//!                     └─────refused──▶ OPEN       refunding → suspense
//! ```
//!
//! Its bank may take it back for fraud: it is then RETURNED, also after it was accepted, and the
//! merchant owes what they no longer have. Of a part that was taken back alone the same is true: it
//! becomes a receipt of its own, and the rest stays as it was.
//!
//! It is never lost and never taken for a sale: it stays on the suspense account until the merchant
//! decides. A decision ends `OPEN` by compare-and-set and has a movement of its own, so no money is
//! decided on twice. Every step is a new version of the payment, published as
//! `transaction.updated`.

use brazil::pix_key::PixKey;
use db::text_enum;
use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;

use crate::auth::elevation::NamedBy;
use crate::books;
use crate::books::movements::Movement;
use crate::events::names::Name;
use crate::platform::error::{Error, Result};
use crate::platform::http::page::{Listed, Page};
use crate::platform::ids::{ReturnId, Scope, TransactionId, UnmatchedId};
use crate::store::Sums;
use crate::transactions::close::expire_if_overdue;
use crate::transactions::disputes::infractions;
use crate::transactions::incoming_payment::{IncomingPayment, Rail};
use crate::transactions::payees::mail_named;
use crate::transactions::returns::{self, ReturnOutcome, ReturnRequest};
use crate::transactions::store as payments;
use crate::transactions::terms::PaymentTerms;
use crate::transactions::{Transaction, find, publish_change};

pub mod api;
mod store;

/// How the name begins by which it is remembered that an administrator's decision has booked what a
/// bank took back; the bank's name of that follows.
pub const FOUND_TAKEN: &str = "found taken back ";

/// Why money is not decided on that its bank has sent back.
pub const SENT_BACK: &str = "Its bank has sent money of it back to its payer.";
/// The same of money that is being returned.
pub const ON_ITS_WAY_BACK: &str = "The money is on its way back; wait until its bank has decided.";

text_enum! {
    /// Why a payment does not match its transaction.
    pub enum Reason as "UnmatchedReason" {
        /// The transaction was already paid, or can no longer be paid.
        PaidTwice = "PAID_TWICE",
        /// The excess over the amount of a paid transaction.
        TooMuch = "TOO_MUCH",
        /// Less than the amount of the transaction.
        TooLittle = "TOO_LITTLE",
    }
}

text_enum! {
    /// The status of an unmatched payment.
    pub enum Status as "UnmatchedPaymentStatus" {
        /// Awaiting a decision.
        Open = "OPEN",
        /// Accepted by the merchant.
        Accepted = "ACCEPTED",
        /// Being returned to the payer.
        Returning = "RETURNING",
        /// Returned to the payer.
        Returned = "RETURNED",
    }
}

/// An unmatched receipt.
#[derive(Debug, Clone)]
pub struct UnmatchedPayment {
    pub id: UnmatchedId,
    pub amount: Cents,
    pub reason: Reason,
    pub status: Status,
    /// Its identifier at its origin: in the PIX system, or at the bank of a boleto.
    pub payment_id: String,
    /// The rail it came by.
    pub rail: Rail,
    pub received_at: Timestamp,
    pub decided_at: Option<Timestamp>,
    pub returned_at: Option<Timestamp>,
    /// The return that is pending or done.
    pub sent_by: Option<ReturnId>,
    /// Why it was not returned; a stable code.
    pub failure_reason: Option<String>,
}

/// Books money that the payment it names does not account for; false if it was set aside before.
pub async fn set_aside(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    transaction: &Transaction,
    incoming: &IncomingPayment,
    amount: Cents,
    reason: Reason,
) -> Result<bool> {
    let unmatched = UnmatchedPayment {
        id: UnmatchedId::new(tx),
        amount,
        reason,
        status: Status::Open,
        payment_id: incoming.payment_id.clone(),
        rail: incoming.rail,
        received_at: scope.now(tx),
        decided_at: None,
        returned_at: None,
        sent_by: None,
        failure_reason: None,
    };
    if !store::insert(tx, scope, transaction, &unmatched).await? {
        return Ok(false);
    }
    let changed = change(tx, scope, transaction, transaction.unmatched.plus(amount)).await?;
    let of = unmatched.id;
    books::record(tx, Movement::payment_unmatched(of, scope, amount)).await?;
    publish_change(tx, scope, terms, Name::TransactionUpdated, &changed).await?;
    Ok(true)
}

/// Lists what is set aside beside a payment, or on its way back to its payer, oldest first.
pub async fn open(tx: &Tx, scope: Scope, of: TransactionId) -> Result<Vec<UnmatchedPayment>> {
    let all = all(tx, scope, of).await?;
    let waits = |money: &UnmatchedPayment| matches!(money.status, Status::Open | Status::Returning);
    Ok(all.into_iter().filter(waits).collect())
}

/// Lists what awaits a decision in a scope, with the transaction it names, newest first.
pub async fn waiting(
    tx: &Tx,
    scope: Scope,
    page: Page,
) -> Result<Listed<(TransactionId, UnmatchedPayment)>> {
    let rows = store::waiting(tx, scope, page).await?;
    let total = store::count_waiting(tx, scope).await?;
    Ok(page.listed(rows, total, |(_, money)| money.id.0))
}

/// Lists everything ever set aside beside a payment, oldest first.
pub async fn all(tx: &Tx, scope: Scope, of: TransactionId) -> Result<Vec<UnmatchedPayment>> {
    store::list(tx, scope, of).await
}

/// What was set aside last beside a payment.
pub async fn newest_of(
    tx: &Tx,
    scope: Scope,
    of: TransactionId,
    most: i64,
) -> Result<Vec<UnmatchedId>> {
    store::newest_of(tx, scope, of, most).await
}

/// Finds money that was set aside beside a payment.
pub async fn find_beside(
    tx: &Tx,
    scope: Scope,
    of: TransactionId,
    id: UnmatchedId,
) -> Result<UnmatchedPayment> {
    let found = store::find(tx, scope, of, id).await?;
    found.ok_or(Error::NotFound("Unmatched payment"))
}

/// Whether a return of it has to name a PIX key, because its rail sends nothing back to its payer.
pub fn needs_key(now: Timestamp, of: &Transaction, money: &UnmatchedPayment) -> bool {
    !returns::supports_return(now, &request_of(of, money))
}

/// Credits the merchant with money that was set aside; repeating it is not an error.
pub async fn accept(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    of: TransactionId,
    id: UnmatchedId,
) -> Result<(Transaction, UnmatchedPayment)> {
    // So that what its bank reports about it meanwhile is seen, or waits.
    payments::lock(tx, scope, of).await?;
    let (transaction, before) = find_current(tx, scope, terms, of, id).await?;
    match before.status {
        Status::Open => {}
        Status::Accepted => return Ok((transaction, before)),
        current => return Err(Error::conflict(current.name(), Status::Accepted.name())),
    }
    expect_not_reported(tx, scope, &transaction, &before).await?;
    let decided_at = Some(scope.now(tx));
    let accepted =
        UnmatchedPayment { status: Status::Accepted, decided_at, failure_reason: None, ..before };
    decide(tx, scope, of, Status::Open, &accepted).await?;
    let amount = accepted.amount;
    let changed = change(tx, scope, &transaction, transaction.unmatched.minus(amount)).await?;
    // A paid payment has already been charged its fee.
    let fee = match transaction.paid {
        Some(_) => Cents::ZERO,
        None => terms.fees.of(transaction.method).on(amount)?,
    };
    books::record(tx, Movement::suspense_released(id, scope, amount, fee)).await?;
    publish_change(tx, scope, terms, Name::TransactionUpdated, &changed).await?;
    books::emit_balance_updated(tx, scope, Name::TransactionUpdated.text()).await?;
    Ok((changed, accepted))
}

/// Sums of unmatched receipts for the reconciliation: those that await a decision, and all of them.
pub async fn sums(tx: &Tx, of: Option<Scope>) -> Result<Sums<2>> {
    store::sums(tx, of).await
}

/// Returns money that was set aside to its payer, or to a key that somebody names; repeating it is
/// not an error.
pub async fn return_to_payer(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    (of, id): (TransactionId, UnmatchedId),
    named: Option<(&PixKey, NamedBy)>,
    payouts: impl FnOnce() -> Result<String>,
) -> Result<(Transaction, UnmatchedPayment)> {
    // As when it is accepted.
    payments::lock(tx, scope, of).await?;
    let (transaction, before) = find_current(tx, scope, terms, of, id).await?;
    match before.status {
        Status::Open => {}
        Status::Returning | Status::Returned => return Ok((transaction, before)),
        Status::Accepted => {
            return Err(Error::conflict(before.status.name(), Status::Returning.name()));
        }
    }
    let amount = before.amount;
    if amount.is_zero() {
        let message = "It is of nothing, so there is nothing to send back.".to_owned();
        return Err(Error::State { current: before.status.name().to_owned(), message });
    }
    expect_not_reported(tx, scope, &transaction, &before).await?;
    let changed = change(tx, scope, &transaction, transaction.unmatched.minus(amount)).await?;
    let request = request_of(&transaction, &before);
    let key = named.map(|(key, _)| key);
    let sent_by = Some(returns::begin(tx, scope, request, key, payouts).await?);
    if let Some(named) = named.filter(|_| !returns::supports_return(scope.now(tx), &request)) {
        mail_named(tx, scope, of, named, amount).await?;
    }
    let returning = UnmatchedPayment {
        status: Status::Returning,
        decided_at: Some(scope.now(tx)),
        sent_by,
        failure_reason: None,
        ..before
    };
    decide(tx, scope, of, Status::Open, &returning).await?;
    publish_change(tx, scope, terms, Name::TransactionUpdated, &changed).await?;
    Ok((changed, returning))
}

fn request_of<'a>(of: &'a Transaction, money: &'a UnmatchedPayment) -> ReturnRequest<'a> {
    ReturnRequest {
        of: money.id,
        transaction: Some(of.id),
        provider: &of.provider,
        payment_id: &money.payment_id,
        rail: money.rail,
        amount: money.amount,
        arrived_at: money.received_at,
    }
}

/// Books that its bank took money back for fraud that was set aside or accepted: all of it, or a
/// part, whose rest stays as it was. False, and nothing, where there is no such money, or less of
/// it, or it was returned. An error while it is being returned.
pub async fn take_back(
    tx: &Tx,
    terms: &PaymentTerms,
    provider: &str,
    (end_to_end_id, return_id): (&str, &str),
    amount: Cents,
) -> Result<bool> {
    let found = store::find_named(tx, provider, end_to_end_id).await?;
    let Some((scope, of, id)) = found else { return Ok(false) };
    payments::lock(tx, scope, of).await?;
    let (transaction, before) = find_current(tx, scope, terms, of, id).await?;
    let is_accepted = match before.status {
        _ if amount > before.amount || amount.is_zero() => return Ok(false),
        Status::Open => false,
        Status::Accepted => true,
        // A return that is under way may yet fail, and leave the money here.
        Status::Returning => {
            let message = "what was taken back of money set aside waits: it is being returned";
            return Err(Error::Unavailable(message.into()));
        }
        Status::Returned => return Ok(false),
    };
    let aside = if is_accepted { Cents::ZERO } else { amount };
    let changed = change(tx, scope, &transaction, transaction.unmatched.minus(aside)).await?;
    let is_whole = amount == before.amount;
    let taken =
        if is_whole { before } else { split(tx, scope, &transaction, &before, amount).await? };
    let request = request_of(&transaction, &taken);
    let sent_by = returns::begin_taken(tx, scope, request, is_accepted).await?;
    let was = taken.status;
    let returning = UnmatchedPayment {
        status: Status::Returning,
        decided_at: Some(scope.now(tx)),
        sent_by: Some(sent_by),
        failure_reason: None,
        ..taken
    };
    decide(tx, scope, of, was, &returning).await?;
    publish_change(tx, scope, terms, Name::TransactionUpdated, &changed).await?;
    returns::complete_taken(tx, terms, sent_by, return_id).await?;
    if is_accepted {
        books::emit_balance_updated(tx, scope, Name::TransactionUpdated.text()).await?;
    }
    Ok(true)
}

/// Makes a part of money an open receipt of its own; the rest stays as it was.
async fn split(
    tx: &Tx,
    scope: Scope,
    of: &Transaction,
    whole: &UnmatchedPayment,
    amount: Cents,
) -> Result<UnmatchedPayment> {
    let part = UnmatchedPayment {
        id: UnmatchedId::new(tx),
        amount,
        status: Status::Open,
        decided_at: None,
        failure_reason: None,
        ..whole.clone()
    };
    if store::split(tx, scope, of, whole, &part).await? {
        return Ok(part);
    }
    Err(tx.collision("the money was decided on by another unit").into())
}

/// Finds what was set aside of a PIX beside a payment, whatever became of it.
pub async fn find_by_pix(
    tx: &Tx,
    provider: &str,
    end_to_end_id: &str,
) -> Result<Option<UnmatchedPayment>> {
    match store::find_named(tx, provider, end_to_end_id).await? {
        Some((scope, of, id)) => store::find(tx, scope, of, id).await,
        None => Ok(None),
    }
}

/// Finds and locks the payment beside which money of a PIX was set aside, so that nothing is
/// decided about it until the unit ends.
pub async fn lock_by_pix(
    tx: &Tx,
    provider: &str,
    end_to_end_id: &str,
) -> Result<Option<(Scope, TransactionId)>> {
    let found = store::find_named(tx, provider, end_to_end_id).await?;
    let Some((scope, of, _)) = found else { return Ok(None) };
    payments::lock(tx, scope, of).await?;
    Ok(Some((scope, of)))
}

/// Whether a bank sent money of a PIX back, or says so, and that is not booked.
pub async fn is_sent_back(tx: &Tx, provider: &str, end_to_end_id: &str) -> Result<bool> {
    store::is_sent_back(tx, provider, end_to_end_id).await
}

/// Applies a return's result; money that was refused awaits a decision again.
pub async fn apply_return_outcome(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    of: TransactionId,
    id: UnmatchedId,
    outcome: &ReturnOutcome,
) -> Result<()> {
    let (transaction, before) = find_current(tx, scope, terms, of, id).await?;
    let (after, unmatched) = match outcome {
        ReturnOutcome::Completed => {
            let returned_at = Some(scope.now(tx));
            let after = UnmatchedPayment { status: Status::Returned, returned_at, ..before };
            (after, Some(transaction.unmatched))
        }
        ReturnOutcome::Failed { reason } => {
            let unmatched = transaction.unmatched.plus(before.amount);
            let (decided_at, failure_reason) = (None, Some(reason.clone()));
            let after = UnmatchedPayment {
                status: Status::Open,
                decided_at,
                sent_by: None,
                failure_reason,
                ..before
            };
            (after, unmatched)
        }
    };
    let changed = change(tx, scope, &transaction, unmatched).await?;
    decide(tx, scope, of, Status::Returning, &after).await?;
    publish_change(tx, scope, terms, Name::TransactionUpdated, &changed).await
}

/// The payment and the unmatched receipt, as they are now.
async fn find_current(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    of: TransactionId,
    id: UnmatchedId,
) -> Result<(Transaction, UnmatchedPayment)> {
    let transaction = find(tx, scope, of).await?;
    let transaction = expire_if_overdue(tx, scope, terms, transaction).await?;
    Ok((transaction, find_beside(tx, scope, of, id).await?))
}

/// Refuses to decide about money that is reported as fraud, which its bank may take back, or that
/// the bank has sent back.
async fn expect_not_reported(
    tx: &Tx,
    scope: Scope,
    of: &Transaction,
    money: &UnmatchedPayment,
) -> Result<()> {
    let (provider, payment_id) = (&*of.provider, &*money.payment_id);
    let is_reported = if of.paid_by() == Some(payment_id) {
        infractions::holds(tx, scope, of.id).await?
            || infractions::is_reported(tx, provider, payment_id).await?
    } else {
        store::is_reported(tx, provider, payment_id).await?
    };
    let message = if is_reported {
        "Its bank has a report that it was fraud, and may take it back."
    } else if store::is_sent_back(tx, provider, payment_id).await? {
        SENT_BACK
    } else {
        return Ok(());
    };
    let message = message.to_owned();
    Err(Error::State { current: money.status.name().to_owned(), message })
}

/// Stores a decision, if the receipt has not been decided on meanwhile.
async fn decide(
    tx: &Tx,
    scope: Scope,
    of: TransactionId,
    before: Status,
    decided: &UnmatchedPayment,
) -> Result<()> {
    if store::decide(tx, scope, of, before, decided).await? {
        return Ok(());
    }
    Err(tx.collision("the money was decided on by another unit").into())
}

/// Stores how much is set aside beside a payment; units lock the payment before the accounts.
async fn change(
    tx: &Tx,
    scope: Scope,
    before: &Transaction,
    unmatched: Option<Cents>,
) -> Result<Transaction> {
    let overflow = || Error::Internal(anyhow::anyhow!("what is set aside overflows"));
    let changed = Transaction {
        version: before.version + 1,
        unmatched: unmatched.ok_or_else(overflow)?,
        updated_at: scope.now(tx),
        ..before.clone()
    };
    if !payments::change_unmatched(tx, scope, before, &changed).await? {
        return Err(tx.collision("the payment changed while money was set aside").into());
    }
    Ok(changed)
}
