//! Boletos by Efí's API Cobranças, which has another host and tokens of its own.
//!
//! A registration has no id of ours that Efí accepts once: our reference is a label (`custom_id`)
//! by which a boleto is found again. Amounts are integers in cents here, and days without a time.

use std::time::Duration;

use brazil::boleto::Barcode;
use brazil::calendar::{sao_paulo_instant, sao_paulo_start_of_day};
use brazil::document::Document;
use db::time::Timestamp;
use jiff::civil::{Date, DateTime};
use ledger::cents::Cents;
use rails::boleto::{
    BoletoConfirmation, BoletoOrder, BoletoRequest, Covers, IssuedBoleto, Registration,
};
use rails::connection::{Event, Page};
use rails::entries::is_name;
use rails::error::ProviderError;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use upstream::call::{Call, Reads};
use upstream::failure::{ErrorObject, Failure, Meaning};

use crate::bacen::session::Session;
use crate::efi::boleto_status::Status;
use crate::failures::{contradiction, provider_error, unanswered};

/// A buyer waits for the boleto.
const ISSUED_WITHIN: Duration = Duration::from_secs(7);
const FOUND_WITHIN: Duration = Duration::from_secs(3);
/// Banks clear a payment up to three business days after the due date.
const WRITE_OFF_DAYS: u32 = 3;
const NAME_LENGTH_MAX: usize = 255;
const PER_PAGE: usize = 100;
const FIRST: u64 = 1;

#[derive(Serialize)]
struct NewCharge<'a> {
    items: [Item; 1],
    metadata: Metadata<'a>,
    payment: NewPayment<'a>,
}

#[derive(Serialize)]
struct Item {
    name: String,
    value: i64,
    amount: u32,
}

#[derive(Serialize)]
struct Metadata<'a> {
    custom_id: &'a str,
    notification_url: &'a str,
}

#[derive(Serialize)]
struct NewPayment<'a> {
    banking_billet: NewBillet<'a>,
}

#[derive(Serialize)]
struct NewBillet<'a> {
    customer: Customer<'a>,
    expire_at: String,
    configurations: Configurations,
}

#[derive(Serialize)]
struct Configurations {
    days_to_write_off: u32,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Customer<'a> {
    Person { name: &'a str, cpf: &'a str },
    Company { juridical_person: Company<'a> },
}

#[derive(Serialize)]
struct Company<'a> {
    corporate_name: &'a str,
    cnpj: &'a str,
}

/// The envelope of every answer.
#[derive(Deserialize)]
struct Answered<T> {
    data: T,
}

/// A boleto as its registration is answered.
#[derive(Deserialize)]
struct Registered {
    charge_id: u64,
    total: i64,
    #[serde(flatten)]
    billet: Billet,
}

#[derive(Deserialize)]
struct Billet {
    /// The line that people type, with its dots.
    barcode: String,
    expire_at: Date,
    pix: Option<PixOf>,
}

#[derive(Deserialize)]
struct PixOf {
    qrcode: String,
}

/// A boleto as a list has it.
#[derive(Deserialize)]
struct Listed {
    id: u64,
    total: i64,
    status: String,
    #[serde(default)]
    custom_id: Option<String>,
    payment: ListedPayment,
}

#[derive(Deserialize)]
struct ListedPayment {
    banking_billet: Billet,
    paid_value: Option<i64>,
    /// Local time in Brazil, without an offset.
    paid_at: Option<String>,
}

/// One of the changes that a notice's token stands for.
#[derive(Deserialize)]
struct Change {
    #[serde(default)]
    custom_id: Option<String>,
    status: ChangedStatus,
    identifiers: Identifiers,
    value: Option<i64>,
    created_at: String,
    received_by_bank_at: Option<Date>,
}

#[derive(Deserialize)]
struct ChangedStatus {
    current: String,
}

#[derive(Deserialize)]
struct Identifiers {
    charge_id: u64,
}

/// Efí's own errors on this host; a text or a field with its problem.
pub fn read_error(_: u16, body: &[u8]) -> Option<ErrorObject> {
    #[derive(Deserialize)]
    struct OwnError {
        code: u64,
        error: String,
        #[serde(default)]
        error_description: serde_json::Value,
    }
    let OwnError { code, error, error_description } = serde_json::from_slice(body).ok()?;
    let meaning = match error.as_str() {
        "property_does_not_exists" => Meaning::NotFound,
        _ => Meaning::Refused,
    };
    // Only which field is wrong: what it holds may be about a person.
    let code = match error_description["property"].as_str() {
        Some(property) => format!("{code} {property}"),
        None => code.to_string(),
    };
    Some(ErrorObject { code, text: error, meaning })
}

