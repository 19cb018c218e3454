//! Reports of fraud about PIX payments: each holds its payment's money until it is decided.
//!
//! | The report | The payment | Result |
//! |---|---|---|
//! | is open | paid | a dispute is opened, which holds what is left |
//! | was accepted, and its return is not booked yet | paid | the same |
//! | either of them | paid, and all that is left is being refunded | it waits |
//! | was accepted | disputed | nothing: the return that follows decides, and is asked for |
//! | was rejected | disputed by it, and by no other report | the dispute is won |
//! | is as it was, or older than what is stored | any | nothing: what a dispute came to stands |
//! | any | another status | stored |
//!
//! A refund that fails leaves its money with the merchant. In the same unit it is held for the
//! reports that wait; a dispute that is open for a report holds it from then on, too.
//!
//! What is returned is booked by `take_back`, in whichever order the two are seen. A return names
//! no report: it is taken for the report of that amount, or else for the accepted one, and for no
//! other one. What is left after a part is held again for all others that were not rejected. Money
//! beside the payment can be decided on once each accepted report has all of its amount back.

use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;
use rails::connection::{Infraction, InfractionState};

use crate::platform::error::Result;
use crate::platform::ids::{DisputeId, Scope, TransactionId};
use crate::transactions::disputes::{self, store};
use crate::transactions::receive::{is_received, receive_once};
use crate::transactions::refunds::{WINDOW, refundable_amount};
use crate::transactions::status::Status as PaymentStatus;
use crate::transactions::terms::PaymentTerms;
use crate::transactions::{Transaction, find};

/// What holds a payment's money for a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hold {
    By(DisputeId),
    /// Nothing yet: all that is left of the payment is being refunded.
    Waiting,
    /// Nothing, and nothing will.
    Nothing,
}

/// A report as it was last seen.
#[derive(Debug, Clone, Copy)]
pub struct KnownInfraction {
    pub state: InfractionState,
    pub changed_at: Timestamp,
    pub hold: Hold,
}

/// A return of a PIX's money since a report about it was opened, which is booked or a difference.
#[derive(Debug, Clone)]
pub struct SeenReturn {
    pub id: String,
    pub amount: Cents,
}

/// What was returned for a report.
struct Answer {
    /// Anything, so that nothing else is awaited.
    is_any: bool,
    /// All that it is about.
    is_all: bool,
}

/// Whether a report says what is not stored yet, waits for money, or waits for its return.
pub async fn is_open(tx: &Tx, provider: &str, report: &Infraction) -> Result<bool> {
    let Some(known) = store::find_infraction(tx, provider, &report.id).await? else {
        return Ok(true);
    };
    match known.hold {
        _ if is_changed(&known, report) => Ok(true),
        Hold::Waiting => Ok(true),
        Hold::By(_) => Ok(known.state == InfractionState::Accepted),
        Hold::Nothing => Ok(false),
    }
}

