//! What each event tells: the shapes are part of the contract and only ever grow.

use db::time::Timestamp;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::ids::{ClientId, PaymentLinkId, ProductId, TransactionId, WithdrawalId};

/// A payment as receivers see it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TransactionPayload {
    pub id: TransactionId,
    pub external_id: Option<String>,
    pub amount: Cents,
    pub paid_amount: Option<Cents>,
    pub refunded_amount: Cents,
    pub discount_amount: Cents,
    pub fee_cents: Cents,
    pub status: &'static str,
    pub method: &'static str,
    pub currency: &'static str,
    pub installments: i64,
    pub paid_late: bool,
    pub receipt_url: Option<String>,
    pub end_to_end_id: Option<String>,
    pub metadata: Value,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    pub paid_at: Option<Timestamp>,
}

/// A buyer as receivers see him: the document is masked.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CustomerPayload {
    pub id: ClientId,
    pub name: String,
    pub email: String,
    pub tax_id: Option<String>,
}

/// Which link a payment came through.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LinkReference {
    pub id: PaymentLinkId,
    pub slug: String,
}

/// A payment link as receivers see it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PaymentLinkPayload {
    pub id: PaymentLinkId,
    pub slug: String,
    pub name: String,
    pub amount: Option<Cents>,
    pub currency: &'static str,
    pub status: &'static str,
    pub url: String,
    pub expires_at: Option<Timestamp>,
    pub sales_count: i64,
    pub times_used: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
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

/// What a merchant holds.
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
    /// What arrives: the amount less the fee.
    pub net_amount: Cents,
    pub currency: &'static str,
    pub status: &'static str,
    pub method: &'static str,
    pub pix_key_type: &'static str,
    pub pix_key: String,
    pub description: Option<String>,
    /// The name by which the bank knows it, once it was approved.
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
