//! A dispute as the merchant sees it, in events.

use db::time::Timestamp;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::Serialize;

use crate::platform::ids::DisputeId;
use crate::transactions::disputes::{Dispute, Kind, Status};

/// A dispute of a transaction.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Dispute")]
pub struct DisputeView {
    pub id: DisputeId,
    pub kind: Kind,
    pub status: Status,
    /// The disputed amount in cents, held until the decision.
    pub amount_cents: Cents,
    pub opened_at: Timestamp,
    pub decided_at: Option<Timestamp>,
}

impl DisputeView {
    /// Builds the view of a dispute.
    pub fn new(dispute: &Dispute) -> Self {
        Self {
            id: dispute.id,
            kind: dispute.kind,
            status: dispute.status,
            amount_cents: dispute.amount,
            opened_at: dispute.opened_at,
            decided_at: dispute.decided_at,
        }
    }
}
