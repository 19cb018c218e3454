//! Reports of fraud about PIX payments: each holds its payment's money until it is decided.
//!
//! | The report | The payment | Result |
//! |---|---|---|
//! | is open | paid | a dispute is opened, which holds what is left |
//! | was accepted, was not seen open, and its return is not there yet | paid | the same |
//! | was accepted | disputed | nothing: the return that follows decides, and is asked for |
//! | was rejected | disputed by it, and by no other report | the dispute is won |
//! | is as it was, or older than what is stored | any | nothing |
//! | any | another status, or nothing is left of it | stored |
//!
//! What is returned is booked by `take_back`, in whichever order the two are seen. A return of a
//! part names no report: it is taken for the report of that amount, or else for the accepted one,
//! and the rest of the payment is held again for all others that were not rejected.

use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;
use rails::connection::{Infraction, InfractionState};

use crate::platform::error::Result;
use crate::platform::ids::{DisputeId, Scope, TransactionId};
use crate::transactions::Transaction;
use crate::transactions::disputes::{self, Status, store};
use crate::transactions::refunds::refundable_amount;
use crate::transactions::status::Status as PaymentStatus;
use crate::transactions::store as payments;
use crate::transactions::terms::PaymentTerms;

/// A report as it was last seen.
#[derive(Debug, Clone, Copy)]
pub struct KnownInfraction {
    pub state: InfractionState,
    pub changed_at: Timestamp,
    /// What holds the payment's money for it.
    pub dispute: Option<DisputeId>,
}

/// Whether a report says what is not stored yet, or waits for its return.
pub async fn is_open(tx: &Tx, provider: &str, report: &Infraction) -> Result<bool> {
    let Some(known) = store::find_infraction(tx, provider, &report.id).await? else {
        return Ok(true);
    };
    match known.dispute {
        _ if is_changed(&known, report) => Ok(true),
        Some(dispute) if known.state == InfractionState::Accepted => {
            store::is_open(tx, dispute).await
        }
        _ => Ok(false),
    }
}

/// Applies a report about the payment of a txid; false if that is no sale. The caller has booked
/// what the bank knows of the payment; `is_returned` says whether a return of it was there.
pub async fn receive(
    tx: &Tx,
    terms: &PaymentTerms,
    provider: &str,
    (txid, is_returned): (&str, bool),
    report: &Infraction,
) -> Result<bool> {
    let Some(charge) = payments::lock_by_txid(tx, provider, txid).await? else { return Ok(false) };
    let (scope, payment) = (charge.scope, charge.transaction);
    // A second payment of the same code is no part of the sale.
    let paid_by = payment.pix.as_ref().and_then(|pix| pix.end_to_end_id.as_deref());
    if paid_by != Some(&*report.end_to_end_id) {
        return Ok(false);
    }
    let known = store::find_infraction(tx, provider, &report.id).await?;
    if known.is_some_and(|known| !is_changed(&known, report)) {
        return Ok(true);
    }
    let is_held = match report.state {
        InfractionState::Open => true,
        InfractionState::Accepted => known.is_none() && !is_returned,
        InfractionState::Rejected => false,
    };
    let dispute = if is_held {
        hold(tx, scope, terms, &payment).await?
    } else {
        known.and_then(|known| known.dispute)
    };
    store::put_infraction(tx, provider, report, dispute).await?;
    if report.state == InfractionState::Rejected
        && let Some(dispute) = dispute
    {
        release(tx, scope, terms, &payment, dispute).await?;
    }
    Ok(true)
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
    let [returned, _, ..] = reports.as_slice() else { return Ok(()) };
    disputes::open(tx, scope, terms, of).await?;
    match open_dispute(tx, scope, of).await? {
        Some(dispute) => store::move_reports(tx, (ended, dispute), returned).await,
        None => Ok(()),
    }
}

/// The open dispute about a payment.
pub async fn open_dispute(tx: &Tx, scope: Scope, of: TransactionId) -> Result<Option<DisputeId>> {
    let last = store::list(tx, scope, of).await?.pop();
    Ok(last.filter(|last| last.status == Status::Open).map(|open| open.id))
}

fn is_changed(known: &KnownInfraction, report: &Infraction) -> bool {
    known.state != report.state && known.changed_at <= report.changed_at
}

/// The dispute that holds what is left of a payment; none where there is nothing to hold.
async fn hold(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    payment: &Transaction,
) -> Result<Option<DisputeId>> {
    match payment.status {
        PaymentStatus::Paid if !refundable_amount(payment).is_zero() => {
            disputes::open(tx, scope, terms, payment.id).await?;
        }
        PaymentStatus::Disputed => {}
        _ => return Ok(None),
    }
    open_dispute(tx, scope, payment.id).await
}

/// Decides the dispute for the merchant, if it is open and no other report holds it.
async fn release(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    payment: &Transaction,
    dispute: DisputeId,
) -> Result<()> {
    if payment.status != PaymentStatus::Disputed
        || open_dispute(tx, scope, payment.id).await? != Some(dispute)
        || store::is_reported(tx, dispute).await?
    {
        return Ok(());
    }
    disputes::win(tx, scope, terms, payment.id).await.map(drop)
}
