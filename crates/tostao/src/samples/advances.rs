//! Sample payloads about advances.

use ledger::cents::Cents;

use crate::advances::events::AdvanceChanged;
use crate::advances::status::Status;
use crate::advances::terms::MonthlyRateBps;
use crate::advances::view::{AdvanceView, CollateralView};
use crate::events::Sample;
use crate::events::names::Name;
use crate::platform::ids::{AdvanceId, MerchantId, TransactionId};
use crate::samples::{AMOUNT, CREATED_AT, UPDATED_AT, id};

/// 25.00 × 2.99 % for thirty days.
const FEE: Cents = Cents::new(75);
const RATE: MonthlyRateBps = MonthlyRateBps::new(299);
const DAYS: i64 = 30;

pub fn of(name: Name, advance: AdvanceView) -> Sample {
    Sample::of(&AdvanceChanged { name, advance: Box::new(advance) })
}

pub fn requested() -> AdvanceView {
    AdvanceView {
        id: AdvanceId(id(5)),
        user_id: MerchantId(id(0)),
        amount_cents: AMOUNT,
        fee_cents: None,
        net_amount_cents: None,
        monthly_rate_percent: RATE.percent(),
        outstanding_cents: Cents::ZERO,
        debited_cents: Cents::ZERO,
        reason: Some("Sample".into()),
        status: Status::Pending,
        receivables: Vec::new(),
        rejection_reason: None,
        dev_mode: true,
        created_at: CREATED_AT,
        updated_at: UPDATED_AT,
        approved_at: None,
        rejected_at: None,
        cancelled_at: None,
        settled_at: None,
    }
}

pub fn approved() -> AdvanceView {
    let pledged = CollateralView {
        transaction_id: TransactionId(id(1)),
        installment: 1,
        amount_cents: AMOUNT,
        due_date: "2026-01-31".into(),
        days: DAYS,
        fee_cents: FEE,
    };
    AdvanceView {
        status: Status::Approved,
        fee_cents: Some(FEE),
        net_amount_cents: AMOUNT.minus(FEE),
        outstanding_cents: AMOUNT,
        receivables: vec![pledged],
        approved_at: Some(UPDATED_AT),
        ..requested()
    }
}

pub fn rejected() -> AdvanceView {
    AdvanceView {
        status: Status::Rejected,
        rejection_reason: Some("Sample".into()),
        rejected_at: Some(UPDATED_AT),
        ..requested()
    }
}

pub fn cancelled() -> AdvanceView {
    AdvanceView { status: Status::Cancelled, cancelled_at: Some(UPDATED_AT), ..requested() }
}

pub fn settled() -> AdvanceView {
    AdvanceView {
        status: Status::Settled,
        outstanding_cents: Cents::ZERO,
        settled_at: Some(UPDATED_AT),
        ..approved()
    }
}
