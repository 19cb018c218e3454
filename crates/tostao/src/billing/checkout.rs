//! Creates subscriptions: by card, which is checked first; by PIX; or with a trial, which costs
//! nothing.
//!
//! A card is stored before anything else is, because its acquirer must be called; a stored card
//! that remains unused can be charged only with its id.

use schemars::JsonSchema;
use serde::Serialize;

use crate::affiliates::attribution::AttributionCandidates;
use crate::app::App;
use crate::billing::{Begun, current, keep_card, payment, write_down};
use crate::checkout::buyer_view::BuyerView;
use crate::clients::Customer;
use crate::idempotency::{Begun as Reserved, Claim, Replayable, Ticket, in_progress};
use crate::platform::error::{Error, Refusal, Result};
use crate::platform::http::reply::{Created, ShownOnce};
use crate::platform::ids::{PlanId, Scope, SubscriptionId, TransactionId};
use crate::providers::card::StoredCard;
use crate::subscriptions::charges::SubscriptionChange;
use crate::subscriptions::creation::{NewSubscription, expect_new, has_trial, open_trial};
use crate::subscriptions::plans::{self, Plan};
use crate::subscriptions::view::SubscriptionView;
use crate::subscriptions::{ChargeReason, Method, Subscription, find, manage_token};
use crate::transactions::charge::{carry_out, follow};
use crate::transactions::create::NewTransaction;
use crate::transactions::issue::{Issued, issue};
use crate::transactions::quote::quote;
use crate::transactions::status::Status;
use crate::transactions::terms::Terms;
use crate::transactions::{self, Transaction};

/// A plan may change between being read and the unit; then it is read again.
const TRIES_MAX: u32 = 3;

/// A validated subscription request.
#[derive(Debug, Clone)]
pub struct Wanted {
    pub plan: PlanId,
    pub customer: Customer,
    pub means: Means,
    pub coupon_code: Option<String>,
    /// Candidates for the attribution to an affiliate.
    pub claims: Option<AttributionCandidates>,
}

/// The payment method.
#[derive(Debug, Clone)]
pub enum Means {
    Pix,
    /// With a card token.
    Card(String),
}

/// The created subscription and its first payment.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CreatedSubscription")]
pub struct Subscribed {
    pub subscription: SubscriptionView,
    /// The first payment; null during a trial.
    pub transaction: Option<BuyerView>,
    /// The token with which the buyer cancels, pauses and resumes the subscription, and updates its
    /// card.
    pub manage_token: String,
}

/// A response with the created subscription.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CreatedSubscriptionResponse")]
pub struct SubscribedReply {
    pub success: bool,
    pub data: Subscribed,
}

/// The stored response: its token is a secret.
pub type Answer = ShownOnce<Created<SubscribedReply>>;

/// Subscribes a buyer, once for each idempotency key.
pub async fn subscribe(
    app: &App,
    scope: Scope,
    ticket: Option<Ticket>,
    wanted: &Wanted,
) -> Result<Replayable<Answer>> {
    if let Some(answer) = known(app, scope, ticket.clone()).await? {
        return Ok(answer);
    }
    let mut tries = 0;
    loop {
        tries += 1;
        match try_once(app, scope, ticket.clone(), wanted).await {
            Err(Error::Refused(Refusal::ConcurrentUpdate, _)) if tries < TRIES_MAX => {}
            // A concurrent request with the same key may have subscribed meanwhile, and be the
            // reason of the refusal.
            Err(refusal) => match known(app, scope, ticket.clone()).await? {
                Some(answer) => return Ok(answer),
                None => return app.refuse_once(ticket, refusal).await,
            },
            done => return done,
        }
    }
}

/// The stored or pending response to the same request.
async fn known(
    app: &App,
    scope: Scope,
    ticket: Option<Ticket>,
) -> Result<Option<Replayable<Answer>>> {
    match app.claim(ticket.clone()).await? {
        Claim::Free => Ok(None),
        Claim::Answered(answer) => Ok(Some(answer)),
        Claim::Running(id) => wait(app, scope, ticket, TransactionId(id)).await.map(Some),
    }
}

async fn try_once(
    app: &App,
    scope: Scope,
    ticket: Option<Ticket>,
    wanted: &Wanted,
) -> Result<Replayable<Answer>> {
    let (plan, trial) = look(app, wanted).await?;
    let card = match &wanted.means {
        Means::Pix => None,
        Means::Card(token) => Some(keep_card(app, scope, token).await?),
    };
    let opening = opening(app, scope, wanted, plan, trial, card);
    let with = SubscriptionChange::Creation(Box::new(opening.clone()));
    let new = payment(&opening.preview(), ChargeReason::Schedule, with);
    if trial {
        return begin_trial(app, scope, ticket, opening, new).await;
    }
    let issued = issue(app, scope, &new).await?;
    if issued.card.is_some() {
        by_card(app, scope, ticket, new, issued).await
    } else {
        by_code(app, scope, ticket, new, issued).await
    }
}