/// Applies a report about the payment of a txid; false if that is no sale. The caller has booked
/// what the bank knows of the payment, such as these returns.
pub async fn receive(
    tx: &Tx,
    terms: &PaymentTerms,
    provider: &str,
    (txid, returns): (&str, &[SeenReturn]),
    report: &Infraction,
) -> Result<bool> {
    let charge = disputes::lock_paid(tx, provider, (txid, &report.end_to_end_id)).await?;
    let Some(charge) = charge else { return Ok(false) };
    let (scope, payment) = (charge.scope, charge.transaction);
    // A second payment of the same code is no part of the sale.
    if payment.paid_by() != Some(&*report.end_to_end_id) {
        return Ok(false);
    }
    let known = store::find_infraction(tx, provider, &report.id).await?;
    let waits = known.is_some_and(|known| known.hold == Hold::Waiting);
    let is_repeated = |known: KnownInfraction| !waits || known.state != report.state;
    let answer = answer(tx, provider, report, returns).await?;
    // Then no return of an accepted one is awaited any more.
    let is_over = answer.is_any || !is_any_left(&payment);
    if let Some(known) = known.filter(|known| !is_changed(known, report) && is_repeated(*known)) {
        let hold = awaited(tx, known.hold, is_over).await?;
        if hold != known.hold && known.state == report.state {
            store::put_infraction(tx, provider, report, (hold, answer.is_all)).await?;
        }
        return Ok(true);
    }
    let is_held = match report.state {
        InfractionState::Open => true,
        InfractionState::Accepted => !answer.is_any,
        InfractionState::Rejected => false,
    };
    let before = known.map_or(Hold::Nothing, |known| known.hold);
    let hold = match before {
        _ if is_held => hold(tx, scope, terms, &payment).await?,
        Hold::Waiting => Hold::Nothing,
        before => awaited(tx, before, is_over).await?,
    };
    store::put_infraction(tx, provider, report, (hold, answer.is_all)).await?;
    if report.state == InfractionState::Rejected
        && let Hold::By(dispute) = hold
    {
        release(tx, scope, terms, &payment, dispute).await?;
    }
    Ok(true)
}

/// Takes a return that is booked for the report that it is most likely of, if there is one.
pub async fn note_return(
    tx: &Tx,
    provider: &str,
    end_to_end_id: &str,
    (return_id, amount): (&str, Cents),
) -> Result<()> {
    let Some(report) = store::note_return(tx, provider, end_to_end_id, amount).await? else {
        return Ok(());
    };
    take_for(tx, provider, (end_to_end_id, return_id), &report).await.map(drop)
}

/// What was returned for a report. An accepted one that has nothing yet takes a return for itself
/// that no other report has: one of its amount first.
async fn answer(
    tx: &Tx,
    provider: &str,
    report: &Infraction,
    returns: &[SeenReturn],
) -> Result<Answer> {
    let (of, mut returned) = (&*report.end_to_end_id, Vec::new());
    for seen in returns {
        if is_received(tx, provider, &answer_to((of, &seen.id), &report.id)).await? {
            returned.push(seen.amount);
        }
    }
    if returned.is_empty() && report.state == InfractionState::Accepted {
        let (same, other): (Vec<_>, Vec<_>) =
            returns.iter().partition(|seen| seen.amount == report.amount);
        for seen in same.into_iter().chain(other) {
            if take_for(tx, provider, (of, &seen.id), &report.id).await? {
                returned.push(seen.amount);
                break;
            }
        }
    }
    let all = returned.iter().try_fold(Cents::ZERO, |all, amount| all.plus(*amount));
    let is_all = all.is_none_or(|all| report.amount <= all);
    Ok(Answer { is_any: !returned.is_empty(), is_all: is_all && !returned.is_empty() })
}

/// Takes a return for a report; false if it was taken for one before.
async fn take_for(tx: &Tx, provider: &str, returned: (&str, &str), report: &str) -> Result<bool> {
    if !receive_once(tx, provider, &answer_to(returned, "a report")).await? {
        return Ok(false);
    }
    receive_once(tx, provider, &answer_to(returned, report)).await
}

/// By which it is remembered that a return was taken for a report.
fn answer_to((end_to_end_id, return_id): (&str, &str), report: &str) -> String {
    format!("return {return_id} of {end_to_end_id} answers {report}")
}

/// Holds what is left of a payment again for the reports that a dispute held it for, but for the
/// one whose amount was returned.
pub async fn hold_for_others(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    of: TransactionId,
    (ended, returned): (DisputeId, Cents),
) -> Result<()> {
    let reports = store::reports_of(tx, ended, returned).await?;
    let [decided, _, ..] = reports.as_slice() else { return Ok(()) };
    let payment = find(tx, scope, of).await?;
    let to = match hold(tx, scope, terms, &payment).await? {
        Hold::By(dispute) => Some(dispute),
        Hold::Waiting => None,
        Hold::Nothing => return Ok(()),
    };
    store::move_reports(tx, (ended, to), Some(decided.as_str())).await
}