/// Registers a boleto; a lost answer is looked for by our reference.
pub async fn issue(
    session: &Session,
    door: &str,
    order: &BoletoRequest,
) -> Result<Registration, ProviderError> {
    let call = Call::post("issue_boleto", "/v1/charge/one-step").json(&new_charge(door, order));
    match session.ask::<Answered<Registered>>(call.within(ISSUED_WITHIN)).await {
        Ok(Answered { data }) => issued(&order.order(), data.charge_id, data.total, data.billet),
        Err(failure @ Failure::Unknown { .. }) => match find(session, &order.order()).await {
            Ok(Some(registration)) => Ok(registration),
            Ok(None) | Err(_) => Err(provider_error(failure)),
        },
        Err(failure) => Err(provider_error(failure)),
    }
}

/// The boleto with our reference; `None` if there is none.
pub async fn find(
    session: &Session,
    order: &BoletoOrder,
) -> Result<Option<Registration>, ProviderError> {
    match with_reference(session, order).await? {
        Some(Listed { id, total, status, payment, .. }) => {
            let registration = issued(order, id, total, payment.banking_billet)?;
            if Status::read(&status) == Some(Status::Ended) {
                let text = "the boleto is closed at the bank".to_owned();
                return Err(ProviderError::Refused { code: status, text });
            }
            Ok(Some(registration))
        }
        None => Ok(None),
    }
}

/// What was paid to the boleto with our reference.
pub async fn find_payments(
    session: &Session,
    order: &BoletoOrder,
    bank_code: &str,
) -> Result<Vec<BoletoConfirmation>, ProviderError> {
    let found = with_reference(session, order).await?;
    let boleto = found.filter(|boleto| boleto.id.to_string() == bank_code);
    let boleto = boleto.ok_or_else(|| contradiction("the boleto is not in the bank's list"))?;
    match Status::read(&boleto.status) {
        Some(Status::Paid) => {
            let paid = payment_in(&boleto);
            paid.map(|paid| vec![paid])
                .ok_or_else(|| contradiction("the boleto's payment cannot be read"))
        }
        Some(status) => {
            status.log(boleto.id);
            Ok(Vec::new())
        }
        None => Err(contradiction("the boleto's status is unknown")),
    }
}

async fn with_reference(
    session: &Session,
    order: &BoletoOrder,
) -> Result<Option<Listed>, ProviderError> {
    // Around the day, in case the bank's midnight is another one.
    let around = [order.issued_on.yesterday(), order.issued_on.tomorrow()];
    let [from, to] = around.map(|day| day.unwrap_or(order.issued_on).to_string());
    let call = listed("find_boleto", &from, &to, FIRST).query("custom_id", &order.reference);
    let found: Answered<Vec<Listed>> =
        session.ask(call.within(FOUND_WITHIN)).await.map_err(unanswered)?;
    let is_ours = |boleto: &Listed| boleto.custom_id.as_ref() == Some(&order.reference);
    Ok(found.data.into_iter().find(is_ours))
}

/// Closes a boleto. One that is closed, paid or unknown is left as it is.
pub async fn cancel(session: &Session, bank_code: &str) -> Result<(), ProviderError> {
    let call = Call::put("close_boleto", "/v1/charge").segment(bank_code).segment("cancel");
    match session.send(call.reads(Reads::Anything)).await {
        Ok(_) | Err(Failure::Refused { .. }) => Ok(()),
        Err(failure) => Err(provider_error(failure)),
    }
}

/// What became of the boleto that a notice's token stands for.
pub async fn changed(session: &Session, token: &str) -> Result<Page, ProviderError> {
    let call = Call::get("find_boleto_changes", "/v1/notification").segment(token);
    let changes: Answered<Vec<Box<RawValue>>> = match session.ask(call).await {
        Ok(changes) => changes,
        Err(Failure::NotFound { .. }) => return Ok(Page::default()),
        Err(failure) => return Err(provider_error(failure)),
    };
    let mut page = Page::default();
    for entry in &changes.data {
        let change = serde_json::from_str::<Change>(entry.get()).ok();
        let read = change.as_ref().and_then(|change| {
            let id = change.identifiers.charge_id;
            Some((id, Status::read(&change.status.current)?, payment_of(change)))
        });
        add(&mut page, entry, read);
    }
    // Efí reports a payment once for each of its changes of this status.
    page.events.dedup();
    Ok(page)
}

