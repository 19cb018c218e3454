//! Books what a connection has answered; safe to repeat.

use std::fmt;
use std::sync::Arc;

use db::tx::Tx;
use ledger::cents::Cents;
use rails::card::ChargeResult;
use rails::connection::{ChargebackState, Event, Page};
use rails::payout::PayoutReport;
use rails::refund::RefundState;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::connections::differences::{self, Kind, NewDifference};
use crate::connections::{infractions, other_issuer, payables, store};
use crate::platform::error::Result;
use crate::platform::telemetry::{self, refund_ended};
use crate::providers::connections::registry::LiveConnection;
use crate::providers::orders::{ProviderStatus, Reconciled};
use crate::transactions::boletos::charge_reference;
use crate::transactions::callback_api::receive_payment;
use crate::transactions::disputes::{chargebacks, taken_back};
use crate::transactions::incoming_payment::IncomingPayment;
use crate::transactions::receive::{ChargeReference, Received, receive_once};
use crate::transactions::terms::PaymentTerms;
use crate::transactions::{charge, refunds, returns};
use crate::withdrawals;
use crate::withdrawals::returns::ReturnReport;

/// What became of an event.
pub enum Taken {
    /// It is booked, or kept as a difference.
    Booked,
    /// A payout that its bank names by a code of its own, which is not stored yet while the answer
    /// to the order is on its way; later it is a difference.
    NotYetKnown(NewDifference),
}

/// Books money of a payout that came back: of a withdrawal it is the merchant's again; of a refund
/// an administrator decides, because its buyer still waits for it.
async fn payout_returned(app: &App, live: &LiveConnection, report: ReturnReport) -> Result<()> {
    let provider = live.name.clone();
    let difference = NewDifference::new(live.id, Kind::PayoutReturned, report.return_id.clone())
        .of(report.amount)
        .about_order(Some(&report.reference))
        .with("reference", report.reference.as_str())
        .with("at", report.at.to_string());
    let unit = async move |tx: &Tx| {
        if withdrawals::returns::receive(tx, &provider, &report).await? {
            return Ok(());
        }
        differences::insert(tx, &difference).await
    };
    app.transact(unit).await
}

/// By which way a connection's answer came about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The question that a notice is.
    #[default]
    Notice,
    /// A question that a list raises.
    Question,
    /// A list, which is read whether notices arrive or not.
    List,
}

impl Source {
    const fn name(self) -> &'static str {
        match self {
            Self::Notice => "notice",
            Self::Question | Self::List => "list",
        }
    }
}

/// Books one event of a page.
pub async fn take_in(
    app: &App,
    live: &LiveConnection,
    source: Source,
    page: &Page,
    event: &Event,
) -> Result<Taken> {
    let booked = match event {
        Event::PixReceived(_) | Event::PixRefund { .. } | Event::PixTakenBack { .. } => {
            take_in_pix(app, live, source, page, event).await
        }
        Event::PixReported(report) => match source {
            Source::List => infractions::ask_about(app, live, report).await,
            Source::Question | Source::Notice => {
                infractions::take_in(app, live, page, report).await
            }
        },
        Event::BoletoPaid(paid) => {
            let (incoming, code) = (IncomingPayment::from(paid), paid.bank_code.clone());
            let (charge, kind) = (charge_reference(paid.covers), ("boleto", source));
            pay(app, live, kind, incoming, (code, charge)).await
        }
        Event::PayoutReturned { reference, return_id, amount, at } => {
            let (reference, return_id) = (reference.clone(), return_id.clone());
            payout_returned(
                app,
                live,
                ReturnReport { reference, return_id, amount: *amount, at: *at },
            )
            .await
        }
        Event::CardCharge { .. } | Event::CardRefund { .. } | Event::Chargeback { .. } => {
            take_in_card(app, live, event).await
        }
        Event::Payout(report) => return payout(app, live, report).await,
        Event::Settlement(part) => payables::compare(app, live, part).await,
    };
    booked.map(|()| Taken::Booked)
}

