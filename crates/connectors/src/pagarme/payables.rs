//! What Pagar.me owes for the charges, part by part (`/payables`).
//!
//! Parts that take money back, or give it again, show what happened to a charge long after its
//! order: such a charge is asked about, in case its notice was lost.

use std::collections::BTreeMap;

use db::time::Timestamp;
use jiff::civil::Date;
use ledger::cents::Cents;
use rails::connection::{Event, Page};
use rails::entries::is_name;
use rails::error::ProviderError;
use rails::settlement::{Settlement, SettlementKind};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use upstream::call::Call;
use upstream::failure::Failure;

use crate::failures::{contradiction, provider_error};
use crate::pagarme::charges;
use crate::pagarme::session::Session;

const PAYABLES: &str = "/core/v5/payables";
const PER_PAGE: &str = "100";
/// A charge has at most a few parts for each of its installments.
const PAGES_OF_A_CHARGE_MAX: usize = 10;
/// How many characters of an instant are its day.
const DAY_LENGTH: usize = 10;

#[derive(Deserialize)]
struct Listed {
    data: Vec<Box<RawValue>>,
    paging: Paging,
}

#[derive(Deserialize)]
struct Paging {
    forward_cursor: Option<String>,
}

#[derive(Deserialize)]
struct Payable {
    id: Id,
    status: String,
    #[serde(rename = "type")]
    kind: String,
    amount: i64,
    fee: Option<i64>,
    anticipation_fee: Option<i64>,
    anticipation_id: Option<Value>,
    bulk_anticipation_id: Option<Value>,
    fraud_coverage_fee: Option<i64>,
    installment: Option<i64>,
    charge_id: Option<String>,
    payment_date: String,
    created_at: Timestamp,
}

/// As much of a part as says what it is.
#[derive(Deserialize)]
struct Part {
    #[serde(rename = "type")]
    kind: String,
    amount: i64,
}

/// What became of a charge by chargebacks.
pub struct Contested {
    pub taken: Cents,
    pub given_again: Cents,
}

/// Older answers write the id as a number.
#[derive(Deserialize)]
#[serde(untagged)]
enum Id {
    Text(String),
    Number(u64),
}

/// A page of the parts that changed in a window, and what happened to their charges.
pub async fn changed_between(
    session: &Session,
    from: Timestamp,
    to: Timestamp,
    cursor: Option<&str>,
) -> Result<Page, ProviderError> {
    let call = Call::get("list_payables", PAYABLES)
        .query("updated_since", &from.to_string())
        .query("updated_until", &to.to_string())
        .query("size", PER_PAGE);
    let call = match cursor {
        Some(cursor) => call.query("forward_cursor", cursor),
        None => call,
    };
    let listed: Listed = session.ask(call).await.map_err(provider_error)?;
    let mut page = Page { next: listed.paging.forward_cursor, ..Page::default() };
    // Each charge once, with the time of its last won chargeback.
    let mut changed: BTreeMap<String, Option<Timestamp>> = BTreeMap::new();
    for entry in &listed.data {
        let payable = serde_json::from_str::<Payable>(entry.get()).ok();
        let Some((part, at)) = payable.and_then(settlement) else {
            page.unreadable.push(entry.get().to_owned());
            continue;
        };
        let charge = part.charge_id.clone().filter(|_| part.kind != SettlementKind::Credit);
        if let Some(charge) = charge {
            let is_won = part.kind == SettlementKind::ChargebackReversal;
            let won = changed.entry(charge).or_default();
            *won = is_won.then_some(at).or(*won);
        }
        page.events.push(Event::Settlement(part));
    }
    for (charge, won_at) in &changed {
        add_charge(session, charge, *won_at, &mut page).await?;
    }
    Ok(page)
}

/// What was taken for chargebacks of a charge, and given again.
pub async fn contested(session: &Session, charge: &str) -> Result<Contested, ProviderError> {
    let mut whole = Contested { taken: Cents::ZERO, given_again: Cents::ZERO };
    let mut cursor: Option<String> = None;
    for _ in 0..PAGES_OF_A_CHARGE_MAX {
        let call =
            Call::get("list_payables", PAYABLES).query("charge_id", charge).query("size", PER_PAGE);
        let call = match &cursor {
            Some(cursor) => call.query("forward_cursor", cursor),
            None => call,
        };
        let listed: Listed = session.ask(call).await.map_err(provider_error)?;
        for entry in &listed.data {
            // The list of all parts reports what cannot be read.
            whole.add(entry);
        }
        cursor = listed.paging.forward_cursor;
        if cursor.is_none() {
            return Ok(whole);
        }
    }
    Err(contradiction("the parts of a charge have no end"))
}

impl Contested {
    fn add(&mut self, entry: &RawValue) {
        let part = serde_json::from_str::<Part>(entry.get()).ok();
        let amount = part.as_ref().and_then(|part| part.amount.checked_abs()).map(Cents::new);
        let (Some(part), Some(amount)) = (part, amount) else { return };
        let sum = match kind(&part.kind) {
            Some(SettlementKind::Chargeback) => &mut self.taken,
            Some(SettlementKind::ChargebackReversal) => &mut self.given_again,
            _ => return,
        };
        *sum = sum.plus(amount).unwrap_or(*sum);
    }
}

async fn add_charge(
    session: &Session,
    id: &str,
    won_at: Option<Timestamp>,
    page: &mut Page,
) -> Result<(), ProviderError> {
    let charge: Box<RawValue> = match charges::by_id(session, id).await {
        Ok(charge) => charge,
        Err(Failure::NotFound { .. }) => return Ok(()),
        Err(failure) => return Err(provider_error(failure)),
    };
    charges::read(session, &charge, None, page).await?;
    if let Some(at) = won_at {
        page.events.extend(charges::won(session, &charge, at).await?);
    }
    Ok(())
}

/// A part, if it can be read, and when it came into being.
fn settlement(payable: Payable) -> Option<(Settlement, Timestamp)> {
    let id = match payable.id {
        Id::Text(id) => Some(id).filter(|id| is_name(id))?,
        Id::Number(id) => id.to_string(),
    };
    let has_fee = payable.anticipation_fee.is_some_and(|fee| fee != 0);
    let is_anticipated = has_fee
        || [&payable.anticipation_id, &payable.bulk_anticipation_id]
            .into_iter()
            .any(Option::is_some);
    let fees = [payable.fee, payable.anticipation_fee, payable.fraud_coverage_fee];
    let sum = |sum: Cents, fee: i64| sum.plus(Cents::new(fee));
    let settlement = Settlement {
        id,
        charge_id: payable.charge_id.filter(|id| is_name(id)),
        kind: kind(&payable.kind)?,
        amount: Cents::new(payable.amount),
        fee: fees.into_iter().flatten().try_fold(Cents::ZERO, sum)?,
        installment: payable.installment,
        due_on: day(&payable.payment_date)?,
        is_paid: payable.status == "paid",
        is_anticipated,
    };
    Some((settlement, payable.created_at))
}

fn kind(word: &str) -> Option<SettlementKind> {
    match word {
        "credit" => Some(SettlementKind::Credit),
        "refund" => Some(SettlementKind::Refund),
        "refund_reversal" => Some(SettlementKind::RefundReversal),
        "chargeback" => Some(SettlementKind::Chargeback),
        "chargeback_refund" => Some(SettlementKind::ChargebackReversal),
        _ => None,
    }
}

/// The day as it is written: the time beside it is midnight, here or in Greenwich.
fn day(instant: &str) -> Option<Date> {
    instant.get(..DAY_LENGTH)?.parse().ok()
}