/// A page of the boletos paid in a window of days.
pub async fn paid_between(
    session: &Session,
    from: Timestamp,
    to: Timestamp,
    cursor: Option<&str>,
) -> Result<Page, ProviderError> {
    let page = cursor.and_then(|text| text.parse().ok()).unwrap_or(FIRST);
    let day = |at: Timestamp| brazil::calendar::sao_paulo_date(at.micros()).to_string();
    let call = listed("list_boletos", &day(from), &day(to), page).query("date_of", "payment");
    let found: Answered<Vec<Box<RawValue>>> = session.ask(call).await.map_err(provider_error)?;
    let next = (found.data.len() == PER_PAGE).then(|| (page + 1).to_string());
    let mut whole = Page { next, ..Page::default() };
    for entry in &found.data {
        let boleto = serde_json::from_str::<Listed>(entry.get()).ok();
        let read = boleto.as_ref().and_then(|boleto| {
            Some((boleto.id, Status::read(&boleto.status)?, payment_in(boleto)))
        });
        add(&mut whole, entry, read);
    }
    Ok(whole)
}

/// Adds what an entry says of a boleto: its id, its status and what reads as its payment.
fn add(page: &mut Page, entry: &RawValue, read: Option<(u64, Status, Option<BoletoConfirmation>)>) {
    match read {
        Some((_, Status::Paid, Some(paid))) => page.events.push(Event::BoletoPaid(paid)),
        Some((_, Status::Paid, None)) | None => page.unreadable.push(entry.get().to_owned()),
        Some((charge_id, status, _)) => status.log(charge_id),
    }
}

fn new_charge<'a>(door: &'a str, order: &'a BoletoRequest) -> NewCharge<'a> {
    NewCharge {
        items: [Item {
            name: order.merchant_name.chars().take(NAME_LENGTH_MAX).collect(),
            value: order.amount.get(),
            amount: 1,
        }],
        metadata: Metadata { custom_id: &order.reference, notification_url: door },
        payment: NewPayment {
            banking_billet: NewBillet {
                customer: customer(&order.payer.name, &order.payer.document),
                expire_at: order.due_on.to_string(),
                configurations: Configurations { days_to_write_off: WRITE_OFF_DAYS },
            },
        },
    }
}

fn customer<'a>(name: &'a str, document: &'a Document) -> Customer<'a> {
    if document.is_cpf() {
        return Customer::Person { name, cpf: document.as_str() };
    }
    let company = Company { corporate_name: name, cnpj: document.as_str() };
    Customer::Company { juridical_person: company }
}

fn listed(operation: &'static str, from: &str, to: &str, page: u64) -> Call {
    Call::get(operation, "/v1/charges")
        .query("charge_type", "billet")
        .query("begin_date", from)
        .query("end_date", to)
        .query("limit", &PER_PAGE.to_string())
        .query("page", &page.to_string())
}

/// The boleto, if it is the one that was ordered.
fn issued(
    order: &BoletoOrder,
    charge_id: u64,
    total: i64,
    billet: Billet,
) -> Result<Registration, ProviderError> {
    if Cents::new(total) != order.amount || billet.expire_at != order.due_on {
        return Err(contradiction("another boleto has this reference"));
    }
    let barcode = Barcode::parse_line(&billet.barcode)
        .map_err(|_| contradiction("the boleto's line cannot be read"))?;
    let pix_code = billet.pix.map(|pix| pix.qrcode);
    // Efí has no other number of a boleto.
    let (bank_code, our_number) = (charge_id.to_string(), charge_id.to_string());
    Ok(Registration::Issued(IssuedBoleto {
        bank_code,
        our_number,
        barcode,
        pix_code,
        pix_txid: None,
    }))
}

/// The payment of a change by which the boleto was paid.
fn payment_of(change: &Change) -> Option<BoletoConfirmation> {
    let local: DateTime = change.created_at.parse().ok()?;
    let paid_at = match change.received_by_bank_at {
        Some(day) if day != local.date() => sao_paulo_start_of_day(day),
        _ => sao_paulo_instant(local),
    };
    let reference = change.custom_id.as_deref().unwrap_or_default();
    paid(change.identifiers.charge_id, reference, change.value?, paid_at)
}

fn payment_in(boleto: &Listed) -> Option<BoletoConfirmation> {
    let local: DateTime = boleto.payment.paid_at.as_ref()?.parse().ok()?;
    let reference = boleto.custom_id.as_deref().unwrap_or_default();
    paid(boleto.id, reference, boleto.payment.paid_value?, sao_paulo_instant(local))
}

/// A payment; Efí gives it no id of its own, so that of the boleto stands for it.
fn paid(charge_id: u64, reference: &str, cents: i64, at_micros: i64) -> Option<BoletoConfirmation> {
    let is_sound = cents > 0 && (reference.is_empty() || is_name(reference));
    is_sound.then(|| BoletoConfirmation {
        bank_code: charge_id.to_string(),
        reference: reference.to_owned(),
        payment_id: charge_id.to_string(),
        amount: Cents::new(cents),
        paid_at: Timestamp::from_micros(at_micros),
        covers: Covers::Payment,
    })
}
