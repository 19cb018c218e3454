//! The events of commissions, sent to the merchant and the affiliate.

use db::time::Timestamp;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::events::Payload;
use crate::events::names::Name;
use crate::platform::ids::{
    AffiliateProgramId, CommissionId, MerchantId, ProductId, TransactionId,
};

/// A commission in an event.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "EventCommission")]
pub struct CommissionPayload {
    pub id: CommissionId,
    pub amount: Cents,
    pub status: &'static str,
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The part of the payment that earns commission, in cents.
    pub base_amount: Cents,
    /// When the commission becomes available.
    pub available_at: Timestamp,
    pub paid_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// The affiliate of a commission.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "EventAffiliate")]
pub struct AffiliatePayload {
    pub id: MerchantId,
    pub name: String,
    pub code: String,
}

/// The program of a commission, with its terms when the transaction was created.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "EventAffiliateProgram")]
pub struct ProgramPayload {
    pub id: AffiliateProgramId,
    pub product_id: ProductId,
    pub commission_type: &'static str,
    pub commission_value: i64,
}

/// The transaction of a commission, without its buyer.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "EventCommissionSale")]
pub struct CommissionSale {
    pub id: TransactionId,
    /// The seller's own reference; null for the affiliate.
    pub external_id: Option<String>,
    pub amount: Cents,
    pub paid_amount: Cents,
    pub currency: &'static str,
    pub method: String,
    pub status: String,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub paid_at: Timestamp,
}

/// The data of events about a commission, for the seller and the affiliate.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "CommissionEventData")]
pub struct CommissionChanged {
    #[serde(skip)]
    pub name: Name,
    pub commission: CommissionPayload,
    pub affiliate: AffiliatePayload,
    pub program: ProgramPayload,
    pub transaction: CommissionSale,
}

impl Payload for CommissionChanged {
    fn name(&self) -> Name {
        self.name
    }

    fn object(&self) -> Uuid {
        self.commission.id.0
    }
}
