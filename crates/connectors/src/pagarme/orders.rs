//! Orders: each charges a card once, and is found by our reference, its code.
//!
//! The header of idempotency repeats an answer for a day only, so a reference is charged once and
//! later asked about.

use std::net::IpAddr;
use std::time::Duration;

use brazil::ascii::fold_to;
use db::time::Timestamp;
use ledger::cents::Cents;
use rails::card::{CardChargeRequest, CardItem, CardSource, ChargeResult, ThreeDSecure};
use rails::connection::Page;
use rails::error::ProviderError;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use upstream::call::Call;
use upstream::failure::Failure;

use crate::failures::{contradiction, provider_error};
use crate::pagarme::cards::stored_parts;
use crate::pagarme::charges::{self, Charge};
use crate::pagarme::customers::Customer;
use crate::pagarme::errors::{IMPOSSIBLE, is_about_the_token};
use crate::pagarme::session::{IDEMPOTENCY_KEY, Session};

const ORDERS: &str = "/core/v5/orders";
/// A buyer waits: ten seconds in all, with the question after a lost answer.
const CHARGED_WITHIN: Duration = Duration::from_secs(7);
const FOUND_WITHIN: Duration = Duration::from_secs(3);
/// Accounts of the payment service show so much on a statement; those of the gateway more.
const STATEMENT_LENGTH_MAX: usize = 13;
const DESCRIPTION_LENGTH_MAX: usize = 256;
const PER_PAGE: usize = 30;
const FIRST: u64 = 1;

#[derive(Serialize)]
struct NewOrder<'a> {
    code: &'a str,
    closed: bool,
    items: Vec<NewItem<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    customer: Option<Customer<'a>>,
    /// Instead, for a stored card, which belongs to a customer.
    #[serde(skip_serializing_if = "Option::is_none")]
    customer_id: Option<&'a str>,
    payments: [NewPayment<'a>; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    ip: Option<IpAddr>,
}

#[derive(Serialize)]
struct NewItem<'a> {
    code: String,
    description: &'a str,
    /// Of one of them.
    amount: i64,
    quantity: i64,
}

#[derive(Serialize)]
struct NewPayment<'a> {
    payment_method: &'static str,
    amount: i64,
    credit_card: NewCreditCard<'a>,
}

#[derive(Serialize)]
struct NewCreditCard<'a> {
    #[serde(flatten)]
    card: Card<'a>,
    installments: i64,
    operation_type: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    statement_descriptor: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    authentication: Option<Authentication<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Card<'a> {
    CardToken(&'a str),
    CardId(&'a str),
}

#[derive(Serialize)]
struct Authentication<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    threed_secure: Authenticated<'a>,
}

#[derive(Serialize)]
struct Authenticated<'a> {
    /// Who authenticated the buyer: another than Pagar.me.
    mpi: &'static str,
    eci: &'a str,
    cavv: &'a str,
    ds_transaction_id: &'a str,
    version: &'a str,
}

/// An order as Pagar.me answers it.
#[derive(Deserialize)]
struct Order {
    code: String,
    amount: i64,
    charges: Vec<Charge>,
}

#[derive(Deserialize)]
struct Listed<T> {
    data: Vec<T>,
}

#[derive(Deserialize)]
struct ListedOrder {
    code: String,
    charges: Vec<Box<RawValue>>,
}

/// Charges a card; a lost answer is looked for by our reference.
pub async fn charge(
    session: &Session,
    order: &CardChargeRequest,
) -> Result<ChargeResult, ProviderError> {
    let call = Call::post("charge_card", ORDERS)
        .header(IDEMPOTENCY_KEY, &order.reference)
        .json(&new_order(order)?)
        .within(CHARGED_WITHIN);
    match session.ask::<Order>(call).await {
        Ok(placed) => ours(order, placed),
        Err(failure @ (Failure::Unknown { .. } | Failure::Duplicate { .. })) => {
            match by_code(session, &order.reference).await {
                Ok(Some(placed)) => ours(order, placed),
                // The first failure says more than that the order is not there.
                Ok(None) | Err(_) => Err(provider_error(failure)),
            }
        }
        Err(Failure::Refused { code, text, .. }) if is_about_the_token(&code, &text) => {
            Err(ProviderError::UnusableToken)
        }
        // What is valid and cannot be done is about the operator's account.
        Err(Failure::Refused { status: IMPOSSIBLE, code, .. }) => {
            Err(ProviderError::misconfigured(format!("a charge is not accepted: {code}")))
        }
        Err(failure) => Err(provider_error(failure)),
    }
}

/// The result of the charge of our reference and amount; `None` if there is none.
pub async fn find(
    session: &Session,
    reference: &str,
    amount: Cents,
) -> Result<Option<ChargeResult>, ProviderError> {
    let charge = find_charge(session, reference).await?;
    charge.map(|charge| decided(&charge, amount)).transpose()
}

/// The charge of our reference; `None` if there is none.
pub async fn find_charge(
    session: &Session,
    reference: &str,
) -> Result<Option<Charge>, ProviderError> {
    let order = by_code(session, reference).await?;
    order.map(|order| only_charge(reference, order)).transpose()
}

