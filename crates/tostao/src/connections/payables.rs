//! Compares what an acquirer owes for card charges, part by part, with our receivables.
//!
//! A receivable is what the platform owes a merchant, so the acquirer has to owe as much, by the
//! same day; earlier where the operator has it anticipated. Its fee is the operator's cost, for
//! which merchants' books have no counterpart: a difference names it, and nothing is compared with
//! it. Parts that take money back or give it again are not compared either; their charge is asked
//! about, and its totals are. Nothing is changed.
//!
//! A charge that no report has named yet is asked about by a job of its own, and its parts are
//! compared by the next nightly reading.

use brazil::calendar::{business_day_on_or_after, sao_paulo_date};
use db::time::Timestamp;
use db::tx::Tx;
use jiff::ToSpan;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use rails::connection::{Notice, Subject};
use rails::settlement::{Settlement, SettlementKind};

use crate::app::App;
use crate::connections::differences::{self, Kind, NewDifference};
use crate::connections::jobs::ask;
use crate::connections::store;
use crate::platform::error::Result;
use crate::platform::ids::ConnectionId;
use crate::providers::connections::registry::LiveConnection;
use crate::receivables::{self, DAYS_BETWEEN, Receivable};
use crate::transactions::Transaction;
use crate::transactions::charge;
use crate::transactions::status::Status;

/// Compares a part with the receivable of the same installment; an administrator sees where they
/// disagree.
pub async fn compare(app: &App, live: &LiveConnection, part: &Settlement) -> Result<()> {
    let (SettlementKind::Credit, Some(charge_id)) = (part.kind, part.charge_id.clone()) else {
        return Ok(());
    };
    let (of, part) = ((live.id, live.name.clone()), part.clone());
    let unit = async move |tx: &Tx| {
        let (connection, provider) = &of;
        let Some(reference) = store::charge_reference(tx, *connection, &charge_id).await? else {
            let notice = Notice { subject: Subject::CardCharge, id: charge_id.clone() };
            return ask(tx, (*connection, provider), notice, None).await;
        };
        let charge = (&*charge_id, &*reference);
        match disagreement(tx, *connection, provider, charge, &part).await? {
            Some(found) => differences::insert(tx, &found).await,
            None => Ok(()),
        }
    };
    app.transact(unit).await
}

/// What does not agree. A charge that was not made here is a difference of its own, and one that is
/// not decided yet has no receivables; the nightly reading comes back to it.
async fn disagreement(
    tx: &Tx,
    connection: ConnectionId,
    provider: &str,
    (charge_id, reference): (&str, &str),
    part: &Settlement,
) -> Result<Option<NewDifference>> {
    let found = charge::find_charged(tx, provider, reference).await?;
    let Some((scope, charge)) = found else { return Ok(None) };
    if matches!(charge.status, Status::Processing | Status::Failed) {
        return Ok(None);
    }
    let parts = receivables::of(tx, scope, charge.id).await?;
    let number = part.installment.unwrap_or(1);
    let ours = parts.iter().find(|ours| ours.installment == number);
    if ours.is_some_and(|ours| agrees(part, ours, &charge)) {
        return Ok(None);
    }
    let difference = NewDifference::new(connection, Kind::Payable, part.id.clone())
        .of(part.amount)
        .about_charge(reference)
        .with("transactionId", charge.id.to_string())
        .with("chargeId", charge_id)
        .with("installment", number)
        .with("fee", part.fee.get())
        .with("dueOn", part.due_on.to_string())
        .with("expectedAmount", ours.map(|ours| ours.amount.get()))
        .with("expectedDueOn", ours.map(|ours| due_on(ours).to_string()));
    Ok(Some(difference))
}

fn agrees(part: &Settlement, ours: &Receivable, charge: &Transaction) -> bool {
    let day = business_day_on_or_after(part.due_on);
    let expected = [Some(due_on(ours)), charge.paid_at.and_then(|at| utc_due_on(at, ours))];
    let is_in_time = expected.contains(&Some(day)) || part.is_anticipated && day < due_on(ours);
    part.amount == ours.amount && is_in_time
}

/// The day of a receivable in São Paulo.
fn due_on(ours: &Receivable) -> Date {
    sao_paulo_date(ours.due_at.micros())
}

/// The day of a receivable, counted from the day of the sale in Greenwich, as an acquirer may.
fn utc_due_on(paid_at: Timestamp, ours: &Receivable) -> Option<Date> {
    let sold = jiff::Timestamp::from_microsecond(paid_at.micros()).ok()?;
    let sold = sold.to_zoned(TimeZone::UTC).date();
    let due = sold.checked_add((DAYS_BETWEEN * ours.installment).days()).ok()?;
    Some(business_day_on_or_after(due))
}
