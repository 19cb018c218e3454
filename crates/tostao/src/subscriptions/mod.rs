//! Subscriptions: a buyer is charged a plan's price again with every period.
//!
//! `plans` is what can be subscribed to, `status` the state machine, `schedule` what happens next
//! by itself. `creation` creates a subscription, `lifecycle` changes it, `charges` applies the
//! outcome of payments, `dunning` says when a failed one is retried. Nothing here makes a payment:
//! that is done in `billing`, above this module. `metrics` counts the recurring revenue.

use brazil::periods::Anchor;
use db::text_enum;
use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;
use rails::card::StoredCard;

use crate::clients::CustomerDetails;
use crate::events::Rendered;
use crate::events::names::Name;
use crate::platform::error::{Error, Result};
use crate::platform::http::page::Listed;
use crate::platform::ids::{ClientId, PlanId, Scope, SubscriptionId, TransactionId};
use crate::subscriptions::events::SubscriptionChanged;
use crate::subscriptions::jobs::RunDueAction;
use crate::subscriptions::list::Filter;
use crate::subscriptions::plans::{Interval, RetryPolicy};
use crate::subscriptions::status::Status;
use crate::subscriptions::view::SubscriptionView;
use crate::webhooks;

pub mod api;
pub mod charges;
pub mod creation;
pub mod dunning;
pub mod events;
pub mod export;
pub mod export_api;
pub mod jobs;
pub mod lifecycle;
pub mod list;
pub mod manage_token;
pub mod metrics;
mod periods;
pub mod plans;
pub mod schedule;
pub mod status;
mod store;
pub mod view;

text_enum! {
    /// The payment method of a subscription.
    pub enum Method as "SubscriptionPaymentMethod" {
        /// The saved card is charged.
        CreditCard = "CREDIT_CARD",
        /// A PIX code is created for each period.
        Pix = "PIX",
    }
}

text_enum! {
    /// Why a payment is made.
    pub enum ChargeReason {
        /// It is the first, a renewal, or a scheduled retry.
        Schedule = "SCHEDULE",
        /// The merchant requested a retry of a failed payment.
        Manual = "MANUAL",
        /// The buyer gave another card.
        Card = "CARD",
    }
}

/// A billing period: from `start`, before `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    pub start: Timestamp,
    pub end: Timestamp,
}

/// A payment whose outcome is awaited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Charge {
    pub transaction: TransactionId,
    pub cause: ChargeReason,
}

/// The failures since the last successful payment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dunning {
    pub failed_attempts: i64,
    /// Scheduled retries that were made.
    pub retries_done: i64,
    pub manual_retries: i64,
    pub next_retry_at: Option<Timestamp>,
    pub last_failure_code: Option<String>,
    /// The card will be declined again, so only another one helps.
    pub awaits_card: bool,
    /// When the first of them failed.
    pub past_due_at: Option<Timestamp>,
}

