//! A withdrawal as the merchant and an administrator see it.

use db::time::Timestamp;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::audit::decision::DecidedView;
use crate::platform::fields::ApiPixKeyType;
use crate::platform::ids::{MerchantId, Mode, WithdrawalId};
use crate::withdrawals::status::Status;
use crate::withdrawals::terms::WithdrawalTerms;
use crate::withdrawals::{METHOD, Withdrawal};

/// A withdrawal from the balance.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Withdrawal")]
pub struct WithdrawalView {
    id: WithdrawalId,
    /// The account of the merchant.
    user_id: MerchantId,
    /// The amount debited from the balance, including the fee.
    amount_cents: Cents,
    fee_cents: Cents,
    /// The amount paid out, after the fee.
    net_amount: Cents,
    status: Status,
    method: &'static str,
    pix_key_type: ApiPixKeyType,
    /// The PIX key in the format of the central bank's directory (DICT).
    pix_key: String,
    description: Option<String>,
    idempotency_key: Option<Uuid>,
    /// The provider's reference, once the withdrawal is approved.
    external_id: Option<String>,
    /// The PIX end-to-end ID, once paid.
    end_to_end_id: Option<String>,
    receipt_url: Option<String>,
    /// A stable code for the failure, once it failed.
    failure_reason: Option<String>,
    /// The reason that the administrator gave.
    failure_message: Option<String>,
    /// What the bank sent back after it was paid, in one part or in several; it is in the balance
    /// again.
    returned_amount: Cents,
    dev_mode: bool,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// When the withdrawal was approved; with status `PENDING` the payout is in progress.
    processed_at: Option<Timestamp>,
    completed_at: Option<Timestamp>,
    failed_at: Option<Timestamp>,
}

/// A withdrawal with its decision and provider details, as administrators see it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AdminWithdrawal")]
pub struct AdminWithdrawalView {
    #[serde(flatten)]
    withdrawal: WithdrawalView,
    /// The provider of the payout.
    provider: Option<String>,
    /// When the order was sent to the provider.
    sent_at: Option<Timestamp>,
    /// When the order last certainly did not reach the provider, or was held back because the
    /// account is in debt. While `sentAt` is null the withdrawal can still be rejected.
    not_sent_at: Option<Timestamp>,
    /// When the provider first acknowledged the order.
    acknowledged_at: Option<Timestamp>,
    /// A status from the provider that contradicts the final status, or names the payment of
    /// another order; needs investigation.
    contradiction: Option<String>,
    #[serde(flatten)]
    decided: DecidedView,
}

impl WithdrawalView {
    /// Builds the view of a withdrawal.
    pub fn new(terms: &WithdrawalTerms, mode: Mode, withdrawal: Withdrawal) -> Self {
        Self {
            id: withdrawal.id,
            user_id: withdrawal.merchant,
            amount_cents: withdrawal.amount,
            fee_cents: withdrawal.fee,
            net_amount: withdrawal.net(),
            status: withdrawal.status,
            method: METHOD,
            pix_key_type: withdrawal.key.key_type().into(),
            pix_key: withdrawal.key.as_str().to_owned(),
            description: withdrawal.description,
            idempotency_key: withdrawal.idempotency_key,
            external_id: withdrawal.order.map(|order| order.reference),
            end_to_end_id: withdrawal.end_to_end_id,
            receipt_url: withdrawal.completed_at.map(|_| terms.receipt_url(withdrawal.id)),
            failure_reason: withdrawal.failure_reason,
            failure_message: withdrawal.failure_message,
            returned_amount: withdrawal.returned,
            dev_mode: mode.is_development(),
            created_at: withdrawal.created_at,
            updated_at: withdrawal.updated_at,
            processed_at: withdrawal.processed_at,
            completed_at: withdrawal.completed_at,
            failed_at: withdrawal.failed_at,
        }
    }
}

impl AdminWithdrawalView {
    /// Builds an administrator's view of a withdrawal.
    pub fn new(terms: &WithdrawalTerms, mode: Mode, withdrawal: Withdrawal) -> Self {
        Self {
            provider: withdrawal.order.as_ref().map(|order| order.provider.clone()),
            sent_at: withdrawal.sent_at,
            not_sent_at: withdrawal.not_sent_at,
            acknowledged_at: withdrawal.acknowledged_at,
            contradiction: withdrawal.contradiction.clone(),
            decided: DecidedView::new(withdrawal.decided.clone()),
            withdrawal: WithdrawalView::new(terms, mode, withdrawal),
        }
    }
}
