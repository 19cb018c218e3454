//! A payment as the merchant sees it, through the API and in events.

use brazil::document::Document;
use db::text_enum;
use db::time::Timestamp;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::platform::ids::{ClientId, PaymentLinkId, Scope, SubscriptionId, TransactionId};
use crate::products::Item;
use crate::transactions::disputes::{self, Dispute};
use crate::transactions::metadata::Metadata;
use crate::transactions::qr_code::QrCodePlaceholder;
use crate::transactions::refunds::Refund;
use crate::transactions::status::Status;
use crate::transactions::terms::PaymentTerms;
use crate::transactions::unmatched::{self, UnmatchedPayment};
use crate::transactions::{Address, Method, Transaction};

/// A transaction: a payment to the merchant.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Transaction")]
pub struct TransactionView {
    pub id: TransactionId,
    pub external_id: Option<String>,
    pub payment_link_id: Option<PaymentLinkId>,
    /// The subscription that the transaction pays for.
    pub subscription_id: Option<SubscriptionId>,
    /// The description, if there is neither a payment link nor items.
    pub description: Option<String>,
    /// What is paid for; empty if the transaction has only an amount.
    pub items: Vec<Item>,
    pub customer: CustomerView,
    pub amount: Cents,
    pub paid_amount: Option<Cents>,
    pub refunded_amount: Cents,
    pub discount_amount: Cents,
    pub interest_amount: Cents,
    pub fee_cents: Cents,
    /// The net amount in cents, after the fee.
    pub net_amount: Cents,
    pub currency: &'static str,
    pub method: Method,
    pub status: Status,
    /// In how many installments a card pays.
    pub installments: i64,
    /// The code of the coupon that was used.
    pub coupon_code: Option<String>,
    /// The code of the affiliate who earns the commission; null if there is none.
    pub affiliate_code: Option<String>,
    pub pix: Option<PixView>,
    /// The boleto; null while its bank makes it, after which `transaction.updated` is emitted.
    pub boleto: Option<BoletoView>,
    pub card: Option<CardView>,
    /// Why the acquirer declined the card.
    pub decline_code: Option<String>,
    pub failure_reason: Option<String>,
    /// Whether it was paid after it had expired or was cancelled.
    pub paid_late: bool,
    /// Whether it was paid late, when the items were sold out; no stock was reserved for it.
    pub oversold: bool,
    /// The amount of unmatched payments awaiting a decision, in cents.
    pub unmatched_amount: Cents,
    /// The URL of the buyer's payment page.
    pub payment_url: String,
    pub receipt_url: Option<String>,
    #[schemars(with = "Metadata")]
    pub metadata: Value,
    pub dev_mode: bool,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    pub paid_at: Option<Timestamp>,
    pub cancelled_at: Option<Timestamp>,
    pub expired_at: Option<Timestamp>,
    pub failed_at: Option<Timestamp>,
    pub refunded_at: Option<Timestamp>,
}

/// The payer; the document is masked.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "TransactionCustomer")]
pub struct CustomerView {
    pub id: ClientId,
    pub name: String,
    pub email: String,
    pub tax_id: Option<String>,
    pub phone: Option<String>,
    /// The delivery address, if it was requested.
    pub address: Option<Address>,
}

/// The details of a PIX charge.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PixDetails")]
pub struct PixView {
    pub txid: String,
    /// The PIX code to copy and paste (copia e cola).
    pub br_code: String,
    /// The QR code as a base64-encoded PNG; only for a single transaction that can be paid. Null
    /// with `?qrCode=none`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub qr_code_base64: Option<QrCodePlaceholder>,
    pub end_to_end_id: Option<String>,
    pub expires_at: Option<Timestamp>,
}

/// The details of a boleto.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "BoletoDetails")]
pub struct BoletoView {
    /// The digitable line (linha digitável), 47 digits.
    pub digitable_line: String,
    /// The barcode, 44 digits.
    pub barcode: String,
    /// The URL of the printable boleto.
    pub url: String,
    /// The due date.
    pub due_date: String,
}

/// The card that was charged.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "CardDetails")]
pub struct CardView {
    pub brand: &'static str,
    pub last4: String,
}

text_enum! {
    /// What a step of a timeline says.
    pub enum StepKind {
        Created = "CREATED",
        Paid = "PAID",
        Oversold = "OVERSOLD",
        Failed = "FAILED",
        Expired = "EXPIRED",
        Cancelled = "CANCELLED",
        SetAside = "SET_ASIDE",
        Released = "RELEASED",
        ReturnRequested = "RETURN_REQUESTED",
        Returned = "RETURNED",
        RefundRequested = "REFUND_REQUESTED",
        Refunded = "REFUNDED",
        RefundFailed = "REFUND_FAILED",
        Disputed = "DISPUTED",
        DisputeWon = "DISPUTE_WON",
        ChargedBack = "CHARGED_BACK",
    }
}

