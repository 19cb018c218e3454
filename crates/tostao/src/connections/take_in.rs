//! Books what a connection has answered; safe to repeat.

use std::sync::Arc;

use db::tx::Tx;
use rails::connection::{Event, Page};
use rails::refund::RefundState;

use crate::app::App;
use crate::connections::differences::{self, Kind, NewDifference};
use crate::platform::error::Result;
use crate::platform::ids::Mode;
use crate::platform::telemetry::{self, refund_ended};
use crate::providers::connections::registry::LiveConnection;
use crate::providers::orders::ProviderStatus;
use crate::transactions::callback_api::receive_payment;
use crate::transactions::incoming_payment::IncomingPayment;
use crate::transactions::receive::{ChargeReference, Received};
use crate::transactions::terms::PaymentTerms;
use crate::transactions::{disputes, refunds, returns};
use crate::withdrawals;

/// Books one event of a page.
pub async fn take_in(app: &App, live: &LiveConnection, page: &Page, event: &Event) -> Result<()> {
    match event {
        Event::PixReceived(received) => {
            let (incoming, txid) = (IncomingPayment::from(received), received.txid.clone());
            pay(app, live, incoming, txid, |txid| ChargeReference::Txid(txid)).await
        }
        Event::BoletoPaid(paid) => {
            let (incoming, number) = (IncomingPayment::from(paid), paid.our_number.clone());
            pay(app, live, incoming, number, |number| ChargeReference::Boleto(number)).await
        }
        Event::PixRefund { reference, end_to_end_id, state } => {
            refund(app, live, reference, end_to_end_id, state).await
        }
        Event::PixTakenBack { end_to_end_id, return_id, amount, at } => {
            let difference = NewDifference::new(live.id, Kind::TakenBack, return_id.clone())
                .of(*amount)
                .with("endToEndId", end_to_end_id.as_str())
                .with("at", at.to_string());
            take_back(app, live, txid_of(page, end_to_end_id), difference).await
        }
        Event::Payout(report) => {
            let provider: Arc<str> = live.name.as_str().into();
            if withdrawals::callback_api::apply(app, &provider, report).await? {
                return Ok(());
            }
            let difference =
                NewDifference::new(live.id, Kind::UnknownPayout, report.reference.clone());
            differences::note(app, difference.with("state", format!("{:?}", report.state))).await
        }
        Event::PayoutReturned { reference, return_id, amount, at } => {
            let difference = NewDifference::new(live.id, Kind::PayoutReturned, return_id.clone())
                .of(*amount)
                .with("reference", reference.as_str())
                .with("at", at.to_string());
            differences::note(app, difference).await
        }
    }
}

async fn pay(
    app: &App,
    live: &LiveConnection,
    incoming: IncomingPayment,
    name: String,
    charge: fn(&str) -> ChargeReference<'_>,
) -> Result<()> {
    let provider: Arc<str> = live.name.as_str().into();
    let received =
        receive_payment(app, &provider, Mode::Production, incoming, name, charge).await?;
    let is_known = received == Received::Already;
    telemetry::reconciled(&live.name, if is_known { "known" } else { "new" });
    Ok(())
}

/// Applies a refund's state to the refund or the return of money that it is of.
async fn refund(
    app: &App,
    live: &LiveConnection,
    reference: &str,
    end_to_end_id: &str,
    state: &RefundState,
) -> Result<()> {
    let (terms, status) = (PaymentTerms::of(app), ProviderStatus::from(state.clone()));
    let (provider, of) = (live.name.clone(), reference.to_owned());
    let unit = async move |tx: &Tx| {
        let refund = refunds::settle::receive_pix(tx, &terms, &provider, &of, &status).await?;
        match refund {
            None => returns::receive_pix(tx, &terms, &provider, &of, &status).await,
            refund => Ok(refund),
        }
    };
    if let Some(reconciled) = app.transact(unit).await? {
        reconciled.count(refund_ended);
        return Ok(());
    }
    let difference = NewDifference::new(live.id, Kind::UnknownRefund, reference.to_owned())
        .with("endToEndId", end_to_end_id)
        .with("state", format!("{state:?}"));
    differences::note(app, difference).await
}

/// The money of a payment was taken back: its dispute is lost where all that is left of it was
/// taken; otherwise an administrator decides, while the rest is held.
async fn take_back(
    app: &App,
    live: &LiveConnection,
    txid: Option<String>,
    difference: NewDifference,
) -> Result<()> {
    let (terms, provider, amount) = (PaymentTerms::of(app), live.name.clone(), difference.amount);
    let unit = async move |tx: &Tx| match (&txid, amount) {
        (Some(txid), Some(amount)) => {
            disputes::take_back(tx, &terms, &provider, txid, amount).await
        }
        _ => Ok(false),
    };
    if app.transact(unit).await? { Ok(()) } else { differences::note(app, difference).await }
}

/// The txid of a payment that the same page reports.
fn txid_of(page: &Page, of: &str) -> Option<String> {
    page.events.iter().find_map(|event| match event {
        Event::PixReceived(received) if received.end_to_end_id == of => Some(received.txid.clone()),
        _ => None,
    })
}
