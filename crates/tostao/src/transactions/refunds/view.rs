//! A refund as the merchant sees it, through the API and in events.

use db::time::Timestamp;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::Serialize;

use crate::platform::ids::{RefundId, TransactionId};
use crate::transactions::refunds::{Refund, Status};

/// A refund of a transaction. The payer's PIX key is not shown.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Refund")]
pub struct RefundView {
    pub id: RefundId,
    pub transaction_id: TransactionId,
    pub external_id: Option<String>,
    pub amount_cents: Cents,
    pub reason: String,
    pub status: Status,
    /// A stable code for the failure, once it failed.
    pub failure_reason: Option<String>,
    /// Whether to restock the items once the refund is full.
    pub restock: bool,
    pub created_at: Timestamp,
    pub completed_at: Option<Timestamp>,
    pub failed_at: Option<Timestamp>,
}

impl RefundView {
    /// Builds the view of a refund.
    pub fn new(refund: &Refund) -> Self {
        Self {
            id: refund.id,
            transaction_id: refund.transaction,
            external_id: refund.external_id.clone(),
            amount_cents: refund.amount,
            reason: refund.reason.clone(),
            status: refund.status,
            failure_reason: refund.failure_reason.clone(),
            restock: refund.restock,
            created_at: refund.created_at,
            completed_at: refund.completed_at,
            failed_at: refund.failed_at,
        }
    }
}
