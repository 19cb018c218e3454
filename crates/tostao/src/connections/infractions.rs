//! Takes in what a bank reports as fraud: first what it knows of the payment, then the report.
//!
//! So a payment or a return of which no notice came is booked before the report about it, and both
//! orders of arrival end alike. Reports are listed again and again, each as it then is:
//!
//! | The report, as it is listed | Its payment is asked about |
//! |---|---|
//! | is of a sale, and as it was stored | while an accepted one awaits its return, if it held any |
//! | is of money that was booked and is of no sale, as it was when that was found | once it is |
//! | was rejected, and nothing waits for it | only if its payment was booked and it is not stored |
//! | is of a payment that the bank did not know, as it was then | once the payment is booked |
//! | is anything else | yes |
//!
//! Each question is a job of its own, so that a page of many reports is a short job.

use db::tx::Tx;
use rails::connection::{Event, Infraction, InfractionState, Notice, Page, Subject};

use crate::app::App;
use crate::connections::differences::{self, Kind, NewDifference, Status};
use crate::connections::jobs::{self, ask};
use crate::connections::take_in::{reference_of_return, txid_of};
use crate::platform::error::Result;
use crate::platform::ids::ConnectionId;
use crate::providers::connections::registry::LiveConnection;
use crate::transactions::disputes::infractions::{self, SeenReturn};
use crate::transactions::owners;
use crate::transactions::receive::{is_received, receive_once};
use crate::transactions::terms::PaymentTerms;

/// The detail of a difference with the state that its report had.
const STATE: &str = "state";
/// The note of a difference about a report that needs no decision any more.
const OVER: &str = "Closed by the server: the report was rejected, or is of a sale by now.";

/// Has the payment of a listed report asked about, unless nothing can follow from it; then nothing
/// follows from an earlier sighting, either.
pub async fn ask_about(app: &App, live: &LiveConnection, report: &Infraction) -> Result<()> {
    let ((id, name), seen) = ((live.id, live.name.clone()), report.clone());
    let known = async move |tx: &Tx| {
        let is_needed = is_needed(tx, (id, &name), &seen).await?;
        Ok((is_needed, jobs::is_asked_for(tx, (id, &name), &seen.id).await?))
    };
    let (is_needed, is_asked) = app.read(known).await?;
    if !is_needed && !is_asked {
        return Ok(());
    }
    let (name, seen) = (live.name.clone(), report.clone());
    let unit = async move |tx: &Tx| {
        if !is_needed {
            return jobs::forget(tx, (id, &name), &seen.id).await;
        }
        let payment = seen.end_to_end_id.clone();
        let notice = Notice { subject: Subject::ReceivedPix, id: payment };
        ask(tx, (id, &name), notice, Some(seen.clone())).await
    };
    app.transact(unit).await
}

/// Whether something may follow from a report.
async fn is_needed(
    tx: &Tx,
    (connection, provider): (ConnectionId, &str),
    report: &Infraction,
) -> Result<bool> {
    if !infractions::is_open(tx, provider, report).await? {
        return Ok(false);
    }
    // An administrator may have found since then which sale the money is of.
    if is_received(tx, provider, &of_no_sale(report)).await?
        && owners::of_pix(tx, &report.end_to_end_id).await?.is_none()
    {
        return Ok(false);
    }
    let difference = (connection, Kind::Infraction, &*report.id);
    let known = differences::find_named(tx, difference).await?;
    let last = known.as_ref().and_then(|known| known.details.get(STATE)?.as_str());
    let is_as_it_was = last == Some(report.state.name());
    let waits = known.as_ref().is_some_and(|known| known.status == Status::Open);
    if is_as_it_was || report.state == InfractionState::Rejected && !waits {
        return is_received(tx, provider, &report.end_to_end_id).await;
    }
    Ok(true)
}

/// Applies a report after what the bank knows of its payment, which is on the page, was booked.
pub async fn take_in(
    app: &App,
    live: &LiveConnection,
    page: &Page,
    report: &Infraction,
) -> Result<()> {
    let (txid, returns) = (txid_of(page, &report.end_to_end_id), returns(page, report));
    let (terms, provider, seen) = (PaymentTerms::of(app), live.name.clone(), report.clone());
    let (connection, id) = (live.id, report.id.clone());
    let difference = NewDifference::new(live.id, Kind::Infraction, report.id.clone())
        .of(report.amount)
        .about_pix(&report.end_to_end_id, txid.as_deref())
        .with(STATE, report.state.name());
    let unit = async move |tx: &Tx| {
        let is_of_sale = match &txid {
            Some(txid) => {
                let returns = received(tx, &provider, &returns).await?;
                infractions::receive(tx, &terms, &provider, (txid, &returns), &seen).await?
            }
            None => false,
        };
        let is_known = txid.is_some() && is_received(tx, &provider, &seen.end_to_end_id).await?;
        if is_known && !is_of_sale {
            receive_once(tx, &provider, &of_no_sale(&seen)).await?;
        }
        if is_of_sale || seen.state == InfractionState::Rejected {
            let difference = (connection, Kind::Infraction, &*id);
            return differences::close(tx, difference, None, OVER).await;
        }
        let money = (&*provider, &*seen.end_to_end_id);
        differences::insert_about_money(tx, money, &difference).await
    };
    app.transact(unit).await
}

/// By which it is remembered that a report in this state is about booked money that is of no sale.
fn of_no_sale(report: &Infraction) -> String {
    format!("reported {} {} of no sale", report.id, report.state)
}

/// The returns of the payment's money since the report was opened.
fn returns(page: &Page, report: &Infraction) -> Vec<SeenReturn> {
    let is_of = |of: &str, at| *of == *report.end_to_end_id && at >= report.opened_at;
    let returns = page.events.iter().filter_map(|event| match event {
        Event::PixTakenBack { end_to_end_id, return_id, amount, at }
            if is_of(end_to_end_id, *at) =>
        {
            Some(SeenReturn { id: return_id.clone(), amount: *amount })
        }
        _ => None,
    });
    returns.collect()
}

/// Those that are booked, or kept as a difference; a return waits for a refund under way.
async fn received(tx: &Tx, provider: &str, returns: &[SeenReturn]) -> Result<Vec<SeenReturn>> {
    let mut received = Vec::new();
    for seen in returns {
        if is_received(tx, provider, &reference_of_return(&seen.id)).await? {
            received.push(seen.clone());
        }
    }
    Ok(received)
}
