//! A commission as its affiliate and the programme's owner see it.

use db::time::Timestamp;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::Serialize;

use crate::affiliates::commissions::{Commission, HeldReason, Status, Type};
use crate::affiliates::terms::CommissionType;
use crate::ids::{AffiliateLinkId, AffiliateProgramId, CommissionId, ProductId, TransactionId};

/// A commission.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommissionView {
    id: CommissionId,
    #[serde(rename = "type")]
    kind: Type,
    program_id: AffiliateProgramId,
    link_id: AffiliateLinkId,
    code: String,
    transaction_id: TransactionId,
    product_id: ProductId,
    /// What of the payment counts.
    base_amount_cents: Cents,
    commission_type: CommissionType,
    /// Hundredths of a percent, or cents for each piece; as it was when the payment was issued.
    commission_value: i64,
    /// What it is worth now, or was when it was cancelled; negative for a clawback.
    amount_cents: Cents,
    status: Status,
    /// When it can be withdrawn, unless `heldReason` says why it still waits.
    available_at: Timestamp,
    /// Why it waits past that instant: the seller owes the platform, or has not paid all of it yet.
    held_reason: Option<HeldReason>,
    /// What of a clawback the affiliate still owes the seller, in cents; their later commissions
    /// from this seller pay it first.
    owed_cents: Cents,
    /// What of a released commission went to the seller for such a debt, in cents.
    repaid_cents: Cents,
    paid_at: Option<Timestamp>,
    cancelled_at: Option<Timestamp>,
    /// Why there is less of it: `refunded` or `dispute_lost`.
    cancel_reason: Option<String>,
    attribution: AttributionView,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// How it is known who brought the buyer.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttributionView {
    source: Source,
    /// When the buyer came by the affiliate's address; null if the code was given.
    clicked_at: Option<Timestamp>,
    /// When the payment was issued, which decided it.
    attributed_at: Timestamp,
}

/// On whose word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Source {
    /// The payment was issued with the code.
    Code,
    /// The buyer's last click.
    Click,
}

impl Source {
    /// The contract's word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Code => "CODE",
            Self::Click => "CLICK",
        }
    }

    /// A click has an instant.
    pub const fn of(clicked_at: Option<Timestamp>) -> Self {
        if clicked_at.is_some() { Self::Click } else { Self::Code }
    }
}

impl From<Commission> for CommissionView {
    fn from(commission: Commission) -> Self {
        Self {
            id: commission.id,
            kind: commission.kind,
            program_id: commission.program,
            link_id: commission.link,
            code: commission.code,
            transaction_id: commission.transaction,
            product_id: commission.product,
            base_amount_cents: commission.base,
            commission_type: commission.commission_type,
            commission_value: commission.commission_value,
            amount_cents: commission.amount,
            status: commission.status,
            available_at: commission.available_at,
            held_reason: commission.held_reason,
            owed_cents: commission.owed,
            repaid_cents: commission.repaid,
            paid_at: commission.paid_at,
            cancelled_at: commission.cancelled_at,
            cancel_reason: commission.cancel_reason,
            attribution: AttributionView {
                source: Source::of(commission.clicked_at),
                clicked_at: commission.clicked_at,
                attributed_at: commission.attributed_at,
            },
            created_at: commission.created_at,
            updated_at: commission.updated_at,
        }
    }
}
