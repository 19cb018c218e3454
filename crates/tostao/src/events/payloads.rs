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

/// Which link a payment came through.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LinkReference {
    pub id: PaymentLinkId,
    pub slug: String,
}

/// A payment link as receivers see it: as the API shows it, with its title as `name`, too.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PaymentLinkPayload {
    #[serde(flatten)]
    pub link: LinkView,
    pub name: String,
    /// Only in `payment_link.expired`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expired_at: Option<Timestamp>,
}

/// A product as receivers see it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
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

/// A coupon as receivers see it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
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

/// A commission as both sides' receivers see it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommissionPayload {
    pub id: CommissionId,
    pub amount: Cents,
    pub status: &'static str,
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The part of the payment that earns commission, in cents.
    pub base_amount: Cents,
    /// When it can be withdrawn.
    pub available_at: Timestamp,
    pub paid_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// Whose commission it is.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AffiliatePayload {
    pub id: MerchantId,
    pub name: String,
    pub code: String,
}

/// By which programme, on the terms of the day on which the payment was issued.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProgramPayload {
    pub id: AffiliateProgramId,
    pub product_id: ProductId,
    pub commission_type: &'static str,
    pub commission_value: i64,
}

/// The payment of a commission, without its buyer: an affiliate has no business with him.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommissionSale {
    pub id: TransactionId,
    /// What the seller calls it; the affiliate is not told.
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
pub struct BalancePayload {
    pub available_balance: Cents,
    pub pending_balance: Cents,
}

/// A withdrawal as receivers see it: his own money, so the key is whole.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
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
    /// Only in `withdrawal.failed`: a stable word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure_reason: Option<String>,
    /// Only in `withdrawal.failed`: what the administrator who rejected it said.
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
