//! A sample of every event, for trying a webhook out and for the list of events.
//!
//! They are values of the very types that real events have, so they cannot fall behind. Of an event
//! that nothing brings about yet, a sample shows what it is about and no more.

use brazil::card_brand::CardBrand;
use db::time::Timestamp;
use ledger::cents::Cents;
use serde_json::json;
use uuid::Uuid;

use crate::carts::view::CartView;
use crate::carts::{Status as CartStatus, Utm};
use crate::decimal::Decimal;
use crate::events::names::Name;
use crate::events::payloads::{
    AffiliatePayload, BalancePayload, CommissionPayload, CommissionSale, CouponPayload,
    LinkReference, PaymentLinkPayload, ProductPayload, ProgramPayload, WithdrawalPayload,
};
use crate::events::{Event, EventName};
use crate::ids::{
    AffiliateProgramId, CartId, ClientId, CommissionId, CouponId, DisputeId, MerchantId,
    PaymentLinkId, ProductId, RefundId, TransactionId, WithdrawalId,
};
use crate::payment_links::settings::LinkSettings;
use crate::payment_links::status::Status as LinkStatus;
use crate::payment_links::view::LinkView;
use crate::products::CURRENCY;
use crate::providers::card::DeclineCode;
use crate::transactions::Method;
use crate::transactions::disputes::view::DisputeView;
use crate::transactions::disputes::{Kind as DisputeKind, Status as Decision};
use crate::transactions::refunds::Status as RefundStatus;
use crate::transactions::refunds::view::RefundView;
use crate::transactions::status::Status;
use crate::transactions::view::{CardView, CustomerView, PixView, TransactionView};

mod advances;
mod subscription;

const CREATED_AT: Timestamp = Timestamp::from_micros(1_767_268_800_000_000);
const UPDATED_AT: Timestamp = Timestamp::from_micros(1_767_268_860_000_000);
const EXPIRES_AT: Timestamp = Timestamp::from_micros(1_767_272_400_000_000);
const AMOUNT: Cents = Cents::new(2_500);
const SLUG: &str = "sampleSLUG12";

/// The sample of one event; those that are not named here are of subscriptions.
pub fn of(name: Name) -> Event {
    match name {
        Name::TransactionCreated | Name::TransactionUpdated => {
            of_transaction(name, transaction(Status::Pending))
        }
        Name::TransactionFailed => of_transaction(name, declined()),
        Name::TransactionCancelled => {
            let cancelled_at = Some(UPDATED_AT);
            of_transaction(name, TransactionView { cancelled_at, ..transaction(Status::Cancelled) })
        }
        Name::TransactionExpired => {
            let expired_at = Some(EXPIRES_AT);
            of_transaction(name, TransactionView { expired_at, ..transaction(Status::Expired) })
        }
        Name::TransactionRefunded => refunded(),
        Name::TransactionDisputed => disputed(name, Status::Disputed, Decision::Open),
        Name::TransactionDisputeWon => disputed(name, Status::Paid, Decision::Won),
        Name::TransactionChargedBack => disputed(name, Status::ChargedBack, Decision::Lost),
        Name::TransactionPaid => Event::TransactionPaid {
            transaction: Box::new(paid(Status::Paid)),
            customer: customer(),
            payment_link: Some(LinkReference { id: link_id(), slug: SLUG.into() }),
        },
        Name::PaymentLinkCreated | Name::PaymentLinkUpdated | Name::PaymentLinkDeleted => {
            Event::PaymentLink {
                name: EventName(name),
                payment_link: payment_link(LinkStatus::Active),
            }
        }
        Name::PaymentLinkExpired => {
            let expired_at = Some(EXPIRES_AT);
            let payment_link =
                PaymentLinkPayload { expired_at, ..payment_link(LinkStatus::Expired) };
            Event::PaymentLink { name: EventName(name), payment_link }
        }
        Name::PaymentLinkPaid => Event::PaymentLinkPaid {
            payment_link: payment_link(LinkStatus::Active),
            transaction: Box::new(paid(Status::Paid)),
            customer: customer(),
        },
        Name::ProductCreated | Name::ProductUpdated | Name::ProductDeleted => {
            Event::Product { name: EventName(name), product: product() }
        }
        Name::CouponCreated => coupon_event(name, "ACTIVE", 0),
        Name::CouponExpired => coupon_event(name, "EXPIRED", 1),
        Name::CouponExhausted => coupon_event(name, "ACTIVE", 10),
        Name::CouponUsed => Event::CouponUsed {
            coupon: coupon("ACTIVE", 1),
            transaction: Box::new(paid(Status::Paid)),
            discount_amount: Cents::new(250),
        },
        Name::WithdrawalCompleted => withdrawal_event(name, completed()),
        Name::WithdrawalFailed => withdrawal_event(name, failed()),
        Name::AdvanceCreated
        | Name::AdvanceApproved
        | Name::AdvanceRejected
        | Name::AdvanceCancelled
        | Name::AdvanceSettled => advances::of(name),
        Name::CartAbandoned => cart_event(name, CartStatus::Abandoned),
        Name::CartRecovered => cart_event(name, CartStatus::Recovered),
        Name::CommissionCreated => commission(name, "PENDING", None),
        Name::CommissionPaid => commission(name, "PAID", Some(EXPIRES_AT)),
        Name::BalanceUpdated => Event::Balance {
            owner: id(0),
            balance: BalancePayload { available_balance: AMOUNT, pending_balance: Cents::ZERO },
            reason: "sample",
        },
        name => subscription::of(name),
    }
}

