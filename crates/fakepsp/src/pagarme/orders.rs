//! Orders, each with one charge on a card.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::account::{
    Charge, Customer, Kept, Order, Transaction, emit, instant, invalid, not_found,
};
use super::cards::{self, Verdict};
use super::{idempotency, outcome, people};
use crate::call::{Answer, Call};
use crate::reply::Reply;
use crate::world::World;

const INSTALLMENTS_MAX: u64 = 12;
const PAGE_SIZE: usize = 10;
const DESCRIPTOR_MAX: usize = 22;

/// A declined card is an answer like any other: 200, and a charge that failed.
pub fn create(world: &mut World, call: &Call) -> Answer {
    idempotency::once(world, call, |world, call| {
        let (cents, items) = items(world, call)?;
        let payment = payment(call, cents)?;
        let customer = customer(world, call)?;
        let card = card(world, call)?;
        let id = place(world, call, cents, items, payment, customer, card);
        let account = &world.pagarme;
        let order = account.orders.iter().find(|order| order.id == id);
        Ok(Reply::json(200, &json!(order.map(|order| account.order_json(order)))))
    })
}

pub fn get(world: &mut World, call: &Call) -> Answer {
    let account = &world.pagarme;
    let order = account.orders.iter().find(|order| order.id == call.segment(3));
    let order = order.ok_or_else(|| not_found("Order"))?;
    Ok(Reply::json(200, &account.order_json(order)))
}

pub fn list(world: &mut World, call: &Call) -> Answer {
    let account = &world.pagarme;
    let bound = |name: &str| call.parameter(name).and_then(|it| it.parse::<Timestamp>().ok());
    let (since, until) = (bound("created_since"), bound("created_until"));
    let wanted = |order: &&Order| {
        call.parameter("code").is_none_or(|code| code == order.code)
            && since.is_none_or(|since| order.created_at >= since)
            && until.is_none_or(|until| order.created_at <= until)
    };
    let orders: Vec<Value> =
        account.orders.iter().rev().filter(wanted).map(|it| account.order_json(it)).collect();
    Ok(Reply::json(200, &page(call, orders)))
}