/// Books an event about a PIX that was received; nothing for any other one.
pub async fn take_in_pix(
    app: &App,
    live: &LiveConnection,
    source: Source,
    page: &Page,
    event: &Event,
) -> Result<()> {
    match event {
        Event::PixReceived(received) => {
            let (incoming, txid) = (IncomingPayment::from(received), received.txid.clone());
            let charge: fn(&str) -> ChargeReference<'_> = |txid| ChargeReference::Txid(txid);
            pay(app, live, ("pix", source), incoming, (txid, charge)).await
        }
        Event::PixRefund { reference, end_to_end_id, state, amount } => {
            let txid = txid_of(page, end_to_end_id);
            refund(app, live, (reference, end_to_end_id, *amount), (txid, state)).await
        }
        Event::PixTakenBack { end_to_end_id, return_id, amount, at } => {
            let difference = NewDifference::new(live.id, Kind::TakenBack, return_id.clone())
                .of(*amount)
                .about_pix(end_to_end_id, txid_of(page, end_to_end_id).as_deref())
                .with("at", at.to_string());
            take_back(app, live, (txid_of(page, end_to_end_id), end_to_end_id), difference).await
        }
        _ => Ok(()),
    }
}

/// Books an event about a card charge; nothing for any other one.
async fn take_in_card(app: &App, live: &LiveConnection, event: &Event) -> Result<()> {
    match event {
        Event::CardCharge { reference, charge_id, amount, result } => {
            let (id, what) = (charge_id.clone(), CardFact::Result(*amount, result.clone()));
            card(app, live, CardEvent { reference, kind: Kind::CardCharge, id, what }).await
        }
        Event::CardRefund { charge_reference: reference, amount, .. } => {
            card_refund(app, live, reference, *amount).await
        }
        Event::Chargeback { charge_reference: reference, dispute_id, amount, state, .. } => {
            let what = CardFact::Chargeback(*amount, *state);
            let id = format!("{dispute_id} {state}");
            card(app, live, CardEvent { reference, kind: Kind::Chargeback, id, what }).await
        }
        _ => Ok(()),
    }
}

/// Applies a bank's report about a payout.
async fn payout(app: &App, live: &LiveConnection, report: &PayoutReport) -> Result<Taken> {
    let provider: Arc<str> = live.name.as_str().into();
    if withdrawals::callback_api::apply(app, &provider, report).await? {
        return Ok(Taken::Booked);
    }
    let nameless = || {
        let amount = report.amount.map_or(0, Cents::get);
        format!("nameless {amount} {}", report.state)
    };
    let name = report.reference.clone().or_else(|| report.bank_code.clone());
    let difference =
        NewDifference::new(live.id, Kind::UnknownPayout, name.unwrap_or_else(nameless))
            .about_order(report.reference.as_deref())
            .with("state", report.state.to_string());
    let difference = NewDifference { amount: report.amount, ..difference };
    if report.reference.is_none() {
        return Ok(Taken::NotYetKnown(difference));
    }
    differences::note(app, difference).await.map(|()| Taken::Booked)
}

/// Compares what an acquirer reports about a card charge with the charge, and books what follows.
async fn card(app: &App, live: &LiveConnection, event: CardEvent<'_>) -> Result<()> {
    let (terms, provider, reference) =
        (PaymentTerms::of(app), live.name.clone(), event.reference.to_owned());
    let (CardFact::Result(amount, _) | CardFact::Chargeback(amount, _)) = event.what;
    let (connection, charge_id) = (live.id, event.id.clone());
    let difference = NewDifference::new(live.id, event.kind, event.id)
        .about_charge(event.reference)
        .with("reference", event.reference)
        .with("reported", event.what.to_string());
    let (difference, what) = (difference.of(amount), event.what);
    let agrees = async move |tx: &Tx| match &what {
        CardFact::Result(amount, result) => {
            store::name_charge(tx, connection, &charge_id, &reference).await?;
            let (of, what) = (&reference, (*amount, result));
            let agrees = charge::receive(tx, &terms, &provider, of, what).await?;
            // A second charge under one reference took its money, too.
            let is_alone = match result {
                ChargeResult::Approved { .. } | ChargeResult::CapturedOtherwise { .. } => {
                    store::note_capture(tx, connection, &charge_id, of).await? == 0
                }
                ChargeResult::Declined { .. } | ChargeResult::Processing => true,
            };
            Ok(agrees && is_alone)
        }
        CardFact::Chargeback(amount, state) => {
            chargebacks::receive(tx, &terms, &provider, &reference, (*amount, *state)).await
        }
    };
    let unit = async move |tx: &Tx| {
        if agrees(tx).await? { Ok(()) } else { differences::insert(tx, &difference).await }
    };
    app.transact(unit).await
}

