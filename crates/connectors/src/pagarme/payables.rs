//! What Pagar.me owes for the charges, part by part (`/payables`).
//!
//! Parts that take money back, or give it again, show what happened to a charge long after its
//! order: such a charge has to be asked about, in case its notice was lost.

use std::collections::BTreeMap;

use db::time::Timestamp;
use jiff::civil::Date;
use ledger::cents::Cents;
use rails::connection::{Event, Notice, Page, Subject};
use rails::entries::is_name;
use rails::error::ProviderError;
use rails::settlement::{Settlement, SettlementKind};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use upstream::call::Call;

use crate::failures::{contradiction, provider_error};
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
}

/// As much of a part as says what it is.
#[derive(Deserialize)]
struct Part {
    #[serde(rename = "type")]
    kind: String,
    amount: i64,
    created_at: Timestamp,
}

/// What became of a charge by chargebacks.
pub struct Contested {
    pub taken: Cents,
    pub given_again: Cents,
    /// When it was given again last.
    pub given_at: Option<Timestamp>,
}

/// Older answers write the id as a number.
#[derive(Deserialize)]
#[serde(untagged)]
enum Id {
    Text(String),
    Number(u64),
}

/// A page of the parts that changed in a window, and the charges that something happened to.
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
    let mut changed: BTreeMap<String, Subject> = BTreeMap::new();
    for entry in &listed.data {
        let payable = serde_json::from_str::<Payable>(entry.get()).ok();
        let Some(part) = payable.and_then(settlement) else {
            page.unreadable.push(entry.get().to_owned());
            continue;
        };
        let subject = match part.kind {
            SettlementKind::Credit => None,
            SettlementKind::Refund | SettlementKind::RefundReversal => Some(Subject::CardCharge),
            SettlementKind::Chargeback | SettlementKind::ChargebackReversal => {
                Some(Subject::ContestedCharge)
            }
        };
        if let Some((charge, subject)) = part.charge_id.clone().zip(subject) {
            let asked = changed.entry(charge).or_insert(subject);
            // The question about chargebacks is about the refunds, too.
            if subject == Subject::ContestedCharge {
                *asked = subject;
            }
        }
        page.events.push(Event::Settlement(part));
    }
    page.questions.extend(changed.into_iter().map(|(id, subject)| Notice { subject, id }));
    Ok(page)
}

/// What was taken for chargebacks of a charge, and given again.
pub async fn contested(session: &Session, charge: &str) -> Result<Contested, ProviderError> {
    let mut whole = Contested { taken: Cents::ZERO, given_again: Cents::ZERO, given_at: None };
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
            Some(SettlementKind::ChargebackReversal) => {
                self.given_at = self.given_at.max(Some(part.created_at));
                &mut self.given_again
            }
            _ => return,
        };
        *sum = sum.plus(amount).unwrap_or(*sum);
    }
}

/// A part, if it can be read.
fn settlement(payable: Payable) -> Option<Settlement> {
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
    Some(Settlement {
        id,
        charge_id: payable.charge_id.filter(|id| is_name(id)),
        kind: kind(&payable.kind)?,
        amount: Cents::new(payable.amount),
        fee: fees.into_iter().flatten().try_fold(Cents::ZERO, sum)?,
        installment: payable.installment,
        due_on: day(&payable.payment_date)?,
        is_paid: payable.status == "paid",
        is_anticipated,
    })
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
