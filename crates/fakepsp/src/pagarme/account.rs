//! The state of one Pagar.me account, and how it is written as JSON.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::idempotency::Stored;
use crate::notices::Content;
use crate::reply::Reply;
use crate::route::Dialect;
use crate::world::World;

#[derive(Debug, Default)]
pub struct Account {
    pub tokens: BTreeMap<String, Token>,
    pub customers: Vec<Customer>,
    pub cards: Vec<Kept>,
    pub orders: Vec<Order>,
    pub charges: Vec<Charge>,
    pub payables: Vec<Payable>,
    pub hooks: Vec<Hook>,
    pub answers: BTreeMap<String, Stored>,
}

/// A card as the buyer typed it, which no answer shows.
#[derive(Debug, Clone)]
pub struct Card {
    pub number: String,
    pub holder: String,
    pub month: u32,
    pub year: u32,
    pub cvv: String,
}

#[derive(Debug, Clone)]
pub struct Token {
    pub card: Card,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
    pub is_used: bool,
}

#[derive(Debug, Clone)]
pub struct Customer {
    pub id: String,
    pub fields: Value,
    pub created_at: Timestamp,
}

/// A card that was kept for a customer.
#[derive(Debug, Clone)]
pub struct Kept {
    pub id: String,
    pub customer: String,
    pub card: Card,
    pub created_at: Timestamp,
    pub deleted_at: Option<Timestamp>,
}

#[derive(Debug, Clone)]
pub struct Order {
    pub id: String,
    pub code: String,
    pub cents: i64,
    pub items: Value,
    pub customer: Customer,
    pub created_at: Timestamp,
    pub charge: String,
}

#[derive(Debug, Clone)]
pub struct Charge {
    pub id: String,
    pub code: String,
    pub order: String,
    pub cents: i64,
    pub status: &'static str,
    pub paid_cents: i64,
    pub canceled_cents: i64,
    pub installments: u32,
    pub card: Kept,
    pub customer: Customer,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub paid_at: Option<Timestamp>,
    pub canceled_at: Option<Timestamp>,
    pub references: Vec<String>,
    pub last: Transaction,
}

#[derive(Debug, Clone)]
pub struct Transaction {
    pub id: String,
    pub status: &'static str,
    pub is_success: bool,
    pub cents: i64,
    pub operation: &'static str,
    pub return_code: Option<String>,
    pub message: String,
    pub nsu: String,
    pub authorization: Option<String>,
    pub is_antifraud_refusal: bool,
    pub at: Timestamp,
}

/// A part of what the acquirer owes or takes.
#[derive(Debug, Clone)]
pub struct Payable {
    pub id: String,
    /// Whether it is paid out before it is owed.
    pub is_anticipated: bool,
    pub charge: String,
    pub kind: &'static str,
    pub status: &'static str,
    pub cents: i64,
    pub fee_cents: i64,
    pub installment: u32,
    pub pays_at: Timestamp,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// A notice as the account's list of them keeps it.
#[derive(Debug, Clone)]
pub struct Hook {
    pub id: String,
    pub body: Value,
    /// Where it was sent.
    pub url: Option<String>,
}

impl Card {
    pub fn last_four(&self) -> &str {
        &self.number[self.number.len().saturating_sub(4)..]
    }

    pub fn brand(&self) -> &'static str {
        let starts = |prefix: &str| self.number.starts_with(prefix);
        match () {
            () if starts("636368") || starts("509") || starts("650") => "Elo",
            () if starts("34") || starts("37") => "Amex",
            () if starts("606282") => "Hipercard",
            () if starts("5078") => "Aura",
            () if starts("5") || starts("2") => "Mastercard",
            () => "Visa",
        }
    }

    pub fn json(&self) -> Value {
        json!({
            "last_four_digits": self.last_four(),
            "holder_name": self.holder,
            "exp_month": self.month,
            "exp_year": self.year,
            "brand": self.brand(),
        })
    }
}

impl Kept {
    pub fn json(&self) -> Value {
        let mut value = self.card.json();
        value["id"] = json!(self.id);
        value["first_six_digits"] = json!(self.card.number.get(..6));
        value["status"] = json!(if self.deleted_at.is_some() { "deleted" } else { "active" });
        value["type"] = json!("credit");
        value["created_at"] = json!(instant(self.created_at));
        value["updated_at"] = json!(instant(self.created_at));
        value
    }
}

impl Customer {
    pub fn json(&self) -> Value {
        let mut value = self.fields.clone();
        value["id"] = json!(self.id);
        value["delinquent"] = json!(false);
        value["created_at"] = json!(instant(self.created_at));
        value["updated_at"] = json!(instant(self.created_at));
        value
    }
}

impl Charge {
    /// Without its order, as an order holds it.
    pub fn json(&self) -> Value {
        json!({
            "id": self.id,
            "code": self.code,
            "gateway_id": self.id.trim_start_matches("ch_"),
            "amount": self.cents,
            "paid_amount": self.paid_cents,
            "canceled_amount": self.canceled_cents,
            "status": self.status,
            "currency": "BRL",
            "payment_method": "credit_card",
            "paid_at": self.paid_at.map(instant),
            "canceled_at": self.canceled_at.map(instant),
            "created_at": instant(self.created_at),
            "updated_at": instant(self.updated_at),
            "customer": self.customer.json(),
            "last_transaction": self.last.json(self),
        })
    }
}

