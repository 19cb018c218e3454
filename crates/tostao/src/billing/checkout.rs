//! Creates subscriptions: by card, which is checked first; by PIX; or with a trial, which costs
//! nothing.
//!
//! A card is stored before anything else is, because its acquirer must be called; a stored card
//! that remains unused can be charged only with its id.

use db::tx::Tx;
use ledger::cents::Cents;
use rails::card::StoredCard;
use uuid::Uuid;

use crate::affiliates::attribution::AttributionCandidates;
use crate::app::App;
use crate::billing::{StoredPayment, current, payment, store_card, store_payment};
use crate::clients::CustomerDetails;
use crate::idempotency::{BeginOutcome, IdempotentOperation, Outcome};
use crate::platform::error::{Error, Result};
use crate::platform::ids::{MerchantId, PlanId, Scope, SubscriptionId, TransactionId};
use crate::subscriptions::charges::SubscriptionChange;
use crate::subscriptions::creation::{NewSubscription, expect_new, has_trial, open_trial};
use crate::subscriptions::plans::{self, Plan};
use crate::subscriptions::{ChargeReason, Method, Subscription, find};
use crate::transactions::Transaction;
use crate::transactions::charge::{PendingCharge, decided, submit};
use crate::transactions::issue::{Issued, issue};
use crate::transactions::quote::quote;
use crate::transactions::request::NewTransaction;
use crate::transactions::status::Status;
use crate::transactions::terms::PaymentTerms;

/// A validated subscription request.
#[derive(Debug, Clone)]
pub struct SubscriptionRequest {
    pub plan: PlanId,
    pub customer: CustomerDetails,
    pub method: RequestedMethod,
    pub coupon_code: Option<String>,
    /// Candidates for the attribution to an affiliate.
    pub claims: Option<AttributionCandidates>,
    /// The plan's terms and the total that the buyer agreed to, where a page showed them; other
    /// terms and a higher total are refused.
    pub terms: Option<String>,
    pub at_most: Option<Cents>,
}

/// The payment method.
#[derive(Debug, Clone)]
pub enum RequestedMethod {
    Pix,
    /// With a card token.
    Card(String),
}

/// Subscribes a buyer, and charges the card of the first payment.
#[derive(Debug, Clone)]
pub struct Subscribe {
    pub scope: Scope,
    pub request: SubscriptionRequest,
}

/// What is known before the subscription is stored.
pub struct Prepared {
    terms: PaymentTerms,
    subscription: NewSubscription,
    new: NewTransaction,
    /// `None` for a trial, which costs nothing.
    issued: Option<Issued>,
}

/// The created subscription and its first payment, which a trial has not.
pub struct Subscribed {
    pub subscription: Subscription,
    pub transaction: Option<Transaction>,
}

impl IdempotentOperation for Subscribe {
    type Read = ();
    type Prepared = Prepared;
    type Started = PendingCharge;
    type Output = Subscribed;

    fn merchant(&self) -> MerchantId {
        self.scope.merchant
    }

    async fn read(&self, _: &Tx) -> Result<()> {
        Ok(())
    }

    async fn prepare(&self, app: &App, (): ()) -> Result<Prepared> {
        let (scope, request) = (self.scope, &self.request);
        let (plan, trial) = read_plan(app, request).await?;
        let card = match &request.method {
            RequestedMethod::Pix => None,
            RequestedMethod::Card(token) => {
                Some(store_card(app, scope, &request.customer, token).await?)
            }
        };
        let subscription = new_subscription(app, scope, request, plan, trial, card);
        let with = SubscriptionChange::Creation(Box::new(subscription.clone()));
        let new = payment(&subscription.preview(), ChargeReason::Schedule, with);
        let new = NewTransaction { at_most: request.at_most, ..new };
        let issued = if trial { None } else { Some(issue(app, scope, &new).await?) };
        Ok(Prepared { terms: PaymentTerms::of(app), subscription, new, issued })
    }

    async fn begin(
        &self,
        tx: &Tx,
        prepared: &Prepared,
    ) -> Result<BeginOutcome<PendingCharge, Subscribed>> {
        let (scope, Prepared { terms, subscription, new, issued }) = (self.scope, prepared);
        let Some(issued) = issued else {
            // An invalid coupon is refused now, although the discount applies at the trial's end.
            quote(tx, scope, new).await?;
            let subscription = open_trial(tx, scope, subscription).await?;
            return Ok(BeginOutcome::Ended(Subscribed { subscription, transaction: None }));
        };
        Ok(match store_payment(tx, scope, terms, new, issued).await? {
            StoredPayment::Pix(transaction) => {
                let subscription = find(tx, scope, subscription_of(&transaction)?).await?;
                BeginOutcome::Ended(Subscribed { subscription, transaction: Some(*transaction) })
            }
            StoredPayment::Card(order) => BeginOutcome::Started(order.transaction.id.0, *order),
        })
    }

    async fn finish(&self, app: &App, order: PendingCharge) -> Result<Outcome<Subscribed>> {
        self.charged(app, submit(app, self.scope, order).await?).await
    }

    async fn resume(&self, app: &App, created: Uuid) -> Result<Option<Outcome<Subscribed>>> {
        match decided(app, self.scope, TransactionId(created)).await? {
            Some(found) => self.charged(app, found).await.map(Some),
            None => Ok(None),
        }
    }
}

impl Subscribe {
    /// The subscription after its card was charged; it is `INCOMPLETE` while that is not known.
    async fn charged(&self, app: &App, transaction: Transaction) -> Result<Outcome<Subscribed>> {
        if transaction.status == Status::Failed {
            return Ok(Outcome::Refused(transaction.declined()));
        }
        let subscription = current(app, self.scope, subscription_of(&transaction)?).await?;
        Ok(Outcome::Done(Subscribed { subscription, transaction: Some(transaction) }))
    }
}

/// Reads the plan, and whether the buyer gets a trial, before anything costs money.
async fn read_plan(app: &App, request: &SubscriptionRequest) -> Result<(Plan, bool)> {
    let (id, buyer, terms) = (request.plan, request.customer.clone(), request.terms.clone());
    app.read(async move |tx| {
        let (scope, plan, _) = plans::find_public(tx, id).await?;
        plan.expect_open()?;
        plan.expect_terms(terms.as_deref())?;
        expect_new(tx, scope, id, &buyer).await?;
        let trial = has_trial(tx, scope, &plan, &buyer).await?;
        Ok((plan, trial))
    })
    .await
}

fn new_subscription(
    app: &App,
    scope: Scope,
    request: &SubscriptionRequest,
    plan: Plan,
    trial: bool,
    card: Option<StoredCard>,
) -> NewSubscription {
    NewSubscription {
        id: SubscriptionId(app.database.sources().new_id(app.now())),
        plan,
        customer: request.customer.clone(),
        method: if card.is_some() { Method::CreditCard } else { Method::Pix },
        card,
        trial,
        at: scope.at(app.now()),
        claims: request.claims.clone(),
        coupon_code: request.coupon_code.clone(),
    }
}

fn subscription_of(transaction: &Transaction) -> Result<SubscriptionId> {
    let period = transaction.period.ok_or(Error::NotFound("Subscription"))?;
    Ok(period.subscription)
}
