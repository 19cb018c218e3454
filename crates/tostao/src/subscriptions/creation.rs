//! Creating a subscription.
//!
//! A slot of the plan is reserved first: from then on the unit holds the plan's row lock, so a
//! concurrent subscription is seen, whatever name was given.

use brazil::periods::days_after;
use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;
use rails::card::StoredCard;
use uuid::Uuid;

use crate::affiliates::attribution::{self, AttributionCandidates, Buyer};
use crate::affiliates::terms::Order;
use crate::clients::{self, CustomerDetails};
use crate::events::names::Name;
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::ids::{ClientId, PlanId, Scope, SubscriptionId};
use crate::subscriptions::plans::{self, Plan};
use crate::subscriptions::status::Status;
use crate::subscriptions::{
    Charge, Dunning, Method, Period, Subscription, publish_changes, schedule_wake, store,
};

/// A validated request for a subscription.
#[derive(Debug, Clone)]
pub struct NewSubscription {
    pub id: SubscriptionId,
    /// The plan as it was shown to the buyer.
    pub plan: Plan,
    pub customer: CustomerDetails,
    pub method: Method,
    /// The card that is stored for it.
    pub card: Option<StoredCard>,
    /// Whether it starts with a trial.
    pub trial: bool,
    /// When it starts.
    pub at: Timestamp,
    /// Candidates for the attribution to an affiliate.
    pub claims: Option<AttributionCandidates>,
    pub coupon_code: Option<String>,
}

/// Whether a buyer who subscribes now gets a trial: once for each plan.
pub async fn has_trial(
    tx: &Tx,
    scope: Scope,
    plan: &Plan,
    buyer: &CustomerDetails,
) -> Result<bool> {
    Ok(plan.trial_days > 0 && !store::had_trial(tx, scope, plan.id, buyer).await?)
}

/// Refuses a buyer who already subscribes to a plan, or whose card is being charged for it.
pub async fn expect_new(
    tx: &Tx,
    scope: Scope,
    plan: PlanId,
    buyer: &CustomerDetails,
) -> Result<()> {
    let none = SubscriptionId(Uuid::nil());
    if store::is_charged(tx, scope, plan, buyer).await?
        || store::subscribes(tx, scope, plan, buyer, none).await?
    {
        return Err(already_subscribed());
    }
    Ok(())
}

/// The error for a buyer who already subscribes to a plan.
pub(super) fn already_subscribed() -> Error {
    let message = "A customer with this document or, without one, this email already subscribes \
        to the plan, or is being charged for it.";
    Error::refused(ErrorCode::AlreadySubscribed, message)
}

/// Creates a subscription that starts with a trial; nothing is charged before its end.
pub async fn open_trial(tx: &Tx, scope: Scope, new: &NewSubscription) -> Result<Subscription> {
    let client = clients::recognize(tx, scope, &new.customer).await?;
    open(tx, scope, new, client, None).await
}

/// Creates a subscription; without a trial, with the payment that it awaits.
pub(super) async fn open(
    tx: &Tx,
    scope: Scope,
    new: &NewSubscription,
    client: ClientId,
    charge: Option<Charge>,
) -> Result<Subscription> {
    let plan = plans::reserve_slot(tx, scope, new.plan.id).await?;
    expect_new(tx, scope, plan.id, &new.customer).await?;
    let trial = has_trial(tx, scope, &plan, &new.customer).await?;
    if !is_as_shown(new, &plan) || trial != new.trial {
        return Err(tx.collision("the plan or the trial eligibility changed concurrently").into());
    }
    let emitted: &[Name] = if trial {
        &[Name::SubscriptionCreated, Name::SubscriptionTrialStarted]
    } else {
        &[Name::SubscriptionCreated]
    };
    let subscription = new.subscription(client, charge, scope.now(tx));
    let version = i64::try_from(emitted.len()).unwrap_or(1);
    let affiliate_code = attribute(tx, scope, new, &plan).await?;
    let subscription = Subscription { version, affiliate_code, ..subscription };
    store::insert(tx, scope, &subscription).await?;
    schedule_wake(tx, scope, None, &subscription).await?;
    publish_changes(tx, scope, &subscription, emitted, None).await?;
    Ok(subscription)
}

/// Attributes the subscription to an affiliate, if any; returns their code.
async fn attribute(
    tx: &Tx,
    scope: Scope,
    new: &NewSubscription,
    plan: &Plan,
) -> Result<Option<String>> {
    let Some(claims) = &new.claims else { return Ok(None) };
    let order = Order {
        items: &[],
        product: plan.product,
        price: plan.price,
        discount: Cents::ZERO,
        discounted: &[],
    };
    let CustomerDetails { document, email, .. } = &new.customer;
    let buyer = Buyer { document: document.as_ref(), email };
    attribution::attribute_subscriber(tx, scope, new.id, claims, &order, buyer).await
}

impl NewSubscription {
    /// The subscription as it would start, to find out what it owes first.
    pub fn preview(&self) -> Subscription {
        self.subscription(ClientId(Uuid::nil()), None, self.at)
    }

    /// The subscription as it starts.
    fn subscription(
        &self,
        client: ClientId,
        charge: Option<Charge>,
        now: Timestamp,
    ) -> Subscription {
        let trial_ends_at = self
            .trial
            .then(|| Timestamp::from_micros(days_after(self.at.micros(), self.plan.trial_days)));
        let started = Subscription {
            id: self.id,
            version: 1,
            plan: self.plan.id,
            plan_name: self.plan.name.clone(),
            price: self.plan.price,
            interval: self.plan.interval,
            retry_policy: self.plan.retry_policy,
            client,
            customer: self.customer.clone(),
            status: if self.trial { Status::Trialing } else { Status::Incomplete },
            method: self.method,
            card: self.card.clone(),
            trial_ends_at,
            trial_end_announced: false,
            anchor_at: self.at,
            anchor_day: 1,
            next_cycle: 0,
            period: trial_ends_at.map(|end| Period { start: self.at, end }),
            next_billing_at: self.at,
            charge,
            paid_once: false,
            cancel_at_period_end: false,
            cancelled_at: None,
            ended_at: None,
            cancel_reason: None,
            cancel_comment: None,
            paused_at: None,
            resumes_at: None,
            dunning: Dunning::default(),
            affiliate_code: None,
            coupon_code: self.coupon_code.clone(),
            next_plan: None,
            created_at: now,
            updated_at: now,
        };
        started.anchored(trial_ends_at.unwrap_or(self.at))
    }
}

fn is_as_shown(new: &NewSubscription, plan: &Plan) -> bool {
    new.plan.terms() == plan.terms()
}
