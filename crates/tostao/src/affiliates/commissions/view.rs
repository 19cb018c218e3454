//! A commission as its affiliate and the program's owner see it.

use db::text_enum;
use db::time::Timestamp;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::Serialize;

use crate::affiliates::commissions::{Commission, CommissionOrigin, HeldReason, Status};
use crate::affiliates::terms::CommissionType;
use crate::platform::ids::{
    AffiliateLinkId, AffiliateProgramId, CommissionId, ProductId, TransactionId,
};

/// A commission of an affiliate.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Commission")]
pub struct CommissionView {
    id: CommissionId,
    #[serde(rename = "type")]
    kind: CommissionOrigin,
    program_id: AffiliateProgramId,
    link_id: AffiliateLinkId,
    code: String,
    transaction_id: TransactionId,
    product_id: ProductId,
    /// The part of the payment that earns commission, in cents.
    base_amount_cents: Cents,
    commission_type: CommissionType,
    /// Basis points or cents per item, as of the creation of the transaction.
    commission_value: i64,
    /// The current amount, or the amount at cancellation; negative for a clawback.
    amount_cents: Cents,
    status: Status,
    /// When the commission becomes available, unless `heldReason` is set.
    available_at: Timestamp,
    /// Why the commission is held past `availableAt`.
    held_reason: Option<HeldReason>,
    /// The part of a clawback that the affiliate still owes the seller, in cents. Later commissions
    /// from this seller repay it first.
    owed_cents: Cents,
    /// The part of a released commission that repaid such a debt, in cents.
    repaid_cents: Cents,
    paid_at: Option<Timestamp>,
    cancelled_at: Option<Timestamp>,
    /// Why the commission was reduced or cancelled: `refunded` or `dispute_lost`.
    cancel_reason: Option<String>,
    attribution: AttributionView,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// How the sale was attributed to the affiliate.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CommissionAttribution")]
pub struct AttributionView {
    source: Source,
    /// When the buyer clicked the affiliate link; null if the code was given instead.
    clicked_at: Option<Timestamp>,
    /// When the transaction was created, which fixed the attribution.
    attributed_at: Timestamp,
}

text_enum! {
    /// The source of an attribution.
    pub enum Source as "AttributionSource" {
        /// The affiliate code of the transaction.
        Code = "CODE",
        /// The buyer's last click on an affiliate link.
        Click = "CLICK",
    }
}

impl Source {
    /// A click has a time.
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
