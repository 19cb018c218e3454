//! The events of withdrawals.

use db::time::Timestamp;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::events::Payload;
use crate::events::names::Name;
use crate::platform::ids::WithdrawalId;

/// A withdrawal in an event, with the whole PIX key.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "EventWithdrawal")]
pub struct WithdrawalPayload {
    pub id: WithdrawalId,
    pub amount: Cents,
    pub fee_cents: Cents,
    /// The amount paid out, after the fee.
    pub net_amount: Cents,
    pub currency: &'static str,
    pub status: &'static str,
    pub method: &'static str,
    pub pix_key_type: &'static str,
    pub pix_key: String,
    pub description: Option<String>,
    /// The provider's reference, once the withdrawal is approved.
    pub external_id: Option<String>,
    /// Only in `withdrawal.completed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_to_end_id: Option<String>,
    /// Only in `withdrawal.completed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt_url: Option<String>,
    /// Only in `withdrawal.failed`: a stable code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure_reason: Option<String>,
    /// Only in `withdrawal.failed`: the reason that the administrator gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure_message: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub processed_at: Option<Timestamp>,
    pub completed_at: Option<Timestamp>,
    pub failed_at: Option<Timestamp>,
}

/// The data of events about a withdrawal.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "WithdrawalEventData")]
pub struct WithdrawalEnded {
    #[serde(skip)]
    pub name: Name,
    pub withdrawal: Box<WithdrawalPayload>,
}

impl Payload for WithdrawalEnded {
    fn name(&self) -> Name {
        self.name
    }

    fn object(&self) -> Uuid {
        self.withdrawal.id.0
    }
}
