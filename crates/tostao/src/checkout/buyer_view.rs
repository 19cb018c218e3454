//! A payment as its buyer may see it: the amount, the method and the status.
//!
//! It is a list of what may be seen. The merchant's notes, net amount and debts are not part of it.

use db::time::Timestamp;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::Serialize;

use crate::platform::ids::{Scope, TransactionId};
use crate::transactions::qr_code::QrCodePlaceholder;
use crate::transactions::status::Status;
use crate::transactions::terms::PaymentTerms;
use crate::transactions::view::{BoletoView, CardView, boleto, card};
use crate::transactions::{Method, Transaction};

/// A transaction as its buyer sees it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PublicTransaction")]
pub struct PublicTransactionView {
    id: TransactionId,
    status: Status,
    method: Method,
    amount: Cents,
    paid_amount: Option<Cents>,
    refunded_amount: Cents,
    currency: &'static str,
    items: Vec<PublicItem>,
    /// How to pay, while the payment can be made.
    pix: Option<PublicPixDetails>,
    /// Null while the bank makes the boleto.
    boleto: Option<BoletoView>,
    card: Option<CardView>,
    /// The discount of the coupon, in cents.
    discount_amount: Cents,
    /// The interest on the installments, in cents.
    interest_amount: Cents,
    installments: i64,
    coupon_code: Option<String>,
    decline_code: Option<String>,
    paid_late: bool,
    /// The URL of the buyer's payment page.
    payment_url: String,
    receipt_url: Option<String>,
    /// Whether the payment is simulated (development environment).
    dev_mode: bool,
    created_at: Timestamp,
    expires_at: Option<Timestamp>,
    paid_at: Option<Timestamp>,
}

/// An item of the order.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PublicTransactionItem")]
pub struct PublicItem {
    name: String,
    quantity: i64,
    unit_price: Cents,
}

/// The details of a payable PIX charge.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PublicPixDetails")]
pub struct PublicPixDetails {
    /// The PIX code to copy and paste (copia e cola).
    br_code: String,
    /// The QR code as a base64-encoded PNG; only in the response to the checkout. Null with
    /// `?qrCode=none`.
    #[schemars(with = "Option<String>")]
    qr_code_base64: QrCodePlaceholder,
}

impl PublicTransactionView {
    /// Shows a payment.
    pub fn new(terms: &PaymentTerms, scope: Scope, transaction: &Transaction) -> Self {
        let payable = transaction.status == Status::Pending;
        let items = transaction.items.iter().map(|item| PublicItem {
            name: item.name.clone(),
            quantity: item.quantity,
            unit_price: item.unit_price,
        });
        let pix = transaction.pix.as_ref().filter(|_| payable);
        let pix = pix.map(|pix| PublicPixDetails {
            br_code: pix.code.clone(),
            qr_code_base64: QrCodePlaceholder,
        });
        let paid = transaction.paid_at.is_some();
        Self {
            id: transaction.id,
            status: transaction.status,
            method: transaction.method,
            amount: transaction.amount,
            paid_amount: transaction.paid,
            refunded_amount: transaction.refunded,
            currency: "BRL",
            items: items.collect(),
            pix,
            boleto: boleto(terms, scope, transaction).filter(|_| payable),
            card: card(transaction),
            discount_amount: transaction.discount,
            interest_amount: transaction.interest,
            installments: transaction.installments,
            coupon_code: transaction.coupon_code.clone(),
            decline_code: transaction.decline_code.map(|code| code.name().to_owned()),
            paid_late: transaction.paid_late,
            payment_url: terms.payment_url(scope, transaction),
            receipt_url: paid.then(|| terms.receipt_url(scope, transaction)),
            dev_mode: scope.mode.is_development(),
            created_at: transaction.created_at,
            expires_at: transaction.expires_at,
            paid_at: transaction.paid_at,
        }
    }
}