/// Compares the sum that an acquirer refunded of a charge with what was ordered here: more was
/// refunded elsewhere, such as in its dashboard. The same excess is one difference, however many
/// refunds follow.
async fn card_refund(app: &App, live: &LiveConnection, reference: &str, all: Cents) -> Result<()> {
    let (provider, reference, connection) = (live.name.clone(), reference.to_owned(), live.id);
    let unit = async move |tx: &Tx| {
        let elsewhere = chargebacks::refunded_elsewhere(tx, &provider, &reference, all).await?;
        let excess = elsewhere.unwrap_or(all);
        if excess <= Cents::ZERO {
            return Ok(());
        }
        let name = format!("{reference} {}", excess.get());
        let difference = NewDifference::new(connection, Kind::UnknownRefund, name).of(excess);
        let difference = difference.about_charge(&reference);
        differences::insert(tx, &difference.with("reference", reference.as_str())).await
    };
    app.transact(unit).await
}

/// What an acquirer reports about a charge.
struct CardEvent<'a> {
    reference: &'a str,
    /// The difference that it is where it does not agree, and that difference's name.
    kind: Kind,
    id: String,
    what: CardFact,
}

enum CardFact {
    /// With its amount.
    Result(Cents, ChargeResult),
    Chargeback(Cents, ChargebackState),
}

impl fmt::Display for CardFact {
    /// As administrators read it; amounts are in cents.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Result(amount, ChargeResult::Approved { .. }) => {
                write!(out, "APPROVED {}", amount.get())
            }
            Self::Result(amount, ChargeResult::Declined { code }) => {
                write!(out, "DECLINED {} {code}", amount.get())
            }
            Self::Result(_, ChargeResult::CapturedOtherwise { amount }) => {
                write!(out, "CAPTURED {}", amount.get())
            }
            Self::Result(amount, ChargeResult::Processing) => {
                write!(out, "PROCESSING {}", amount.get())
            }
            Self::Chargeback(amount, state) => write!(out, "CHARGEBACK {} {state}", amount.get()),
        }
    }
}

