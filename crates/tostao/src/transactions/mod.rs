//! Transactions: payments, from the code a buyer gets to the money on the merchant's balance.
//!
//! `status` is the state machine. `quote` prices, `issue` calls the banks, `create` stores; a card
//! is charged by `charge`. `receive` applies the banks' confirmations, `confirm` defines what
//! "paid" means, `close` ends what was not paid, `unmatched` holds receipts that do not fit their
//! payment, `unknown` those that match no charge. `refunds` pays money back, `returns` sends back
//! money that no payment accounts for; `disputes` holds what a buyer contests, and `holds` computes
//! whose money a refund or a dispute takes. `boletos` closes boletos that a bank registered and no
//! payment has. `receipts` mails buyers the receipts of what they paid.

use std::collections::{BTreeSet, HashMap};

use brazil::boleto::Barcode;
use brazil::card_brand::CardBrand;
use db::text_enum;
use db::time::Timestamp;
use db::tx::Tx;
use jiff::civil::Date;
use ledger::cents::Cents;
use rails::card::DeclineCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::clients::CustomerDetails;
use crate::events::names::Name;
use crate::payment_links::events::PaymentLinkReference;
use crate::platform::error::{Error, Result};
use crate::platform::ids::{ClientId, Scope, TransactionId};
use crate::products::Item;
use crate::store::Sums;
use crate::subscriptions::charges::PeriodReference;
use crate::transactions::close::expire_if_overdue;
use crate::transactions::events::TransactionChanged;
use crate::transactions::incoming_payment::{IncomingPayment, Rail};
use crate::transactions::status::Status;
use crate::transactions::terms::PaymentTerms;
use crate::transactions::view::TransactionView;
use crate::webhooks;

pub mod api;
pub mod boletos;
pub mod callback_api;
pub mod captured;
mod changes;
pub mod charge;
pub mod charge_admin_api;
pub mod close;
pub mod confirm;
pub mod create;
pub mod deciding;
pub mod disputes;
mod drawn_codes;
pub mod erasing;
pub mod events;
pub mod export;
pub mod export_api;
pub mod failure;
mod holds;
pub mod incoming_payment;
pub mod issue;
pub mod jobs;
pub mod list;
pub mod metadata;
pub mod owners;
mod payees;
pub mod qr_code;
pub mod quote;
pub mod receipts;
pub mod receive;
pub mod refunds;
pub mod request;
pub mod returns;
pub mod simulate;
pub mod status;
pub mod status_token;
mod store;
pub mod subscriber;
pub mod terms;
pub mod unknown;
pub mod unmatched;
pub mod validation;
pub mod view;

/// The topic on which a unit publishes that a payment changed.
pub const CHANGED: &str = "transaction changed";

text_enum! {
    /// The payment method of a transaction.
    pub enum Method as "TransactionMethod" {
        Pix = "PIX",
        Boleto = "BOLETO",
        CreditCard = "CREDIT_CARD",
        /// A coupon covered the whole amount.
        Free = "FREE",
    }
}

/// A payment method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum PaymentMethod {
    Pix,
    Boleto,
    CreditCard,
}

/// A postal address in Brazil.
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
    /// Incremented by every change; orders the payment's events.
    pub version: i64,
    pub status: Status,
    pub method: Method,
    pub external_id: Option<String>,
    pub link: Option<PaymentLinkReference>,
    /// The subscription period that it pays for.
    pub period: Option<PeriodReference>,
    /// What it is for, where neither a link nor products say so.
    pub description: Option<String>,
    pub items: Vec<Item>,
    pub client: ClientId,
    pub customer: CustomerDetails,
    pub address: Option<Address>,
    pub amount: Cents,
    pub paid: Option<Cents>,
    /// Refunds in progress.
    pub refunding: Cents,
    pub refunded: Cents,
    pub discount: Cents,
    pub interest: Cents,
    pub fee: Cents,
    pub installments: i64,
    pub coupon_code: Option<String>,
    /// The code of the affiliate who has a commission on it.
    pub affiliate_code: Option<String>,
    pub provider: String,
    pub pix: Option<Pix>,
    pub boleto: Option<Boleto>,
    pub card: Option<Card>,
    pub paid_late: bool,
    /// It was paid late, when what it pays for was no longer available; no stock was taken for it.
    pub oversold: bool,
    /// Unmatched receipts that are not decided on.
    pub unmatched: Cents,
    pub decline_code: Option<DeclineCode>,
    pub failure_reason: Option<String>,
    pub metadata: serde_json::Value,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    pub paid_at: Option<Timestamp>,
    pub cancelled_at: Option<Timestamp>,
    pub expired_at: Option<Timestamp>,
    pub failed_at: Option<Timestamp>,
    pub refunded_at: Option<Timestamp>,
}

/// The PIX details of a payment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pix {
    pub txid: String,
    /// The code that the payer copies and pastes.
    pub code: String,
    /// The end-to-end id in the PIX system, once it is paid.
    pub end_to_end_id: Option<String>,
}

/// The boleto details of a payment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Boleto {
    /// What the bank names it by from the order on, is asked by, and closes it by.
    pub bank_code: String,
    /// Our reference, which its bank was given; boletos of earlier releases have none.
    pub reference: Option<String>,
    pub due_on: Date,
    /// What it is paid by; `None` while its bank makes it.
    pub made: Option<MadeBoleto>,
    /// The bank's identifier of its payment, once it is paid.
    pub payment_id: Option<String>,
}

/// A boleto that its bank has made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeBoleto {
    /// The bank's number for it (*nosso número*).
    pub number: String,
    pub barcode: Barcode,
}

