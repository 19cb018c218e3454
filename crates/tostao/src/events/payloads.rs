//! What each event tells: the shapes are part of the contract and only ever grow.
//!
//! Payments, buyers and links are told as the API shows them, by the very same types, so that no
//! field can be in one and be missed in the other.

use db::time::Timestamp;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::Serialize;

use crate::decimal::Decimal;
use crate::ids::{
    AffiliateProgramId, CommissionId, CouponId, MerchantId, PaymentLinkId, ProductId,
    TransactionId, WithdrawalId,
};
use crate::payment_links::view::LinkView;
use crate::transactions::view::TransactionView;

/// The payment link of a transaction.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "PaymentLinkReference")]
pub struct LinkReference {
    pub id: PaymentLinkId,
    pub slug: String,
}

/// A payment link in an event: as in the API, with its title as `name`, too.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "EventPaymentLink")]
pub struct PaymentLinkPayload {
    #[serde(flatten)]
    pub link: LinkView,
    pub name: String,
    /// Only in `payment_link.expired`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expired_at: Option<Timestamp>,
}

/// A product in an event.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "EventProduct")]
pub struct ProductPayload {
    pub id: ProductId,
    pub name: String,
    pub description: Option<String>,
    pub price: Cents,
    pub currency: &'static str,
    pub stock_quantity: Option<i64>,
    pub stock_enabled: bool,
    pub is_digital: bool,
    pub image_url: Option<String>,
    pub status: &'static str,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// A coupon in an event.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "EventCoupon")]
pub struct CouponPayload {
    pub id: CouponId,
    pub code: String,
    pub discount_type: &'static str,
    pub discount_value: Decimal,
    pub description: Option<String>,
    pub min_purchase_cents: Option<Cents>,
    pub max_discount_cents: Option<Cents>,
    pub usage_limit: Option<i64>,
    pub per_user_limit: Option<i64>,
    pub usage_count: i64,
    pub valid_from: Option<Timestamp>,
    pub valid_until: Option<Timestamp>,
    pub product_ids: Vec<ProductId>,
    pub status: &'static str,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

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

/// The balance of a merchant.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "EventBalance")]
pub struct BalancePayload {
    pub available_balance: Cents,
    pub pending_balance: Cents,
}

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

/// A payment beside what it brought about.
pub type ToldPayment = Box<TransactionView>;
