//! A sample of every event, for trying a webhook out and for the list of events.
//!
//! They are values of the very types that real events have, so they cannot fall behind.

use db::time::Timestamp;
use ledger::cents::Cents;
use serde_json::json;
use uuid::Uuid;

use crate::events::names::Name;
use crate::events::payloads::{
    BalancePayload, CustomerPayload, LinkReference, PaymentLinkPayload, ProductPayload,
    TransactionPayload, WithdrawalPayload,
};
use crate::events::{Event, EventName};
use crate::ids::{ClientId, PaymentLinkId, ProductId, TransactionId, WithdrawalId};

const CREATED_AT: Timestamp = Timestamp::from_micros(1_767_268_800_000_000);
const UPDATED_AT: Timestamp = Timestamp::from_micros(1_767_268_860_000_000);
const EXPIRES_AT: Timestamp = Timestamp::from_micros(1_767_272_400_000_000);
const AMOUNT: Cents = Cents::new(2_500);
const SLUG: &str = "sampleSLUG12";

/// The sample of one event.
pub fn of(name: Name) -> Event {
    match name {
        Name::TransactionCreated | Name::TransactionUpdated => unpaid(name, "PENDING"),
        Name::TransactionFailed => unpaid(name, "FAILED"),
        Name::TransactionCancelled => unpaid(name, "CANCELLED"),
        Name::TransactionExpired => unpaid(name, "EXPIRED"),
        Name::TransactionPaid => Event::TransactionPaid {
            transaction: Box::new(paid()),
            customer: customer(),
            payment_link: Some(LinkReference { id: link_id(), slug: SLUG.into() }),
        },
        Name::PaymentLinkCreated | Name::PaymentLinkUpdated | Name::PaymentLinkDeleted => {
            Event::PaymentLink { name: EventName(name), payment_link: payment_link("ACTIVE") }
        }
        Name::PaymentLinkExpired => {
            let expired_at = Some(EXPIRES_AT);
            let payment_link = PaymentLinkPayload { expired_at, ..payment_link("EXPIRED") };
            Event::PaymentLink { name: EventName(name), payment_link }
        }
        Name::PaymentLinkPaid => Event::PaymentLinkPaid {
            payment_link: payment_link("ACTIVE"),
            transaction: Box::new(paid()),
            customer: customer(),
        },
        Name::ProductCreated | Name::ProductUpdated | Name::ProductDeleted => {
            Event::Product { name: EventName(name), product: product() }
        }
        Name::WithdrawalCompleted => Event::Withdrawal {
            name: EventName(name),
            withdrawal: Box::new(WithdrawalPayload {
                end_to_end_id: Some("E00000000202601011201000000000AA".into()),
                receipt_url: Some("https://example.com/receipts/sample".into()),
                completed_at: Some(UPDATED_AT),
                ..withdrawal("COMPLETED")
            }),
        },
        Name::WithdrawalFailed => Event::Withdrawal {
            name: EventName(name),
            withdrawal: Box::new(WithdrawalPayload {
                failure_reason: Some("KEY_NOT_FOUND".into()),
                failed_at: Some(UPDATED_AT),
                ..withdrawal("FAILED")
            }),
        },
        Name::BalanceUpdated => Event::Balance {
            owner: id(0),
            balance: BalancePayload { available_balance: AMOUNT, pending_balance: Cents::ZERO },
            reason: "sample",
        },
    }
}

fn unpaid(name: Name, status: &'static str) -> Event {
    let transaction = Box::new(transaction(status));
    Event::Transaction { name: EventName(name), transaction, customer: customer() }
}

fn paid() -> TransactionPayload {
    TransactionPayload {
        paid_amount: Some(AMOUNT),
        receipt_url: Some("https://example.com/receipts/sample".into()),
        end_to_end_id: Some("E00000000202601011201000000000AA".into()),
        paid_at: Some(UPDATED_AT),
        ..transaction("PAID")
    }
}

fn transaction(status: &'static str) -> TransactionPayload {
    TransactionPayload {
        id: TransactionId(id(1)),
        external_id: Some("sample-1".into()),
        amount: AMOUNT,
        paid_amount: None,
        refunded_amount: Cents::ZERO,
        discount_amount: Cents::ZERO,
        fee_cents: Cents::ZERO,
        status,
        method: "PIX",
        currency: "BRL",
        installments: 1,
        paid_late: false,
        receipt_url: None,
        end_to_end_id: None,
        metadata: json!({ "sample": true }),
        created_at: CREATED_AT,
        updated_at: UPDATED_AT,
        expires_at: Some(EXPIRES_AT),
        paid_at: None,
    }
}

fn customer() -> CustomerPayload {
    CustomerPayload {
        id: ClientId(id(2)),
        name: "Fulano de Tal".into(),
        email: "ana@example.com".into(),
        tax_id: Some("123.***.***-**".into()),
    }
}

fn payment_link(status: &'static str) -> PaymentLinkPayload {
    PaymentLinkPayload {
        id: link_id(),
        slug: SLUG.into(),
        name: "Sample".into(),
        amount: Some(AMOUNT),
        currency: "BRL",
        status,
        url: format!("https://example.com/pay/{SLUG}"),
        expires_at: Some(EXPIRES_AT),
        sales_count: 1,
        times_used: 1,
        created_at: CREATED_AT,
        updated_at: UPDATED_AT,
        expired_at: None,
    }
}

fn product() -> ProductPayload {
    ProductPayload {
        id: ProductId(id(4)),
        name: "Sample".into(),
        description: None,
        price: AMOUNT,
        currency: "BRL",
        stock_quantity: Some(10),
        stock_enabled: true,
        is_digital: false,
        image_url: None,
        status: "ACTIVE",
        created_at: CREATED_AT,
        updated_at: UPDATED_AT,
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
