//! Transactions: payments, from the code a buyer gets to the money on the merchant's balance.
//!
//! `status` is the machine, `create` issues, `confirm` defines what "paid" means, `close` ends
//! what was not paid, `receive` is where banks tell that money arrived.

use brazil::document::Document;
use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clients::Customer;
use crate::error::{Error, Result};
use crate::events::names::Name;
use crate::events::payloads::{CustomerPayload, LinkReference, TransactionPayload};
use crate::events::{self, Event, EventName};
use crate::ids::{ClientId, PaymentLinkId, Scope, TransactionId};
use crate::products::Item;
use crate::transactions::status::Status;
use crate::transactions::terms::Terms;

pub mod api;
pub mod callback_api;
pub mod close;
pub mod confirm;
pub mod create;
pub mod intake;
pub mod jobs;
pub mod list;
pub mod receive;
pub mod simulate;
pub mod status;
pub mod status_token;
mod store;
pub mod terms;
pub mod view;

/// The topic under which a unit tells that a payment changed.
pub const CHANGED: &str = "transaction changed";

/// How a buyer pays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Method {
    Pix,
}

/// Where something is to be sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Address {
    pub postal_code: String,
    pub street: String,
    pub number: String,
    pub complement: Option<String>,
    pub district: String,
    pub city: String,
    pub state: String,
}

/// A payment.
#[derive(Debug, Clone)]
pub struct Transaction {
    pub id: TransactionId,
    /// Grows with every change; orders the payment's events.
    pub version: i64,
    pub status: Status,
    pub method: Method,
    pub external_id: Option<String>,
    pub link: Option<LinkReference>,
    pub items: Vec<Item>,
    pub client: ClientId,
    pub customer: Customer,
    pub address: Option<Address>,
    pub amount: Cents,
    pub paid: Option<Cents>,
    pub refunded: Cents,
    pub discount: Cents,
    pub interest: Cents,
    pub fee: Cents,
    pub installments: i64,
    pub provider: String,
    pub pix: Option<Pix>,
    pub paid_late: bool,
    pub failure_reason: Option<String>,
    pub metadata: serde_json::Value,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    pub paid_at: Option<Timestamp>,
    pub cancelled_at: Option<Timestamp>,
    pub expired_at: Option<Timestamp>,
}

/// What a PIX payment has beyond any other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pix {
    pub txid: String,
    /// What the payer copies and pastes.
    pub code: String,
    /// The payment's name in the PIX system, once it arrived.
    pub end_to_end_id: Option<String>,
}

impl Method {
    /// The contract's word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pix => "PIX",
        }
    }
}

impl Transaction {
    /// Whether its time to be paid is over although nothing has said so yet.
    pub fn is_overdue(&self, now: Timestamp) -> bool {
        self.status == Status::Pending && self.expires_at.is_some_and(|at| at <= now)
    }

    /// The payment as receivers of events see it.
    pub fn payload(&self, scope: Scope, terms: &Terms) -> TransactionPayload {
        TransactionPayload {
            id: self.id,
            external_id: self.external_id.clone(),
            amount: self.amount,
            paid_amount: self.paid,
            refunded_amount: self.refunded,
            discount_amount: self.discount,
            fee_cents: self.fee,
            status: self.status.name(),
            method: self.method.name(),
            currency: "BRL",
            installments: self.installments,
            paid_late: self.paid_late,
            receipt_url: self.paid_at.map(|_| terms.receipt_url(scope, self)),
            end_to_end_id: self.pix.as_ref().and_then(|pix| pix.end_to_end_id.clone()),
            metadata: self.metadata.clone(),
            created_at: self.created_at,
            updated_at: self.updated_at,
            expires_at: self.expires_at,
            paid_at: self.paid_at,
        }
    }

    /// The buyer as receivers of events see him.
    pub fn customer_payload(&self) -> CustomerPayload {
        CustomerPayload {
            id: self.client,
            name: self.customer.name.clone(),
            email: self.customer.email.clone(),
            tax_id: self.customer.document.as_ref().map(Document::masked),
        }
    }
}

/// Finds a payment as it is written down; one whose time is over may still be open there.
pub async fn find(tx: &Tx, scope: Scope, id: TransactionId) -> Result<Transaction> {
    store::find(tx, scope, id).await?.ok_or(Error::NotFound("Transaction"))
}

/// Finds the payment that a link's public page is about.
pub async fn find_for_link(
    tx: &Tx,
    scope: Scope,
    link: PaymentLinkId,
    id: TransactionId,
) -> Result<Transaction> {
    let found = find(tx, scope, id).await?;
    match &found.link {
        Some(reference) if reference.id == link => Ok(found),
        _ => Err(Error::NotFound("Transaction")),
    }
}

/// Tells of a change that is not a payment.
async fn announce(
    tx: &Tx,
    scope: Scope,
    terms: &Terms,
    name: Name,
    transaction: &Transaction,
) -> Result<()> {
    let event = Event::Transaction {
        name: EventName(name),
        transaction: Box::new(transaction.payload(scope, terms)),
        customer: transaction.customer_payload(),
    };
    tx.notify(CHANGED, transaction.id.0);
    events::emit(tx, scope, transaction.version, &event).await
}
