//! Sample payloads about payments.

use brazil::card_brand::CardBrand;
use ledger::cents::Cents;
use rails::card::DeclineCode;
use serde_json::json;

use crate::events::Sample;
use crate::events::names::Name;
use crate::platform::ids::{ClientId, DisputeId, RefundId, TransactionId};
use crate::products::CURRENCY;
use crate::samples::{AMOUNT, CREATED_AT, EXPIRES_AT, UPDATED_AT, id, payment_links};
use crate::transactions::Method;
use crate::transactions::disputes::view::DisputeView;
use crate::transactions::disputes::{Kind, Status as Decision};
use crate::transactions::events::{
    DisputeChanged, TransactionChanged, TransactionPaid, TransactionRefunded,
};
use crate::transactions::refunds::Status as RefundStatus;
use crate::transactions::refunds::view::RefundView;
use crate::transactions::status::Status;
use crate::transactions::view::{CardView, CustomerView, PixView, TransactionView};

/// A payload with only a payment.
pub fn of(name: Name, transaction: TransactionView) -> Sample {
    let transaction = Box::new(transaction);
    Sample::of(&TransactionChanged { name, transaction, customer: customer() })
}

pub fn of_paid() -> Sample {
    Sample::of(&TransactionPaid {
        transaction: Box::new(paid()),
        customer: customer(),
        payment_link: Some(payment_links::reference()),
    })
}

pub fn of_refunded() -> Sample {
    let refunded_at = Some(UPDATED_AT);
    let reason = "Sample".to_owned();
    let transaction =
        TransactionView { refunded_amount: AMOUNT, refunded_at, ..received(Status::Refunded) };
    let refund = RefundView {
        id: RefundId(id(5)),
        transaction_id: transaction.id,
        external_id: None,
        amount_cents: AMOUNT,
        reason: reason.clone(),
        status: RefundStatus::Completed,
        failure_reason: None,
        restock: false,
        created_at: UPDATED_AT,
        completed_at: refunded_at,
        failed_at: None,
    };
    let (transaction, refund) = (Box::new(transaction), Box::new(refund));
    Sample::of(&TransactionRefunded {
        transaction,
        customer: customer(),
        reason,
        refund,
        partial: false,
    })
}

pub fn of_disputed(name: Name, decision: Decision) -> Sample {
    let status = match decision {
        Decision::Open => Status::Disputed,
        Decision::Won => Status::Paid,
        Decision::Lost => Status::ChargedBack,
    };
    let dispute = DisputeView {
        id: DisputeId(id(5)),
        kind: Kind::Med,
        status: decision,
        amount_cents: AMOUNT,
        opened_at: UPDATED_AT,
        decided_at: (decision != Decision::Open).then_some(UPDATED_AT),
    };
    let (name, transaction) = (name, Box::new(received(status)));
    Sample::of(&DisputeChanged { name, transaction, customer: customer(), dispute })
}

pub fn pending() -> TransactionView {
    transaction(Status::Pending)
}

pub fn declined() -> TransactionView {
    let code = DeclineCode::InsufficientFunds.name();
    TransactionView {
        method: Method::CreditCard,
        pix: None,
        card: Some(CardView { brand: CardBrand::Visa.name(), last4: "9995".into() }),
        decline_code: Some(code.into()),
        failure_reason: Some(code.into()),
        expires_at: None,
        failed_at: Some(UPDATED_AT),
        ..transaction(Status::Failed)
    }
}

pub fn cancelled() -> TransactionView {
    TransactionView { cancelled_at: Some(UPDATED_AT), ..transaction(Status::Cancelled) }
}

pub fn expired() -> TransactionView {
    TransactionView { expired_at: Some(EXPIRES_AT), ..transaction(Status::Expired) }
}

pub fn paid() -> TransactionView {
    received(Status::Paid)
}

pub fn customer() -> CustomerView {
    CustomerView {
        id: ClientId(id(2)),
        name: "Fulano de Tal".into(),
        email: "ana@example.com".into(),
        tax_id: Some("123.***.***-**".into()),
        phone: None,
        address: None,
    }
}

/// A payment whose money came, whatever its status.
fn received(status: Status) -> TransactionView {
    let unpaid = transaction(status);
    let end_to_end_id = Some("E00000000202601011201000000000AA".into());
    TransactionView {
        paid_amount: Some(AMOUNT),
        receipt_url: Some("https://example.com/receipts/sample".into()),
        pix: unpaid.pix.map(|pix| PixView { end_to_end_id, ..pix }),
        paid_at: Some(UPDATED_AT),
        ..unpaid
    }
}

fn transaction(status: Status) -> TransactionView {
    TransactionView {
        id: TransactionId(id(1)),
        external_id: Some("sample-1".into()),
        payment_link_id: Some(payment_links::link_id()),
        subscription_id: None,
        description: None,
        items: Vec::new(),
        customer: customer(),
        amount: AMOUNT,
        paid_amount: None,
        refunded_amount: Cents::ZERO,
        discount_amount: Cents::ZERO,
        interest_amount: Cents::ZERO,
        fee_cents: Cents::ZERO,
        net_amount: AMOUNT,
        currency: CURRENCY,
        method: Method::Pix,
        status,
        installments: 1,
        coupon_code: None,
        affiliate_code: None,
        pix: Some(pix()),
        boleto: None,
        card: None,
        decline_code: None,
        failure_reason: None,
        paid_late: false,
        oversold: false,
        unmatched_amount: Cents::ZERO,
        payment_url: "https://example.com/payments/sample".into(),
        receipt_url: None,
        metadata: json!({ "sample": true }),
        dev_mode: true,
        created_at: CREATED_AT,
        updated_at: UPDATED_AT,
        expires_at: Some(EXPIRES_AT),
        paid_at: None,
        cancelled_at: None,
        expired_at: None,
        failed_at: None,
        refunded_at: None,
    }
}

/// A code that no bank knows.
fn pix() -> PixView {
    PixView {
        txid: "sample00000000000000000000000000".into(),
        br_code: "sample".into(),
        qr_code_base64: None,
        end_to_end_id: None,
        expires_at: Some(EXPIRES_AT),
    }
}
