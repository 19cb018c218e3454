//! Sample payloads about withdrawals.

use ledger::cents::Cents;

use crate::events::Sample;
use crate::events::names::Name;
use crate::platform::ids::WithdrawalId;
use crate::samples::{AMOUNT, CREATED_AT, UPDATED_AT, id};
use crate::withdrawals::events::{WithdrawalEnded, WithdrawalPayload};

pub fn of(name: Name, withdrawal: WithdrawalPayload) -> Sample {
    Sample::of(&WithdrawalEnded { name, withdrawal: Box::new(withdrawal) })
}

pub fn completed() -> WithdrawalPayload {
    WithdrawalPayload {
        end_to_end_id: Some("E00000000202601011201000000000AA".into()),
        receipt_url: Some("https://example.com/receipts/sample".into()),
        completed_at: Some(UPDATED_AT),
        ..withdrawal("COMPLETED")
    }
}

pub fn failed() -> WithdrawalPayload {
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
