//! Takes in what a bank reports as fraud: first what it knows of the payment, then the report.
//!
//! So a payment or a return of which no notice came is booked before the report about it, and both
//! orders of arrival end alike.

use db::tx::Tx;
use rails::connection::{Event, Infraction, InfractionState, Notice, Page, Subject};

use crate::app::App;
use crate::connections::differences::{self, Kind, NewDifference};
use crate::connections::take_in::{Source, take_in_pix, txid_of};
use crate::platform::error::{Error, Result};
use crate::providers::connections::registry::LiveConnection;
use crate::transactions::disputes::infractions;
use crate::transactions::terms::PaymentTerms;

/// The note of a difference about a report that needs no decision any more.
const OVER: &str = "Closed by the server: the report was rejected, or is of a sale by now.";

/// Applies a report, unless it is as it was and waits for nothing.
pub async fn take_in(app: &App, live: &LiveConnection, report: &Infraction) -> Result<()> {
    let (provider, seen) = (live.name.clone(), report.clone());
    let unit = async move |tx: &Tx| infractions::is_open(tx, &provider, &seen).await;
    if !app.read(unit).await? {
        return Ok(());
    }
    let id = report.end_to_end_id.clone();
    let notice = Notice { subject: Subject::ReceivedPix, id };
    let answer = live.connected.connection.look_into(&notice).await;
    let page = answer.map_err(|error| Error::Unavailable(error.to_string()))?;
    for event in &page.events {
        take_in_pix(app, live, Source::List, &page, event).await?;
    }
    let (txid, is_returned) = (txid_of(&page, &report.end_to_end_id), is_returned(&page, report));
    let (terms, provider, seen) = (PaymentTerms::of(app), live.name.clone(), report.clone());
    let (connection, id) = (live.id, report.id.clone());
    let difference = NewDifference::new(live.id, Kind::Infraction, report.id.clone())
        .of(report.amount)
        .about_payment(txid.as_deref())
        .with("endToEndId", report.end_to_end_id.as_str())
        .with("state", report.state.name());
    let unit = async move |tx: &Tx| {
        let is_of_sale = match &txid {
            Some(txid) => {
                infractions::receive(tx, &terms, &provider, (txid, is_returned), &seen).await?
            }
            None => false,
        };
        if is_of_sale || seen.state == InfractionState::Rejected {
            let difference = (connection, Kind::Infraction, &*id);
            return differences::close(tx, difference, None, OVER).await;
        }
        differences::insert(tx, &difference).await
    };
    app.transact(unit).await
}

/// Whether money of the payment went back since the report was opened.
fn is_returned(page: &Page, report: &Infraction) -> bool {
    page.events.iter().any(|event| {
        matches!(event, Event::PixTakenBack { end_to_end_id, at, .. }
            if *end_to_end_id == report.end_to_end_id && *at >= report.opened_at)
    })
}