/// Pages begin with 1, the newest first.
pub fn page(call: &Call, items: Vec<Value>) -> Value {
    let number = |name: &str, default: usize| {
        call.parameter(name).and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let (page, size) = (number("page", 1).max(1), number("size", PAGE_SIZE).clamp(1, 30));
    let total = items.len();
    let on_page: Vec<Value> = items.into_iter().skip((page - 1) * size).take(size).collect();
    let next =
        (page * size < total).then(|| format!("{}?page={}&size={size}", call.path, page + 1));
    json!({ "data": on_page, "paging": { "total": total, "next": next } })
}

/// What a payment asks for.
#[derive(Clone, Copy)]
struct Payment {
    cents: i64,
    installments: u32,
    captures: bool,
}

fn place(
    world: &mut World,
    call: &Call,
    cents: i64,
    items: Value,
    payment: Payment,
    customer: Customer,
    card: Kept,
) -> String {
    let now = world.now();
    let document = customer.fields["document"].as_str().unwrap_or_default().to_owned();
    let verdict = cards::verdict(world, &card.card, &document);
    let order_id = format!("or_{}", world.ids.alphanumeric(16));
    let charge_id = format!("ch_{}", world.ids.alphanumeric(16));
    let code = call.text_at("/code").map_or_else(|| world.ids.alphanumeric(10), str::to_owned);
    let last = transaction(world, &verdict, &payment, now);
    let status = match verdict {
        Verdict::Approved if payment.captures => "paid",
        Verdict::Approved | Verdict::Analyzed => "pending",
        Verdict::Unclear => "processing",
        Verdict::Declined(_) | Verdict::Fraud => "failed",
    };
    world.pagarme.charges.push(Charge {
        id: charge_id.clone(),
        code: code.clone(),
        order: order_id.clone(),
        cents: payment.cents,
        status,
        paid_cents: 0,
        canceled_cents: 0,
        installments: payment.installments,
        card,
        customer: customer.clone(),
        created_at: now,
        updated_at: now,
        paid_at: None,
        canceled_at: None,
        references: Vec::new(),
        last,
    });
    let order = Order {
        id: order_id.clone(),
        code,
        cents,
        items,
        customer,
        created_at: now,
        charge: charge_id.clone(),
    };
    world.pagarme.orders.push(order);
    match status {
        "paid" => outcome::settle(world, &charge_id, payment.cents),
        "failed" => outcome::fail(world, &charge_id),
        _ if verdict == Verdict::Analyzed => emit(world, "charge.antifraud_pending", &charge_id),
        _ => {}
    }
    order_id
}

fn transaction(
    world: &mut World,
    verdict: &Verdict,
    payment: &Payment,
    now: Timestamp,
) -> Transaction {
    let approved = *verdict == Verdict::Approved;
    let (status, code, message) = match verdict {
        Verdict::Approved if payment.captures => {
            ("captured", Some("00".to_owned()), "Transação capturada com sucesso")
        }
        Verdict::Approved => {
            ("authorized_pending_capture", Some("00".to_owned()), "Transação autorizada")
        }
        Verdict::Declined(code) => {
            ("not_authorized", Some(code.clone()), "Transação não autorizada")
        }
        Verdict::Unclear => ("with_error", None, "Timeout"),
        Verdict::Analyzed => ("analyzing", None, "Em análise pelo antifraude"),
        Verdict::Fraud => ("not_authorized", None, "Recusada pelo antifraude"),
    };
    Transaction {
        id: format!("tran_{}", world.ids.alphanumeric(16)),
        status,
        is_success: approved,
        cents: payment.cents,
        operation: if payment.captures { "auth_and_capture" } else { "auth_only" },
        return_code: code,
        message: message.to_owned(),
        nsu: world.ids.digits(9),
        authorization: approved.then(|| world.ids.digits(6)),
        is_antifraud_refusal: *verdict == Verdict::Fraud,
        at: now,
    }
}

fn items(world: &mut World, call: &Call) -> Result<(i64, Value), Reply> {
    let items = call.at("/items").and_then(Value::as_array).filter(|items| !items.is_empty());
    let items = items.ok_or_else(|| invalid("order.items", "The items field is required."))?;
    let now = instant(world.now());
    let (mut total, mut shown) = (0_i64, Vec::new());
    for (index, item) in items.iter().enumerate() {
        let positive = |name: &str| item[name].as_i64().filter(|count| *count > 0);
        let (Some(amount), Some(quantity), true) =
            (positive("amount"), positive("quantity"), item["description"].is_string())
        else {
            let field = format!("order.items[{index}]");
            return Err(invalid(&field, "amount, quantity and description are required."));
        };
        total = total.saturating_add(amount.saturating_mul(quantity));
        let mut item = item.clone();
        item["id"] = json!(format!("oi_{}", world.ids.alphanumeric(16)));
        item["status"] = json!("active");
        item["created_at"] = json!(now);
        item["updated_at"] = json!(now);
        shown.push(item);
    }
    Ok((total, Value::Array(shown)))
}

/// With interest the payment is more than the items.
fn payment(call: &Call, total_cents: i64) -> Result<Payment, Reply> {
    let payments = call.at("/payments").and_then(Value::as_array);
    let Some([payment]) = payments.map(Vec::as_slice) else {
        return Err(invalid("order.payments", "Exactly one payment is simulated."));
    };
    if payment["payment_method"] != "credit_card" || !payment["credit_card"].is_object() {
        let text = "The payment_method field is invalid.";
        return Err(invalid("order.payments[0].payment_method", text));
    }
    let cents = match &payment["amount"] {
        Value::Null => Some(total_cents),
        amount => amount.as_i64().filter(|cents| *cents > 0),
    };
    let cents = cents.ok_or_else(|| invalid("order.payments[0].amount", "It is invalid."))?;
    let card = &payment["credit_card"];
    let installments = match &card["installments"] {
        Value::Null => Some(1),
        count => count.as_u64().filter(|count| (1..=INSTALLMENTS_MAX).contains(count)),
    };
    let installments = installments.and_then(|count| u32::try_from(count).ok());
    let field = "order.payments[0].credit_card.installments";
    let installments = installments.ok_or_else(|| invalid(field, "It is invalid."))?;
    let descriptor = card["statement_descriptor"].as_str().unwrap_or_default();
    if descriptor.chars().count() > DESCRIPTOR_MAX {
        let field = "order.payments[0].credit_card.statement_descriptor";
        return Err(invalid(field, "It is too long."));
    }
    let captures = match card["operation_type"].as_str() {
        None => card["capture"] != false,
        Some(operation) => operation == "auth_and_capture",
    };
    Ok(Payment { cents, installments, captures })
}

fn customer(world: &mut World, call: &Call) -> Result<Customer, Reply> {
    if let Some(id) = call.text_at("/customer_id") {
        return people::find(world, id).cloned();
    }
    let fields = call.at("/customer");
    let fields = fields.ok_or_else(|| invalid("order.customer", "The field is required."))?.clone();
    people::take(world, &fields, "order.customer")
}

/// One of a token, a kept card, and a card in full.
fn card(world: &mut World, call: &Call) -> Result<Kept, Reply> {
    let pointer = "/payments/0/credit_card";
    let text = |name: &str| call.text_at(&format!("{pointer}/{name}"));
    if let Some(token) = text("card_token") {
        let field = "order.payments[0].credit_card.card_token";
        let used = || invalid(field, "The token is expired or was used.");
        return cards::redeem(world, token).ok_or_else(used);
    }
    if let Some(id) = text("card_id") {
        let kept = world.pagarme.cards.iter();
        let kept = kept.filter(|kept| kept.deleted_at.is_none()).find(|kept| kept.id == id);
        return kept.cloned().ok_or_else(|| not_found("Card"));
    }
    let (card, now) = (cards::read(call, &format!("{pointer}/card"))?, world.now());
    Ok(cards::fresh(world, card, now))
}