/// A subscription.
#[derive(Debug, Clone)]
pub struct Subscription {
    pub id: SubscriptionId,
    /// Incremented by every change; orders the subscription's events.
    pub version: i64,
    pub plan: PlanId,
    pub plan_name: String,
    pub price: Cents,
    pub interval: Interval,
    pub retry_policy: Option<RetryPolicy>,
    pub client: ClientId,
    pub customer: CustomerDetails,
    pub status: Status,
    pub method: Method,
    pub card: Option<StoredCard>,
    pub trial_ends_at: Option<Timestamp>,
    /// Whether the event before the trial's end was emitted.
    pub trial_end_announced: bool,
    /// Where periods are counted from, and their day of the month.
    pub anchor_at: Timestamp,
    pub anchor_day: i64,
    /// The number, from the anchor, of the period that is billed next.
    pub next_cycle: i64,
    /// The trial, or the last paid period.
    pub period: Option<Period>,
    /// When the next period starts.
    pub next_billing_at: Timestamp,
    pub charge: Option<Charge>,
    /// Whether any payment ever succeeded.
    pub paid_once: bool,
    pub cancel_at_period_end: bool,
    pub cancelled_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    pub cancel_reason: Option<String>,
    pub cancel_comment: Option<String>,
    pub paused_at: Option<Timestamp>,
    pub resumes_at: Option<Timestamp>,
    pub dunning: Dunning,
    /// The affiliate who referred the subscriber; a later click does not change it.
    pub affiliate_code: Option<String>,
    /// Applied to the first payment only.
    pub coupon_code: Option<String>,
    /// The plan of the next period, if it is another one.
    pub next_plan: Option<PlanId>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// Finds a subscription.
pub async fn find(tx: &Tx, scope: Scope, id: SubscriptionId) -> Result<Subscription> {
    store::find(tx, scope, id).await?.ok_or(Error::NotFound("Subscription"))
}

/// Lists subscriptions, newest first.
pub async fn list(tx: &Tx, scope: Scope, filter: &Filter) -> Result<Listed<Subscription>> {
    Ok(list_with_sum(tx, scope, filter).await?.0)
}

/// A page of the list, whose matches are not counted.
pub async fn page(tx: &Tx, scope: Scope, filter: &Filter) -> Result<Listed<Subscription>> {
    let rows = store::list(tx, scope, filter).await?;
    Ok(filter.page.uncounted(rows, |subscription| subscription.id.0))
}

/// Lists subscriptions, newest first, with what recurs of all that match in twelve months.
pub async fn list_with_sum(
    tx: &Tx,
    scope: Scope,
    filter: &Filter,
) -> Result<(Listed<Subscription>, i64)> {
    let rows = store::list(tx, scope, filter).await?;
    let (total, annual) = store::totals(tx, scope, filter).await?;
    Ok((filter.page.listed(rows, total, |subscription| subscription.id.0), annual))
}

/// The payments for the periods that were charged last, newest first.
pub async fn last_payments(
    tx: &Tx,
    scope: Scope,
    id: SubscriptionId,
    most: i64,
) -> Result<Vec<TransactionId>> {
    periods::last(tx, scope, id, most).await
}

/// Counts the subscriptions that have not ended.
pub async fn count_running(tx: &Tx, scope: Scope) -> Result<i64> {
    store::count_running(tx, scope).await
}

/// The subscriptions of a client that have not ended.
pub async fn running(tx: &Tx, scope: Scope, client: ClientId) -> Result<Vec<SubscriptionId>> {
    store::running(tx, scope, client).await
}

/// Erases the subscriber's personal data from a client's ended subscriptions.
pub async fn blank(tx: &Tx, scope: Scope, client: ClientId) -> Result<()> {
    store::blank(tx, scope, client).await
}

impl Subscription {
    /// The period that is billed next.
    pub fn due_period(&self) -> Period {
        let number = u32::try_from(self.next_cycle).unwrap_or(u32::MAX);
        let (start, end) = self.anchor().period(self.interval.months(), number);
        Period { start: Timestamp::from_micros(start), end: Timestamp::from_micros(end) }
    }

    /// The cost over twelve months while its price counts as recurring, otherwise zero.
    pub fn annual(&self) -> Cents {
        let paying = self.status.is_paying();
        if paying { self.interval.annual(self.price) } else { Cents::ZERO }
    }

    /// The subscription with another card, which may succeed where the previous one could not.
    #[must_use]
    pub fn with_card(&self, card: &StoredCard) -> Self {
        let dunning = Dunning { awaits_card: false, ..self.dunning.clone() };
        let (method, card) = (Method::CreditCard, Some(card.clone()));
        Self { method, card, dunning, ..self.clone() }
    }

    /// Whether its stored card has this fingerprint; without one, whether it has no card.
    fn has_card(&self, fingerprint: Option<&str>) -> bool {
        self.card.as_ref().map(|card| card.details.fingerprint.as_str()) == fingerprint
    }

