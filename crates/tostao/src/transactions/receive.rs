//! Incoming payments: a bank's confirmation is matched to the charge it names.
//!
//! | charge | amount | result |
//! |---|---|---|
//! | payable | enough | paid; the excess is set aside |
//! | payable | too little | all of it is set aside; the charge is unchanged |
//! | already paid by this very receipt | any | a repetition: nothing |
//! | no longer payable | any | all of it is set aside |
//! | of a boleto whose bank reports totals | any | only what is not booked yet counts |
//! | unknown, or its merchant's account is closed | any | held for an administrator |
//! | any, but the receipt was reported under another charge | any | nothing |
//!
//! Money that is set aside is in `unmatched`, money that no charge can take in `unknown`: it is
//! never lost and never taken for a sale. A receipt is identified by its own id on its rail and is
//! booked once, whatever charges its bank names.

use db::tx::Tx;
use futures_util::future::try_join;
use ledger::cents::Cents;
use rails::boleto::PaidBy;

use crate::mail;
use crate::mail::content::Content;
use crate::platform::error::Result;
use crate::platform::ids::{Mode, Scope};
use crate::transactions::boletos::totals;
use crate::transactions::close::expire_if_overdue;
use crate::transactions::confirm::{AccountLocks, confirm};
use crate::transactions::incoming_payment::{IncomingPayment, Rail};
use crate::transactions::status::{Transition, Trigger};
use crate::transactions::store::LockedCharge;
use crate::transactions::terms::PaymentTerms;
use crate::transactions::unmatched::{Reason, set_aside};
use crate::transactions::{Transaction, store, unknown};

/// The result of a confirmation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Received {
    Paid,
    SetAside,
    /// Reported before.
    Already,
    /// No charge can take it; it is held for an administrator.
    Unknown,
}

/// The bank's identifier of a charge.
#[derive(Debug, Clone, Copy)]
pub enum ChargeReference<'a> {
    /// The txid of a PIX code.
    Txid(&'a str),
    /// What a bank names a boleto by.
    Boleto(&'a str),
    /// The same, where the amount is all that was ever paid to the boleto, and how it was paid.
    TotalOfBoleto(&'a str, PaidBy),
}

/// Applies one confirmation; safe to repeat.
pub async fn receive(
    tx: &Tx,
    terms: &PaymentTerms,
    (provider, mode): (&str, Mode),
    charge: ChargeReference<'_>,
    incoming: &IncomingPayment,
) -> Result<Received> {
    let name = match charge {
        ChargeReference::Txid(name)
        | ChargeReference::Boleto(name)
        | ChargeReference::TotalOfBoleto(name, _) => name,
    };
    let found = async {
        match charge {
            ChargeReference::Txid(_) => store::lock_by_txid(tx, provider, name).await,
            _ => store::lock_by_boleto(tx, provider, name).await,
        }
    };
    // In one trip to a database server. Noting the receipt of a payment that is known by itself,
    // such as a simulated one, only makes its repetitions known sooner.
    let (found, is_new) =
        try_join(found, store::receive_once(tx, provider, &incoming.payment_id)).await?;
    let is_known = found.as_ref().is_some_and(|named| is_known(&named.transaction, incoming));
    if is_known || !is_new {
        return Ok(Received::Already);
    }
    let of = found.as_ref().map(|named| (named.scope, &named.transaction));
    let Some(new) = totals::not_booked(tx, provider, of, (charge, incoming)).await? else {
        return Ok(Received::Already);
    };
    let (mode, closed) = match found {
        Some(LockedCharge { scope, transaction, is_closed: false, locks }) => {
            return settle(tx, scope, terms, transaction, &new, locks).await;
        }
        Some(LockedCharge { scope, .. }) => (scope.mode, Some(scope.merchant)),
        None => (mode, None),
    };
    // On the heap, or everything that confirms a payment would reserve space for it.
    let kept = Box::pin(unknown::keep(tx, mode, provider, name, &new, closed)).await?;
    Ok(if kept { Received::Unknown } else { Received::Already })
}

/// Stores that a provider reported an event; false if it did before. The caller's effect is in the
/// same unit.
pub async fn receive_once(tx: &Tx, provider: &str, event: &str) -> Result<bool> {
    store::receive_once(tx, provider, event).await
}

/// Whether a provider reported a payment, which is booked since, or an event.
pub async fn is_received(tx: &Tx, provider: &str, name: &str) -> Result<bool> {
    store::is_received(tx, provider, name).await
}

/// Decides what to do with a receipt that has not been reported before for its charge.
pub async fn settle(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    transaction: Transaction,
    incoming: &IncomingPayment,
    locks: AccountLocks,
) -> Result<Received> {
    let in_time = transaction.expires_at.is_some_and(|at| incoming.paid_at <= at);
    let transaction = if in_time {
        transaction
    } else {
        expire_if_overdue(tx, scope, terms, transaction).await?
    };
    let payable = matches!(transaction.status.after(Trigger::Pay), Transition::Becomes(_));
    let over = incoming.amount.minus(transaction.amount).filter(|over| *over >= Cents::ZERO);
    let reason = match over {
        _ if !payable => Reason::PaidTwice,
        None => Reason::TooLittle,
        Some(over) => {
            let paid = confirm(tx, scope, terms, &transaction, incoming, locks).await?;
            if !over.is_zero() {
                set_aside(tx, scope, terms, &paid, incoming, over, Reason::TooMuch).await?;
            }
            return Ok(Received::Paid);
        }
    };
    let transaction = expire_if_overdue(tx, scope, terms, transaction).await?;
    let new = set_aside(tx, scope, terms, &transaction, incoming, incoming.amount, reason).await?;
    if !new {
        return Ok(Received::Already);
    }
    if reason == Reason::PaidTwice {
        let content = Content::LateMoney { amount_cents: incoming.amount.get() };
        // On the heap, as it is rare.
        Box::pin(mail::write_to_owner(tx, scope, transaction.id.0, content)).await?;
    }
    Ok(Received::SetAside)
}

fn is_known(transaction: &Transaction, incoming: &IncomingPayment) -> bool {
    let paid_by = match incoming.rail {
        Rail::Pix => transaction.pix.as_ref().and_then(|pix| pix.end_to_end_id.as_ref()),
        Rail::Boleto => transaction.boleto.as_ref().and_then(|boleto| boleto.payment_id.as_ref()),
        Rail::Card | Rail::Free => None,
    };
    paid_by == Some(&incoming.payment_id)
}