impl Serialize for StepKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// An entry of a transaction's timeline.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "TimelineStep")]
pub struct TimelineStep {
    pub at: Timestamp,
    /// What happened: `CREATED`, `PAID`, `OVERSOLD`, `FAILED`, `EXPIRED`, `CANCELLED`, `SET_ASIDE`,
    /// `RELEASED`, `RETURN_REQUESTED`, `RETURNED`, `REFUND_REQUESTED`, `REFUNDED`, `REFUND_FAILED`,
    /// `DISPUTED`, `DISPUTE_WON`, or `CHARGED_BACK`.
    #[schemars(with = "String")]
    pub kind: StepKind,
    /// The amount in cents, if money moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amount: Option<Cents>,
    /// The reason, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The end-to-end ID or the bank's reference, if money arrived.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payment_id: Option<String>,
}

impl TransactionView {
    /// Builds the view of a single payment, with a place for its QR code while it can be paid.
    pub fn to_pay(terms: &PaymentTerms, scope: Scope, transaction: &Transaction) -> Self {
        let view = Self::new(terms, scope, transaction);
        let qr_code_base64 = (view.status == Status::Pending).then_some(QrCodePlaceholder);
        Self { pix: view.pix.map(|pix| PixView { qr_code_base64, ..pix }), ..view }
    }

    /// Builds the view of a payment.
    pub fn new(terms: &PaymentTerms, scope: Scope, transaction: &Transaction) -> Self {
        let paid = transaction.paid_at.is_some();
        let net = transaction.amount.minus(transaction.fee).unwrap_or(Cents::ZERO);
        Self {
            id: transaction.id,
            external_id: transaction.external_id.clone(),
            payment_link_id: transaction.link.as_ref().map(|link| link.id),
            subscription_id: transaction.period.map(|period| period.subscription),
            description: transaction.description.clone(),
            items: transaction.items.clone(),
            customer: CustomerView {
                id: transaction.client,
                name: transaction.customer.name.clone(),
                email: transaction.customer.email.clone(),
                tax_id: transaction.customer.document.as_ref().map(Document::masked),
                phone: transaction.customer.phone.clone(),
                address: transaction.address.clone(),
            },
            amount: transaction.amount,
            paid_amount: transaction.paid,
            refunded_amount: transaction.refunded,
            discount_amount: transaction.discount,
            interest_amount: transaction.interest,
            fee_cents: transaction.fee,
            net_amount: net,
            currency: "BRL",
            method: transaction.method,
            status: transaction.status,
            installments: transaction.installments,
            coupon_code: transaction.coupon_code.clone(),
            affiliate_code: transaction.affiliate_code.clone(),
            pix: pix(transaction),
            boleto: boleto(terms, scope, transaction),
            card: card(transaction),
            decline_code: transaction.decline_code.map(|code| code.name().to_owned()),
            failure_reason: transaction.failure_reason.clone(),
            paid_late: transaction.paid_late,
            oversold: transaction.oversold,
            unmatched_amount: transaction.unmatched,
            payment_url: terms.payment_url(scope, transaction),
            receipt_url: paid.then(|| terms.receipt_url(scope, transaction)),
            metadata: transaction.metadata.clone(),
            dev_mode: scope.mode.is_development(),
            created_at: transaction.created_at,
            updated_at: transaction.updated_at,
            expires_at: transaction.expires_at,
            paid_at: transaction.paid_at,
            cancelled_at: transaction.cancelled_at,
            expired_at: transaction.expired_at,
            failed_at: transaction.failed_at,
            refunded_at: transaction.refunded_at,
        }
    }
}

fn pix(transaction: &Transaction) -> Option<PixView> {
    let pix = transaction.pix.as_ref()?;
    Some(PixView {
        txid: pix.txid.clone(),
        br_code: pix.code.clone(),
        qr_code_base64: None,
        end_to_end_id: pix.end_to_end_id.clone(),
        expires_at: transaction.expires_at,
    })
}

/// Builds the view of the boleto, if the payment has one that its bank has made.
pub fn boleto(terms: &PaymentTerms, scope: Scope, transaction: &Transaction) -> Option<BoletoView> {
    let boleto = transaction.boleto.as_ref()?;
    let made = boleto.made.as_ref()?;
    Some(BoletoView {
        digitable_line: made.barcode.line(),
        barcode: made.barcode.as_str().to_owned(),
        url: terms.boleto_url(scope, transaction),
        due_date: boleto.due_on.to_string(),
    })
}