impl Transaction {
    fn json(&self, charge: &Charge) -> Value {
        let errors = if self.status == "with_error" {
            json!([{ "message": "Timeout na comunicação com a adquirente." }])
        } else {
            json!([])
        };
        let mut value = json!({
            "id": self.id,
            "transaction_type": "credit_card",
            "gateway_id": self.id.trim_start_matches("tran_"),
            "amount": self.cents,
            "status": self.status,
            "success": self.is_success,
            "installments": charge.installments,
            "acquirer_name": "simulator",
            "acquirer_tid": self.nsu,
            "acquirer_nsu": self.nsu,
            "acquirer_auth_code": self.authorization,
            "acquirer_message": self.message,
            "acquirer_return_code": self.return_code,
            "operation_type": self.operation,
            "card": charge.card.json(),
            "created_at": instant(self.at),
            "updated_at": instant(self.at),
            "gateway_response": { "code": "200", "errors": errors },
        });
        let verdict = match self.status {
            _ if self.is_antifraud_refusal => "reproved",
            "analyzing" => "pending",
            _ => "approved",
        };
        value["antifraud_response"] = json!({ "status": verdict, "provider_name": "simulator" });
        value
    }
}

impl Payable {
    pub fn json(&self) -> Value {
        json!({
            "id": self.id,
            "status": self.status,
            "amount": self.cents,
            "fee": self.fee_cents,
            "anticipation_fee": i64::from(self.is_anticipated),
            "fraud_coverage_fee": 0,
            "installment": self.installment,
            "gateway_id": self.charge.trim_start_matches("ch_"),
            "charge_id": self.charge,
            "split_id": null,
            "bulk_anticipation_id": null,
            "anticipation_id": self.is_anticipated.then(|| format!("ra_{}", self.id)),
            "recipient_id": "re_test",
            "originator_model": "transaction",
            "originator_model_id": self.charge,
            "payment_date": instant(self.pays_at),
            "original_payment_date": instant(self.pays_at),
            "type": self.kind,
            "payment_method": "credit_card",
            "accrual_at": instant(self.created_at),
            "created_at": instant(self.created_at),
            "updated_at": instant(self.updated_at),
            "liquidation_arrangement_id": null,
            "settlement_id": null,
            "payment_profile_id": null,
        })
    }
}

impl Account {
    pub fn charge(&self, id: &str) -> Option<&Charge> {
        self.charges.iter().find(|charge| charge.id == id)
    }

    pub fn charge_mut(&mut self, id: &str) -> Option<&mut Charge> {
        self.charges.iter_mut().find(|charge| charge.id == id)
    }

    pub fn order_json(&self, order: &Order) -> Value {
        let charge = self.charge(&order.charge);
        let status = match charge.map(|charge| charge.status) {
            Some("paid" | "overpaid" | "underpaid" | "chargedback") => "paid",
            Some("failed") => "failed",
            Some("canceled") => "canceled",
            _ => "pending",
        };
        json!({
            "id": order.id,
            "code": order.code,
            "amount": order.cents,
            "currency": "BRL",
            "closed": true,
            "items": order.items,
            "customer": order.customer.json(),
            "status": status,
            "created_at": instant(order.created_at),
            "updated_at": instant(charge.map_or(order.created_at, |charge| charge.updated_at)),
            "closed_at": instant(order.created_at),
            "charges": charge.map(Charge::json).into_iter().collect::<Vec<_>>(),
        })
    }

    /// A charge that stands alone names its order.
    pub fn charge_json(&self, charge: &Charge) -> Value {
        let mut value = charge.json();
        if let Some(order) = self.orders.iter().find(|order| order.id == charge.order) {
            let mut order = self.order_json(order);
            if let Some(order) = order.as_object_mut() {
                order.remove("charges");
                order.remove("customer");
            }
            value["order"] = order;
        }
        value
    }

    pub fn json(&self) -> Value {
        let charges = self.charges.iter().map(|charge| self.charge_json(charge));
        json!({
            "orders": self.orders.len(),
            "charges": charges.collect::<Vec<_>>(),
            "cards": self.cards.iter().map(Kept::json).collect::<Vec<_>>(),
            "payables": self.payables.iter().map(Payable::json).collect::<Vec<_>>(),
        })
    }
}

/// Says that something happened to a charge, and to its order.
pub fn emit(world: &mut World, kind: &str, charge: &str) {
    let now = world.now();
    let id = format!("hook_{}", world.ids.alphanumeric(16));
    let Some(charge) = world.pagarme.charge(charge) else { return };
    let data = if kind.starts_with("order.") {
        let order = world.pagarme.orders.iter().find(|order| order.id == charge.order);
        order.map(|order| world.pagarme.order_json(order))
    } else {
        Some(world.pagarme.charge_json(charge))
    };
    let body = json!({
        "id": id,
        "account": { "id": "acc_test", "name": "Conta de teste" },
        "type": kind,
        "created_at": instant(now),
        "data": data,
    });
    let url = world.settings.pagarme_webhook.clone();
    world.pagarme.hooks.push(Hook { id, body: body.clone(), url: url.clone() });
    if let Some(url) = url {
        world.notices.emit(Dialect::Pagarme, kind, &url, &Content::Json(body));
    }
}

/// How Pagar.me writes an instant: UTC without fractions.
pub fn instant(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// A body that does not follow the schema.
pub fn invalid(field: &str, text: &str) -> Reply {
    let error = json!({
        "message": "The request is invalid.",
        "errors": { field: [text] },
        "request": {},
    });
    Reply::json(422, &error)
}

pub fn not_found(what: &str) -> Reply {
    Reply::json(404, &json!({ "message": format!("{what} not found.") }))
}