fn of_transaction(name: Name, transaction: TransactionView) -> Event {
    let transaction = Box::new(transaction);
    Event::Transaction { name: EventName(name), transaction, customer: customer() }
}

fn refunded() -> Event {
    let refunded_at = Some(UPDATED_AT);
    let reason = "Sample".to_owned();
    let transaction =
        TransactionView { refunded_amount: AMOUNT, refunded_at, ..paid(Status::Refunded) };
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
    Event::TransactionRefunded { transaction, customer: customer(), reason, refund, partial: false }
}

fn disputed(name: Name, status: Status, decision: Decision) -> Event {
    let dispute = DisputeView {
        id: DisputeId(id(5)),
        kind: DisputeKind::Med,
        status: decision,
        amount_cents: AMOUNT,
        opened_at: UPDATED_AT,
        decided_at: (decision != Decision::Open).then_some(UPDATED_AT),
    };
    let (name, transaction) = (EventName(name), Box::new(paid(status)));
    Event::TransactionDispute { name, transaction, customer: customer(), dispute }
}

fn paid(status: Status) -> TransactionView {
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

fn declined() -> TransactionView {
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

fn transaction(status: Status) -> TransactionView {
    TransactionView {
        id: TransactionId(id(1)),
        external_id: Some("sample-1".into()),
        payment_link_id: Some(link_id()),
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

fn customer() -> CustomerView {
    CustomerView {
        id: ClientId(id(2)),
        name: "Fulano de Tal".into(),
        email: "ana@example.com".into(),
        tax_id: Some("123.***.***-**".into()),
        phone: None,
        address: None,
    }
}

fn payment_link(status: LinkStatus) -> PaymentLinkPayload {
    let link = LinkView {
        id: link_id(),
        slug: SLUG.into(),
        url: format!("https://example.com/pay/{SLUG}"),
        title: "Sample".into(),
        description: None,
        product_description: None,
        amount: Some(AMOUNT),
        total_cents: Some(AMOUNT),
        currency: CURRENCY,
        status,
        products: Vec::new(),
        expires_at: Some(EXPIRES_AT),
        redirect_url: None,
        settings: LinkSettings::default(),
        stock_quantity: None,
        stock_enabled: false,
        sales_count: 1,
        times_used: 1,
        meta_pixel_code: None,
        created_at: CREATED_AT,
        updated_at: UPDATED_AT,
    };
    PaymentLinkPayload { name: link.title.clone(), link, expired_at: None }
}

fn product() -> ProductPayload {
    ProductPayload {
        id: ProductId(id(4)),
        name: "Sample".into(),
        description: None,
        price: AMOUNT,
        currency: CURRENCY,
        stock_quantity: Some(10),
        stock_enabled: true,
        is_digital: false,
        image_url: None,
        status: "ACTIVE",
        created_at: CREATED_AT,
        updated_at: UPDATED_AT,
    }
}

fn coupon_event(name: Name, status: &'static str, usage_count: i64) -> Event {
    Event::Coupon { name: EventName(name), coupon: coupon(status, usage_count) }
}

fn coupon(status: &'static str, usage_count: i64) -> CouponPayload {
    CouponPayload {
        id: CouponId(id(5)),
        code: "SAMPLE10".into(),
        discount_type: "PERCENTAGE",
        discount_value: Decimal::hundredths(1_000),
        description: None,
        min_purchase_cents: Some(Cents::new(1_000)),
        max_discount_cents: None,
        usage_limit: Some(10),
        per_user_limit: Some(1),
        usage_count,
        valid_from: None,
        valid_until: Some(EXPIRES_AT),
        product_ids: Vec::new(),
        status,
        created_at: CREATED_AT,
        updated_at: UPDATED_AT,
    }
}

fn withdrawal_event(name: Name, withdrawal: WithdrawalPayload) -> Event {
    Event::Withdrawal { name: EventName(name), withdrawal: Box::new(withdrawal) }
}

fn completed() -> WithdrawalPayload {
    WithdrawalPayload {
        end_to_end_id: Some("E00000000202601011201000000000AA".into()),
        receipt_url: Some("https://example.com/receipts/sample".into()),
        completed_at: Some(UPDATED_AT),
        ..withdrawal("COMPLETED")
    }
}

fn failed() -> WithdrawalPayload {
    WithdrawalPayload {
        failure_reason: Some("KEY_NOT_FOUND".into()),
        failed_at: Some(UPDATED_AT),
        ..withdrawal("FAILED")
    }
}

fn withdrawal(status: &'static str) -> WithdrawalPayload {
    let fee = Cents::new(80);
    WithdrawalPayload {
        id: WithdrawalId(id(5)),
        amount: AMOUNT,
        fee_cents: fee,
        net_amount: AMOUNT.minus(fee).unwrap_or_default(),
        currency: "BRL",
        status,
        method: "PIX",
        pix_key_type: "email",
        pix_key: "ana@example.com".into(),
        description: None,
        external_id: Some("00000000000070008000000000000005".into()),
        end_to_end_id: None,
        receipt_url: None,
        failure_reason: None,
        failure_message: None,
        created_at: CREATED_AT,
        updated_at: UPDATED_AT,
        processed_at: Some(CREATED_AT),
        completed_at: None,
        failed_at: None,
    }
}

fn cart_event(name: Name, status: CartStatus) -> Event {
    let recovered = status == CartStatus::Recovered;
    let cart = CartView {
        id: CartId(id(5)),
        payment_link_id: link_id(),
        client_email: Some("ana@example.com".into()),
        client_name: Some("Fulano de Tal".into()),
        client_document: Some("123.***.***-**".into()),
        client_phone: None,
        items: Vec::new(),
        utm: Utm::default(),
        status,
        transaction_id: recovered.then_some(TransactionId(id(1))),
        recovery_url: Some(format!("https://example.com/pay/{SLUG}?rc=sample")),
        recovery_expires_at: EXPIRES_AT,
        created_at: CREATED_AT,
        updated_at: CREATED_AT,
        recovered_at: recovered.then_some(UPDATED_AT),
        erased_at: None,
    };
    let payment_link = payment_link(LinkStatus::Active);
    Event::Cart { name: EventName(name), cart_abandonment: Box::new(cart), payment_link }
}

fn commission(name: Name, status: &'static str, paid_at: Option<Timestamp>) -> Event {
    let commission = CommissionPayload {
        id: CommissionId(id(5)),
        amount: Cents::new(250),
        status,
        kind: "SALE",
        base_amount: AMOUNT,
        available_at: EXPIRES_AT,
        paid_at,
        created_at: UPDATED_AT,
        updated_at: paid_at.unwrap_or(UPDATED_AT),
    };
    let affiliate = AffiliatePayload {
        id: MerchantId(id(6)),
        name: "Fulano de Tal".into(),
        code: "FULANO-7K2M9Q".into(),
    };
    let program = ProgramPayload {
        id: AffiliateProgramId(id(7)),
        product_id: ProductId(id(4)),
        commission_type: "PERCENTAGE",
        commission_value: 1_000,
    };
    let transaction = CommissionSale {
        id: TransactionId(id(1)),
        external_id: Some("sample-1".into()),
        amount: AMOUNT,
        paid_amount: AMOUNT,
        currency: CURRENCY,
        method: "PIX".into(),
        status: "PAID".into(),
        created_at: CREATED_AT,
        updated_at: UPDATED_AT,
        paid_at: UPDATED_AT,
    };
    Event::Commission { name: EventName(name), commission, affiliate, program, transaction }
}

fn link_id() -> PaymentLinkId {
    PaymentLinkId(id(3))
}

/// Ids that are no object's.
fn id(number: u8) -> Uuid {
    Uuid::from_u128(0x0000_0000_0000_7000_8000_0000_0000_0000 | u128::from(number))
}

#[cfg(test)]
mod tests {
    use super::of;
    use crate::events::names::Name;

    #[test]
    fn a_sample_is_of_the_event_that_was_asked_for() {
        for name in Name::ALL {
            assert_eq!(of(*name).name(), *name);
        }
    }
}
