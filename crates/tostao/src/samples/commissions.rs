//! Sample payloads about affiliate commissions.

use db::time::Timestamp;
use ledger::cents::Cents;

use crate::affiliates::commissions::events::{
    AffiliatePayload, CommissionChanged, CommissionPayload, CommissionSale, ProgramPayload,
};
use crate::events::Sample;
use crate::events::names::Name;
use crate::platform::ids::{AffiliateProgramId, CommissionId, MerchantId, TransactionId};
use crate::products::CURRENCY;
use crate::samples::{AMOUNT, CREATED_AT, EXPIRES_AT, UPDATED_AT, id, products};

pub fn of(name: Name, status: &'static str, paid_at: Option<Timestamp>) -> Sample {
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
    Sample::of(&CommissionChanged { name, commission, affiliate, program, transaction })
}
