//! A subscription as the merchant and the buyer see it, through the API and in events.

use brazil::document::Document;
use db::time::Timestamp;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::Serialize;

use crate::platform::ids::{ClientId, PlanId, Scope, SubscriptionId, TransactionId};
use crate::products::CURRENCY;
use crate::subscriptions::plans::Interval;
use crate::subscriptions::status::Status;
use crate::subscriptions::{Method, Subscription};

/// A subscription of a customer to a plan.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Subscription")]
pub struct SubscriptionView {
    pub id: SubscriptionId,
    pub plan_id: PlanId,
    pub plan_name: String,
    /// The price per billing period, in cents.
    pub amount_cents: Cents,
    pub currency: &'static str,
    pub interval: Interval,
    pub client_id: ClientId,
    pub customer: SubscriberView,
    pub status: Status,
    pub payment_method: Method,
    /// The card that is charged.
    pub card: Option<SavedCardView>,
    pub trial_ends_at: Option<Timestamp>,
    /// The start of the current billing period or trial.
    pub current_period_start: Option<Timestamp>,
    pub current_period_end: Option<Timestamp>,
    /// When the next period is charged; null if it is not.
    pub next_billing_at: Option<Timestamp>,
    /// Whether the subscription is cancelled at the end of the period.
    pub cancel_at_period_end: bool,
    pub cancelled_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    pub cancel_reason: Option<String>,
    pub cancel_comment: Option<String>,
    pub paused_at: Option<Timestamp>,
    /// When the subscription resumes automatically.
    pub resumes_at: Option<Timestamp>,
    /// The number of failed payments since the last successful one.
    pub failed_attempts: i64,
    pub next_retry_at: Option<Timestamp>,
    pub last_failure_code: Option<String>,
    /// When the first of these payments failed.
    pub past_due_at: Option<Timestamp>,
    pub affiliate_code: Option<String>,
    /// The coupon of the first payment.
    pub coupon_code: Option<String>,
    /// The plan from the next period on, if it changes.
    pub next_plan_id: Option<PlanId>,
    /// The pending payment.
    pub pending_transaction_id: Option<TransactionId>,
    /// Whether payments are simulated (development environment).
    pub dev_mode: bool,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// The subscriber; the document is masked.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SubscriptionCustomer")]
pub struct SubscriberView {
    pub id: ClientId,
    pub name: String,
    pub email: String,
    pub tax_id: Option<String>,
}

/// A saved card.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SavedCard")]
pub struct SavedCardView {
    pub brand: &'static str,
    pub last4: String,
    pub exp_month: i64,
    pub exp_year: i64,
}

impl SubscriptionView {
    /// Builds the view of a subscription.
    pub fn new(scope: Scope, subscription: &Subscription) -> Self {
        let Subscription { customer, dunning, .. } = subscription;
        let renews =
            matches!(subscription.status, Status::Trialing | Status::Active | Status::Paused)
                && !subscription.cancel_at_period_end;
        Self {
            id: subscription.id,
            plan_id: subscription.plan,
            plan_name: subscription.plan_name.clone(),
            amount_cents: subscription.price,
            currency: CURRENCY,
            interval: subscription.interval,
            client_id: subscription.client,
            customer: SubscriberView {
                id: subscription.client,
                name: customer.name.clone(),
                email: customer.email.clone(),
                tax_id: customer.document.as_ref().map(Document::masked),
            },
            status: subscription.status,
            payment_method: subscription.method,
            card: subscription.card.as_ref().map(|card| SavedCardView {
                brand: card.details.brand.name(),
                last4: card.details.last4.clone(),
                exp_month: card.details.exp_month,
                exp_year: card.details.exp_year,
            }),
            trial_ends_at: subscription.trial_ends_at,
            current_period_start: subscription.period.map(|period| period.start),
            current_period_end: subscription.period.map(|period| period.end),
            next_billing_at: renews.then_some(subscription.next_billing_at),
            cancel_at_period_end: subscription.cancel_at_period_end,
            cancelled_at: subscription.cancelled_at,
            ended_at: subscription.ended_at,
            cancel_reason: subscription.cancel_reason.clone(),
            cancel_comment: subscription.cancel_comment.clone(),
            paused_at: subscription.paused_at,
            resumes_at: subscription.resumes_at,
            failed_attempts: dunning.failed_attempts,
            next_retry_at: dunning.next_retry_at,
            last_failure_code: dunning.last_failure_code.clone(),
            past_due_at: dunning.past_due_at,
            affiliate_code: subscription.affiliate_code.clone(),
            coupon_code: subscription.coupon_code.clone(),
            next_plan_id: subscription.next_plan,
            pending_transaction_id: subscription.charge.map(|charge| charge.transaction),
            dev_mode: scope.mode.is_development(),
            created_at: subscription.created_at,
            updated_at: subscription.updated_at,
        }
    }
}