/// The card details of a payment; the card number never reaches this server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    pub brand: CardBrand,
    pub last4: String,
    /// Identifies the card, whatever buyer uses it.
    pub fingerprint: String,
    pub authorization_code: Option<String>,
}

impl Address {
    /// The address as banks and acquirers ask for it.
    pub fn for_rails(&self) -> rails::address::Address {
        let Self { postal_code, street, number, complement, district, city, state } = self.clone();
        rails::address::Address { postal_code, street, number, complement, district, city, state }
    }
}

impl From<PaymentMethod> for Method {
    fn from(wanted: PaymentMethod) -> Self {
        match wanted {
            PaymentMethod::Pix => Self::Pix,
            PaymentMethod::Boleto => Self::Boleto,
            PaymentMethod::CreditCard => Self::CreditCard,
        }
    }
}

impl Transaction {
    /// Whether its deadline has passed although it is still stored as pending.
    pub fn is_past_deadline(&self, now: Timestamp) -> bool {
        self.status == Status::Pending && self.expires_at.is_some_and(|at| at <= now)
    }

    /// The payment as of a given time: expired after its deadline, even if its row does not say so
    /// yet.
    #[must_use]
    pub fn at(self, now: Timestamp) -> Self {
        if !self.is_past_deadline(now) {
            return self;
        }
        Self { status: Status::Expired, expired_at: self.expires_at, ..self }
    }

    /// The payment with the identifier of its receipt.
    fn with_payment_id(self, incoming: &IncomingPayment) -> Self {
        let id = || Some(incoming.payment_id.clone());
        match incoming.rail {
            Rail::Pix => {
                let pix = self.pix.map(|pix| Pix { end_to_end_id: id(), ..pix });
                Self { pix, ..self }
            }
            Rail::Boleto => {
                let boleto = self.boleto.map(|boleto| Boleto { payment_id: id(), ..boleto });
                Self { boleto, ..self }
            }
            Rail::Card => {
                let card = self.card.map(|card| Card { authorization_code: id(), ..card });
                Self { card, ..self }
            }
            Rail::Free => self,
        }
    }

    /// Its boleto, once its bank has made it.
    pub fn made_boleto(&self) -> Option<&MadeBoleto> {
        self.boleto.as_ref()?.made.as_ref()
    }

    /// The error for a charge that failed.
    ///
    /// A card whose token could not be used was not declined: its issuer was not asked.
    pub fn declined(&self) -> Error {
        if self.failure_reason.as_deref() == Some(charge::UNUSABLE_TOKEN) {
            return issue::unusable_token();
        }
        let code = self.decline_code.map_or("processing_error", DeclineCode::name);
        Error::Declined(code.to_owned())
    }

    /// Whether another charge of its amount is the same purchase: neither a link, products, a
    /// period of a subscription, a coupon nor an affiliate has a part in it.
    pub fn is_of_an_amount_alone(&self) -> bool {
        self.link.is_none()
            && self.items.is_empty()
            && self.period.is_none()
            && self.coupon_code.is_none()
            && self.affiliate_code.is_none()
    }

    /// Its price, before the discount of a coupon and the interest of installments.
    pub fn price(&self) -> Cents {
        let undiscounted = self.amount.plus(self.discount);
        undiscounted.and_then(|sum| sum.minus(self.interest)).unwrap_or(self.amount)
    }

    /// The end-to-end id of the PIX that paid it.
    pub fn paid_by(&self) -> Option<&str> {
        self.pix.as_ref()?.end_to_end_id.as_deref()
    }

    /// How long the buyer had to pay when it was issued.
    pub fn seconds_to_pay(&self) -> Option<i64> {
        let seconds = self.expires_at?.since(self.created_at).as_secs();
        i64::try_from(seconds).ok()
    }
}

/// Finds a payment as stored; an overdue one may still be open there.
pub async fn find(tx: &Tx, scope: Scope, id: TransactionId) -> Result<Transaction> {
    store::find(tx, scope, id).await?.ok_or(Error::NotFound("Transaction"))
}

/// Finds a scope's payments as stored; those of others are left out.
pub async fn find_all(
    tx: &Tx,
    scope: Scope,
    ids: BTreeSet<TransactionId>,
) -> Result<HashMap<TransactionId, Transaction>> {
    crate::store::find_all(ids, |id| store::find(tx, scope, id)).await
}

/// Reads a payment as of now; an overdue one of simulated money is expired first.
pub async fn current(app: &App, scope: Scope, id: TransactionId) -> Result<Transaction> {
    let (found, now) =
        app.read(async move |tx| Ok((find(tx, scope, id).await?, scope.now(tx)))).await?;
    if !found.is_past_deadline(now) || !scope.mode.is_development() {
        return Ok(found.at(now));
    }
    let terms = PaymentTerms::of(app);
    app.transact(async move |tx| {
        let found = find(tx, scope, id).await?;
        expire_if_overdue(tx, scope, &terms, found).await
    })
    .await
}

/// Locks a payment until the unit ends, to change it and what depends on it.
pub async fn lock(tx: &Tx, scope: Scope, id: TransactionId) -> Result<()> {
    store::lock(tx, scope, id).await
}

/// Sums of payments for the reconciliation, by merchant and mode; see the store.
pub async fn sums(tx: &Tx, of: Option<Scope>) -> Result<Sums<10>> {
    store::sums(tx, of).await
}

/// Emits an event for any transition other than paid.
async fn publish_change(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    name: Name,
    transaction: &Transaction,
) -> Result<()> {
    let view = TransactionView::new(terms, scope, transaction);
    let event =
        TransactionChanged { name, customer: view.customer.clone(), transaction: Box::new(view) };
    tx.notify(CHANGED, transaction.id.0);
    webhooks::publish(tx, scope, transaction.version, &event).await
}