    /// Whether the trial is active at a given time.
    pub fn is_in_trial(&self, now: Timestamp) -> bool {
        !self.paid_once && self.trial_ends_at.is_some_and(|ends| now < ends)
    }

    /// The subscription with its periods counted from a given time, and that time's day of the
    /// month kept.
    #[must_use]
    fn anchored(self, at: Timestamp) -> Self {
        let anchor_day = i64::from(Anchor::at(at.micros()).day());
        Self { anchor_at: at, anchor_day, next_cycle: 0, next_billing_at: at, ..self }
    }

    fn anchor(&self) -> Anchor {
        let day = i8::try_from(self.anchor_day).unwrap_or(1);
        Anchor::at(self.anchor_at.micros()).keeping(day)
    }

    /// Refuses a transition that the status does not allow.
    fn expect_may_become(&self, next: Status) -> Result<()> {
        if self.status.may_become(next) {
            return Ok(());
        }
        Err(Error::conflict(self.status, next))
    }

    /// Refuses to change a subscription that has ended, or never became active.
    pub fn expect_alive(&self) -> Result<()> {
        if self.status.has_ended() || self.status == Status::Incomplete {
            let message =
                format!("The subscription cannot be changed while it is {}.", self.status);
            return Err(Error::State { current: self.status.to_string(), message });
        }
        Ok(())
    }
}

/// Stores a change with all its consequences, if nothing changed the row meanwhile.
async fn save(
    tx: &Tx,
    scope: Scope,
    before: &Subscription,
    after: Subscription,
    emitted: &[Name],
    payment: Option<Rendered>,
) -> Result<Subscription> {
    let steps = i64::try_from(emitted.len().max(1)).unwrap_or(1);
    let (version, updated_at) = (before.version + steps, scope.now(tx));
    let after = Subscription { version, updated_at, ..after };
    if !store::update(tx, scope, before.version, &after).await? {
        return Err(tx.collision("the subscription changed concurrently").into());
    }
    if before.plan != after.plan || before.card != after.card {
        store::update_terms(tx, scope, &after).await?;
    }
    schedule_wake(tx, scope, Some(before), &after).await?;
    metrics::record(tx, scope, before, &after).await?;
    if after.status.has_ended() && !before.status.has_ended() {
        for plan in [Some(after.plan), after.next_plan].into_iter().flatten() {
            plans::release_slot(tx, scope, plan).await?;
        }
    }
    publish_changes(tx, scope, &after, emitted, payment).await?;
    Ok(after)
}

/// Schedules the next look at the subscription by its schedule, and cancels the previous one.
async fn schedule_wake(
    tx: &Tx,
    scope: Scope,
    before: Option<&Subscription>,
    after: &Subscription,
) -> Result<()> {
    let old = before.and_then(schedule::next).map(|due| due.at);
    let new = schedule::next(after).map(|due| due.at);
    if let Some(at) = old.filter(|_| old != new) {
        queue::job::cancel::<RunDueAction>(tx, after.id.0, scope.due(at).at).await?;
    }
    // Even if the time is unchanged: the job scheduled for it may be running right now.
    if let Some(at) = new {
        let job = RunDueAction { merchant: scope.merchant, mode: scope.mode, id: after.id };
        queue::job::push(tx, after.id.0, scope.due(at), &job).await?;
    }
    Ok(())
}

/// Emits events in this order; their versions lead up to the subscription's.
async fn publish_changes(
    tx: &Tx,
    scope: Scope,
    subscription: &Subscription,
    emitted: &[Name],
    payment: Option<Rendered>,
) -> Result<()> {
    let view = SubscriptionView::new(scope, subscription);
    let before = subscription.version - i64::try_from(emitted.len()).unwrap_or(0);
    for (sequence, name) in (before + 1..).zip(emitted) {
        let event = SubscriptionChanged {
            name: *name,
            customer: view.customer.clone(),
            subscription: Box::new(view.clone()),
            transaction: payment.clone(),
        };
        webhooks::publish(tx, scope, sequence, &event).await?;
    }
    Ok(())
}