/// A page of the charges of a window, by the time of their order.
pub async fn created_between(
    session: &Session,
    from: Timestamp,
    to: Timestamp,
    cursor: Option<&str>,
) -> Result<Page, ProviderError> {
    let page = cursor.and_then(|text| text.parse().ok()).unwrap_or(FIRST);
    let call = Call::get("list_orders", ORDERS)
        .query("created_since", &from.to_string())
        .query("created_until", &to.to_string())
        .query("page", &page.to_string())
        .query("size", &PER_PAGE.to_string());
    let listed: Listed<Box<RawValue>> = session.ask(call).await.map_err(provider_error)?;
    let next = (listed.data.len() == PER_PAGE).then(|| page.saturating_add(1).to_string());
    let mut whole = Page { next, ..Page::default() };
    for entry in &listed.data {
        match serde_json::from_str::<ListedOrder>(entry.get()) {
            Ok(order) => {
                for charge in &order.charges {
                    charges::read(charge, &order.code, &mut whole);
                }
            }
            Err(_) => whole.unreadable.push(entry.get().to_owned()),
        }
    }
    Ok(whole)
}

async fn by_code(session: &Session, code: &str) -> Result<Option<Order>, ProviderError> {
    let call = Call::get("find_order", ORDERS).query("code", code).within(FOUND_WITHIN);
    let found = session.ask::<Listed<Order>>(call).await;
    let mut found = match found {
        Ok(listed) => listed.data.into_iter().filter(|order| order.code == code),
        Err(Failure::NotFound { .. }) => return Ok(None),
        Err(failure) => return Err(provider_error(failure)),
    };
    match (found.next(), found.next()) {
        (order, None) => Ok(order),
        (_, Some(_)) => Err(contradiction("several orders have this reference")),
    }
}

/// The result of the charge that was ordered.
fn ours(order: &CardChargeRequest, placed: Order) -> Result<ChargeResult, ProviderError> {
    decided(&only_charge(&order.reference, placed)?, order.amount)
}

fn decided(charge: &Charge, amount: Cents) -> Result<ChargeResult, ProviderError> {
    if Cents::new(charge.amount) != amount {
        return Err(contradiction("another charge has this reference"));
    }
    charge.verdict().ok_or_else(|| contradiction("the charge is not as it was ordered"))
}

/// An order of ours has one charge, of its whole amount.
fn only_charge(reference: &str, order: Order) -> Result<Charge, ProviderError> {
    let (is_ours, amount) = (order.code == reference, order.amount);
    let mut charges = order.charges.into_iter();
    match (charges.next(), charges.next()) {
        (Some(charge), None) if is_ours && charge.amount == amount => Ok(charge),
        _ => Err(contradiction("another order has this reference")),
    }
}

fn new_order(order: &CardChargeRequest) -> Result<NewOrder<'_>, ProviderError> {
    let (card, customer_id) = match &order.source {
        CardSource::Token(token) => (Card::CardToken(token), None),
        CardSource::Stored(id) => {
            let unknown = || ProviderError::refused("the card is unknown");
            let (customer, card) = stored_parts(id).ok_or_else(unknown)?;
            (Card::CardId(card), Some(customer))
        }
    };
    let credit_card = NewCreditCard {
        card,
        installments: order.installments,
        operation_type: "auth_and_capture",
        statement_descriptor: fold_to(&order.statement, STATEMENT_LENGTH_MAX),
        authentication: order.authentication.as_ref().map(authentication),
    };
    let amount = order.amount.get();
    Ok(NewOrder {
        code: &order.reference,
        closed: true,
        items: items(order),
        customer: customer_id.is_none().then(|| Customer::new(&order.buyer)),
        customer_id,
        payments: [NewPayment { payment_method: "credit_card", amount, credit_card }],
        ip: order.ip,
    })
}

/// The items, if their total is the amount. An order's total is that of its items, so discounts and
/// interest leave one item of the whole amount.
fn items(order: &CardChargeRequest) -> Vec<NewItem<'_>> {
    let mut parts = order.items.iter().map(|item| item.amount.times(item.quantity));
    let total = parts.try_fold(Cents::ZERO, |sum, part| part.and_then(|part| sum.plus(part)));
    if total == Some(order.amount) {
        return order.items.iter().enumerate().map(item).collect();
    }
    let first = order.items.first().map(|item| &*item.description);
    let description = cut(first.unwrap_or(&order.statement));
    vec![NewItem { code: "1".to_owned(), description, amount: order.amount.get(), quantity: 1 }]
}

fn item((index, item): (usize, &CardItem)) -> NewItem<'_> {
    NewItem {
        code: (index + 1).to_string(),
        description: cut(&item.description),
        amount: item.amount.get(),
        quantity: item.quantity,
    }
}

fn cut(text: &str) -> &str {
    let end = text.char_indices().nth(DESCRIPTION_LENGTH_MAX).map_or(text.len(), |(at, _)| at);
    &text[..end]
}

fn authentication(given: &ThreeDSecure) -> Authentication<'_> {
    Authentication {
        kind: "threed_secure",
        threed_secure: Authenticated {
            mpi: "third_party",
            eci: &given.indicator,
            cavv: &given.cryptogram,
            ds_transaction_id: &given.transaction_id,
            version: &given.version,
        },
    }
}
