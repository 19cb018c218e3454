//! Samples of what is told of affiliates' commissions.

use db::time::Timestamp;
use ledger::cents::Cents;

use crate::events::names::Name;
use crate::events::payloads::{
    AffiliatePayload, CommissionPayload, CommissionSale, ProgramPayload,
};
use crate::events::{Event, EventName};
use crate::ids::{AffiliateProgramId, CommissionId, MerchantId, TransactionId};
use crate::products::CURRENCY;
use crate::webhooks::samples::{AMOUNT, CREATED_AT, EXPIRES_AT, UPDATED_AT, id, products};

pub fn of(name: Name, status: &'static str, paid_at: Option<Timestamp>) -> Event {
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
        product_id: products::product_id(),
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