/// Builds the view of the card, if the payment was charged to one.
pub fn card(transaction: &Transaction) -> Option<CardView> {
    let card = transaction.card.as_ref()?;
    Some(CardView { brand: card.brand.name(), last4: card.last4.clone() })
}

/// The payment's history, oldest first.
fn timeline(transaction: &Transaction, unmatched: &[UnmatchedPayment]) -> Vec<TimelineStep> {
    let step = |at, kind| TimelineStep { at, kind, amount: None, reason: None, payment_id: None };
    let mut steps = vec![TimelineStep {
        amount: Some(transaction.amount),
        ..step(transaction.created_at, StepKind::Created)
    }];
    steps.extend(transaction.expired_at.map(|at| step(at, StepKind::Expired)));
    let ended = [
        (transaction.cancelled_at, StepKind::Cancelled),
        (transaction.failed_at, StepKind::Failed),
    ];
    steps.extend(ended.into_iter().filter_map(|(at, kind)| {
        Some(TimelineStep { reason: transaction.failure_reason.clone(), ..step(at?, kind) })
    }));
    steps.extend(transaction.paid_at.map(|at| TimelineStep {
        amount: transaction.paid,
        reason: transaction.paid_late.then(|| "PAID_LATE".to_owned()),
        payment_id: receipt_id(transaction),
        ..step(at, StepKind::Paid)
    }));
    steps.extend(
        transaction.paid_at.filter(|_| transaction.oversold).map(|at| step(at, StepKind::Oversold)),
    );
    for money in unmatched {
        let step = |at, kind| TimelineStep {
            amount: Some(money.amount),
            reason: Some(money.reason.name().to_owned()),
            payment_id: Some(money.payment_id.clone()),
            ..step(at, kind)
        };
        steps.push(step(money.received_at, StepKind::SetAside));
        let decided = match money.status {
            unmatched::Status::Open => None,
            unmatched::Status::Accepted => Some(StepKind::Released),
            unmatched::Status::Returning | unmatched::Status::Returned => {
                Some(StepKind::ReturnRequested)
            }
        };
        steps.extend(money.decided_at.zip(decided).map(|(at, kind)| step(at, kind)));
        steps.extend(money.returned_at.map(|at| step(at, StepKind::Returned)));
    }
    steps.sort_by_key(|step| step.at);
    steps
}

/// The whole history of a payment, oldest first.
pub fn history(
    transaction: &Transaction,
    unmatched: &[UnmatchedPayment],
    refunds: &[Refund],
    disputes: &[Dispute],
) -> Vec<TimelineStep> {
    merge(timeline(transaction, unmatched), later_steps(refunds, disputes))
}

/// The payment's history after it was paid: refunds and disputes.
fn later_steps(refunds: &[Refund], disputes: &[Dispute]) -> Vec<TimelineStep> {
    let mut steps = Vec::new();
    for refund in refunds {
        let step = |at, kind, reason: &str| {
            let (amount, reason) = (Some(refund.amount), Some(reason.to_owned()));
            TimelineStep { at, kind, amount, reason, payment_id: refund.rail_id.clone() }
        };
        let failure = refund.failure_reason.as_deref().unwrap_or_default();
        let requested = step(refund.created_at, StepKind::RefundRequested, &refund.reason);
        steps.push(TimelineStep { payment_id: None, ..requested });
        steps.extend(refund.completed_at.map(|at| step(at, StepKind::Refunded, &refund.reason)));
        steps.extend(refund.failed_at.map(|at| step(at, StepKind::RefundFailed, failure)));
    }
    for dispute in disputes {
        let step = |at, kind| {
            let (amount, reason) = (Some(dispute.amount), Some(dispute.kind.name().to_owned()));
            TimelineStep { at, kind, amount, reason, payment_id: None }
        };
        let won = dispute.status == disputes::Status::Won;
        let end = if won { StepKind::DisputeWon } else { StepKind::ChargedBack };
        steps.push(step(dispute.opened_at, StepKind::Disputed));
        let decided_at = dispute.decided_at.filter(|_| !dispute.is_replaced);
        steps.extend(decided_at.map(|at| step(at, end)));
    }
    steps
}

/// Merges two lists of steps by time.
fn merge(mut steps: Vec<TimelineStep>, more: Vec<TimelineStep>) -> Vec<TimelineStep> {
    steps.extend(more);
    steps.sort_by_key(|step| step.at);
    steps
}

/// The identifier of the payment's receipt.
fn receipt_id(transaction: &Transaction) -> Option<String> {
    let pix = transaction.pix.as_ref().and_then(|pix| pix.end_to_end_id.clone());
    let boleto = || transaction.boleto.as_ref().and_then(|boleto| boleto.payment_id.clone());
    let card = || transaction.card.as_ref().and_then(|card| card.authorization_code.clone());
    pix.or_else(boleto).or_else(card)
}