/// Books a payment, unless another connection issued its charge.
async fn pay(
    app: &App,
    live: &LiveConnection,
    (kind, source): (&'static str, Source),
    incoming: IncomingPayment,
    (name, charge): (String, fn(&str) -> ChargeReference<'_>),
) -> Result<()> {
    if other_issuer::is_of_other(app, live, &incoming, (&name, charge)).await? {
        return Ok(());
    }
    let provider: Arc<str> = live.name.as_str().into();
    let received = receive_payment(app, &provider, incoming, name, charge).await?;
    let is_known = received == Received::Already;
    let known = if is_known { "known" } else { "new" };
    telemetry::reconciled(&live.name, kind, source.name(), known);
    Ok(())
}

/// Applies a refund's state to the refund or the return of money that it is of; one that was not
/// ordered here, or that contradicts how it ended, is a difference.
async fn refund(
    app: &App,
    live: &LiveConnection,
    (reference, end_to_end_id, amount): (&str, &str, Cents),
    (txid, state): (Option<String>, &RefundState),
) -> Result<()> {
    let (terms, status) = (PaymentTerms::of(app), ProviderStatus::from(state.clone()));
    let (provider, of) = (live.name.clone(), reference.to_owned());
    let unit = async move |tx: &Tx| {
        let refund = refunds::settle::receive_pix(tx, &terms, &provider, (&of, amount), &status);
        let refund = refund.await?;
        match refund {
            None => returns::receive_pix(tx, &terms, &provider, (&of, amount), &status).await,
            refund => Ok(refund),
        }
    };
    if let Some(reconciled) = app.transact(unit).await? {
        reconciled.count(refund_ended);
        if !matches!(reconciled, Reconciled::StatusMismatch | Reconciled::PaymentTaken) {
            return Ok(());
        }
    }
    // A refund's name is unique among those of its payment only.
    let name = format!("{end_to_end_id} {reference}");
    let difference = NewDifference::new(live.id, Kind::UnknownRefund, name)
        .of(amount)
        .about_pix(end_to_end_id, txid.as_deref())
        .about_order(Some(reference))
        .with("state", state.to_string());
    let (provider, of) = (live.name.clone(), end_to_end_id.to_owned());
    let unit = async move |tx: &Tx| {
        differences::insert_about_money(tx, (&provider, &of), &difference).await
    };
    app.transact(unit).await
}

/// The money of a payment was taken back; where that cannot be booked, an administrator decides.
async fn take_back(
    app: &App,
    live: &LiveConnection,
    (txid, end_to_end_id): (Option<String>, &str),
    difference: NewDifference,
) -> Result<()> {
    let (terms, provider, of) =
        (PaymentTerms::of(app), live.name.clone(), end_to_end_id.to_owned());
    let unit = async move |tx: &Tx| {
        let cents = difference.amount.map_or(0, Cents::get);
        let returned = format!("{} {of} {cents}", difference.reference);
        let seen = see_return(tx, &provider, (&difference.reference, &returned)).await?;
        if seen == Seen::Repeated {
            return Ok(());
        }
        if seen == Seen::ReusedId {
            taken_back::hold_sale(tx, &terms, &provider, &of).await?;
            let contradicting = NewDifference { reference: returned, ..difference.clone() };
            return differences::insert_about_money(tx, (&provider, &of), &contradicting).await;
        }
        let is_booked = match (&txid, difference.amount) {
            (Some(txid), Some(amount)) => {
                let taken = (&*difference.reference, amount);
                taken_back::take_back(tx, &terms, &provider, (txid, &of), taken).await?
            }
            _ => false,
        };
        if is_booked {
            return Ok(());
        }
        differences::insert_about_money(tx, (&provider, &of), &difference).await
    };
    app.transact(unit).await
}

/// What a report of a return of money is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    First,
    Repeated,
    /// A return with the same id was of another PIX, or of another amount.
    ReusedId,
}

/// Remembers that a return of money was reported, by its id and by that with its PIX and amount.
async fn see_return(tx: &Tx, provider: &str, (id, returned): (&str, &str)) -> Result<Seen> {
    if !receive_once(tx, provider, &reference_of_return(returned)).await? {
        return Ok(Seen::Repeated);
    }
    let is_first = receive_once(tx, provider, &reference_of_return(id)).await?;
    // An older version remembers the id alone.
    let is_by_older =
        receive_once(tx, provider, &format!("{} with its PIX", reference_of_return(id))).await?;
    Ok(match (is_first, is_by_older) {
        (true, _) => Seen::First,
        (false, true) => Seen::Repeated,
        (false, false) => Seen::ReusedId,
    })
}

/// By which it is remembered that a return of money was booked, or kept as a difference.
pub fn reference_of_return(return_id: &str) -> String {
    format!("taken back {return_id}")
}

/// The txid of a payment that the same page reports.
pub fn txid_of(page: &Page, of: &str) -> Option<String> {
    page.events.iter().find_map(|event| match event {
        Event::PixReceived(received) if received.end_to_end_id == of => Some(received.txid.clone()),
        _ => None,
    })
}