/// Reads the plan, and whether the buyer gets a trial, before anything costs money.
async fn look(app: &App, wanted: &Wanted) -> Result<(Plan, bool)> {
    let (id, buyer) = (wanted.plan, wanted.customer.clone());
    app.read(async move |tx| {
        let (scope, plan, _) = plans::find_public(tx, id).await?;
        plan.expect_open()?;
        expect_new(tx, scope, id, &buyer).await?;
        let trial = has_trial(tx, scope, &plan, &buyer).await?;
        Ok((plan, trial))
    })
    .await
}

fn opening(
    app: &App,
    scope: Scope,
    wanted: &Wanted,
    plan: Plan,
    trial: bool,
    card: Option<StoredCard>,
) -> NewSubscription {
    NewSubscription {
        id: SubscriptionId(app.database.sources().new_id(app.now())),
        plan,
        customer: wanted.customer.clone(),
        method: if card.is_some() { Method::CreditCard } else { Method::Pix },
        card,
        trial,
        at: scope.at(app.now()),
        claims: wanted.claims.clone(),
        coupon_code: wanted.coupon_code.clone(),
    }
}

async fn begin_trial(
    app: &App,
    scope: Scope,
    ticket: Option<Ticket>,
    opening: NewSubscription,
    new: NewTransaction,
) -> Result<Replayable<Answer>> {
    let terms = Terms::of(app);
    app.transact_once(ticket, async move |tx| {
        // An invalid coupon is refused now, although the discount applies at the trial's end.
        quote(tx, scope, &new).await?;
        let subscription = open_trial(tx, scope, &opening).await?;
        let token = manage_token::write(&terms.secrets, scope, subscription.id);
        Ok(answer(scope, &subscription, None, token))
    })
    .await
}

async fn by_code(
    app: &App,
    scope: Scope,
    ticket: Option<Ticket>,
    new: NewTransaction,
    issued: Issued,
) -> Result<Replayable<Answer>> {
    let terms = Terms::of(app);
    app.transact_once(ticket, async move |tx| {
        let Begun::Code(transaction) = write_down(tx, scope, &terms, &new, &issued).await? else {
            return Err(Error::Internal(anyhow::anyhow!("a code is no card")));
        };
        let subscription = find(tx, scope, subscription_of(&transaction)?).await?;
        let shown = BuyerView::new(&terms, scope, &transaction);
        let token = manage_token::write(&terms.secrets, scope, subscription.id);
        Ok(answer(scope, &subscription, Some(shown), token))
    })
    .await
}

async fn by_card(
    app: &App,
    scope: Scope,
    ticket: Option<Ticket>,
    new: NewTransaction,
    issued: Issued,
) -> Result<Replayable<Answer>> {
    let terms = Terms::of(app);
    let begun = app.begin_once(ticket.clone(), async move |tx| {
        match write_down(tx, scope, &terms, &new, &issued).await? {
            Begun::Card(order) => Ok((order.transaction.id.0, order)),
            Begun::Code(_) => Err(Error::Internal(anyhow::anyhow!("a card is no code"))),
        }
    });
    let order = match begun.await? {
        Reserved::Now(order) => order,
        Reserved::Answered(answer) => return Ok(answer),
        Reserved::Running(id) => return wait(app, scope, ticket, TransactionId(id)).await,
    };
    let settled = carry_out(app, scope, *order).await?;
    conclude(app, scope, ticket, settled).await
}

/// Waits for the result of a checkout that another request started.
async fn wait(
    app: &App,
    scope: Scope,
    ticket: Option<Ticket>,
    id: TransactionId,
) -> Result<Replayable<Answer>> {
    if let Some(answer) = follow(app, ticket.clone()).await? {
        return Ok(answer);
    }
    let transaction = app.read(async move |tx| transactions::find(tx, scope, id).await).await?;
    if transaction.status == Status::Processing {
        return Err(in_progress());
    }
    // The request that started it went away before it could respond.
    conclude(app, scope, ticket, transaction).await
}

async fn conclude(
    app: &App,
    scope: Scope,
    ticket: Option<Ticket>,
    transaction: Transaction,
) -> Result<Replayable<Answer>> {
    if transaction.status == Status::Failed {
        return app.refuse_once(ticket, transaction.declined()).await;
    }
    let subscription = current(app, scope, subscription_of(&transaction)?).await?;
    let shown = BuyerView::new(&Terms::of(app), scope, &transaction);
    let token = manage_token::write(&app.secrets, scope, subscription.id);
    app.remember(ticket, &answer(scope, &subscription, Some(shown), token)).await
}

fn answer(
    scope: Scope,
    subscription: &Subscription,
    transaction: Option<BuyerView>,
    manage_token: String,
) -> Answer {
    let subscription = SubscriptionView::new(scope, subscription);
    let data = Subscribed { subscription, transaction, manage_token };
    ShownOnce(Created(SubscribedReply { success: true, data }))
}

fn subscription_of(transaction: &Transaction) -> Result<SubscriptionId> {
    let period = transaction.period.ok_or(Error::NotFound("Subscription"))?;
    Ok(period.subscription)
}