/// Holds what a failed refund leaves with the merchant, if a report about the payment waits for it
/// or a dispute is open for one.
pub async fn hold_left(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    payment: &Transaction,
) -> Result<()> {
    let provider = &payment.provider;
    let Some(end_to_end_id) = payment.paid_by() else { return Ok(()) };
    if payment.status == PaymentStatus::Paid
        && store::is_waiting(tx, provider, end_to_end_id).await?
        && let Hold::By(dispute) = hold(tx, scope, terms, payment).await?
    {
        return store::hold_waiting(tx, provider, end_to_end_id, dispute).await;
    }
    let Some(open) = store::find_open(tx, scope, payment.id).await? else { return Ok(()) };
    if !store::is_reported(tx, open.id).await? {
        return Ok(());
    }
    let left = refundable_amount(payment);
    let dispute = disputes::replace(tx, scope, terms, payment, left).await?;
    store::move_reports(tx, (open.id, Some(dispute)), None).await
}

/// Whether the payment's money is held for a report.
pub async fn holds(tx: &Tx, scope: Scope, of: TransactionId) -> Result<bool> {
    let Some(open) = store::find_open(tx, scope, of).await? else { return Ok(false) };
    store::is_reported(tx, open.id).await
}

/// Whether a report about a PIX is open, or was accepted and its money is not back yet, whatever
/// holds money for it. One is over when its PIX can go back no more.
pub async fn is_reported(tx: &Tx, provider: &str, end_to_end_id: &str) -> Result<bool> {
    store::is_pending(tx, provider, end_to_end_id, tx.now().minus(WINDOW)).await
}

fn is_changed(known: &KnownInfraction, report: &Infraction) -> bool {
    known.state != report.state && known.changed_at <= report.changed_at
}

/// What holds a payment's money still; nothing once the dispute has ended and nothing is awaited.
async fn awaited(tx: &Tx, before: Hold, is_over: bool) -> Result<Hold> {
    Ok(match before {
        Hold::By(dispute) if is_over && !store::is_open(tx, dispute).await? => Hold::Nothing,
        before => before,
    })
}

/// Whether anything is left of a payment that could be held or taken back.
fn is_any_left(payment: &Transaction) -> bool {
    let is_merchants = matches!(payment.status, PaymentStatus::Paid | PaymentStatus::Disputed);
    is_merchants && !(refundable_amount(payment).is_zero() && payment.refunding.is_zero())
}

/// Holds what is left of a payment, unless it is held.
async fn hold(tx: &Tx, scope: Scope, terms: &PaymentTerms, payment: &Transaction) -> Result<Hold> {
    match payment.status {
        PaymentStatus::Paid if !refundable_amount(payment).is_zero() => {
            disputes::open(tx, scope, terms, payment.id).await?;
        }
        PaymentStatus::Paid if !payment.refunding.is_zero() => return Ok(Hold::Waiting),
        PaymentStatus::Disputed => {}
        _ => return Ok(Hold::Nothing),
    }
    let open = store::find_open(tx, scope, payment.id).await?;
    Ok(open.map_or(Hold::Nothing, |open| Hold::By(open.id)))
}

/// Decides the dispute for the merchant, if it is open and no other report holds it.
async fn release(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    payment: &Transaction,
    dispute: DisputeId,
) -> Result<()> {
    let open = store::find_open(tx, scope, payment.id).await?;
    if open.is_none_or(|open| open.id != dispute) || store::is_reported(tx, dispute).await? {
        return Ok(());
    }
    disputes::win(tx, scope, terms, payment.id).await.map(drop)
}

impl Hold {
    /// The dispute that holds the money.
    pub const fn dispute(self) -> Option<DisputeId> {
        match self {
            Self::By(dispute) => Some(dispute),
            Self::Waiting | Self::Nothing => None,
        }
    }
}
