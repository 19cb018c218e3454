//! Changing subscriptions through the API.

use axum::extract::State;
use db::time::Timestamp;
use db::tx::Tx;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::app::App;
use crate::auth::caller::Caller;
use crate::auth::permissions::SubscriptionsWrite;
use crate::billing::holder::Holder;
use crate::billing::simulate::{Outcome, simulate as simulate_outcome};
use crate::billing::{charge, current, keep_card, take_back};
use crate::error::{Error, Fields, Refusal, Result};
use crate::fields;
use crate::http::body::{Body, OptionalBody};
use crate::http::idempotency::{Once, Replayable};
use crate::http::path::At;
use crate::http::reply::Done;
use crate::ids::{PlanId, Scope, SubscriptionId};
use crate::merchants::clock_api::development;
use crate::subscriptions::api::SubscriptionReply;
use crate::subscriptions::charges::With;
use crate::subscriptions::lifecycle::{self, Cancellation, expect_retryable, resuming_costs};
use crate::subscriptions::status::Status;
use crate::subscriptions::view::SubscriptionView;
use crate::subscriptions::{Cause, Subscription};
use crate::transactions::intake;
use crate::transactions::terms::Terms;

/// How a subscription is to end.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct CancelBody {
    /// When what was paid for ends, and not now; false if not given.
    at_period_end: bool,
    /// A word for why.
    #[schemars(length(max = 255))]
    reason: Option<String>,
    #[schemars(length(max = 1000))]
    comment: Option<String>,
    /// The buyer's proof, instead of a key.
    manage_token: Option<String>,
}

/// How long a pause is.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PauseBody {
    /// When it goes on by itself; until somebody resumes it if not given.
    resumes_at: Option<Timestamp>,
    /// The buyer's proof, instead of a key.
    manage_token: Option<String>,
}

/// Nothing but a buyer's proof.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ProofBody {
    /// The buyer's proof, instead of a key.
    manage_token: Option<String>,
}

/// Nothing.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct Empty {}

/// Another card.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct CardBody {
    /// What stands for the card, given by its tokeniser.
    // Whoever may not change the card learns that first, and not what his body lacks.
    #[schemars(required, length(min = 1, max = 255))]
    card_token: Option<String>,
    /// The buyer's proof, instead of a key.
    manage_token: Option<String>,
}

/// Another plan.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanBody {
    plan_id: PlanId,
}

/// A later end of a trial.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrialBody {
    trial_ends_at: Timestamp,
}

/// What becomes of the payment that is awaited or, if there is none, of the next.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct SimulateBody {
    outcome: Outcome,
}

/// POST /api/subscriptions/{id}/cancel
pub async fn cancel(
    State(app): State<App>,
    holder: Holder,
    At(id): At<SubscriptionId>,
    once: Once,
    body: OptionalBody<CancelBody>,
) -> Result<Replayable<Done<SubscriptionReply>>> {
    let scope = holder.scope(&app, id, body.value.manage_token.as_deref()).await?;
    let ticket = once.ticket(scope, &body.raw);
    let (how, terms) = (body.value.check()?, app.terms.clone());
    app.transact_once(ticket, async move |tx| {
        let subscription = end(tx, scope, &terms, id, &how).await?;
        Ok(shown(scope, &subscription))
    })
    .await
}

/// POST /api/subscriptions/{id}/reactivate
pub async fn reactivate(
    State(app): State<App>,
    caller: Caller<SubscriptionsWrite>,
    At(id): At<SubscriptionId>,
    once: Once,
    body: OptionalBody<Empty>,
) -> Result<Replayable<Done<SubscriptionReply>>> {
    let scope = caller.scope;
    app.transact_once(once.ticket(scope, &body.raw), async move |tx| {
        Ok(shown(scope, &lifecycle::reactivate(tx, scope, id).await?))
    })
    .await
}

/// POST /api/subscriptions/{id}/pause
pub async fn pause(
    State(app): State<App>,
    holder: Holder,
    At(id): At<SubscriptionId>,
    once: Once,
    body: OptionalBody<PauseBody>,
) -> Result<Replayable<Done<SubscriptionReply>>> {
    let PauseBody { resumes_at, manage_token } = body.value;
    let scope = holder.scope(&app, id, manage_token.as_deref()).await?;
    app.transact_once(once.ticket(scope, &body.raw), async move |tx| {
        Ok(shown(scope, &lifecycle::pause(tx, scope, id, resumes_at).await?))
    })
    .await
}

/// POST /api/subscriptions/{id}/resume
pub async fn resume(
    State(app): State<App>,
    holder: Holder,
    At(id): At<SubscriptionId>,
    once: Once,
    body: OptionalBody<ProofBody>,
) -> Result<Replayable<Done<SubscriptionReply>>> {
    let scope = holder.scope(&app, id, body.value.manage_token.as_deref()).await?;
    let ticket = once.ticket(scope, &body.raw);
    if let Some(answer) = app.replay(ticket.clone()).await? {
        return Ok(answer);
    }
    let (paused, now) = (current(&app, scope, id).await?, scope.at(app.now()));
    if !resuming_costs(&paused, now) {
        return app
            .transact_once(ticket, async move |tx| {
                Ok(shown(scope, &lifecycle::resume(tx, scope, id).await?))
            })
            .await;
    }
    let with = With::Resuming { version: paused.version };
    let resumed = match paused.resuming(now) {
        Ok(resumed) => resumed,
        Err(refusal) => return app.refuse_once(ticket, refusal).await,
    };
    charged(charge(&app, scope, &resumed, Cause::Schedule, with).await?.is_some())?;
    app.remember(ticket, &shown(scope, &current(&app, scope, id).await?)).await
}

/// PUT /api/subscriptions/{id}/card
///
/// What is owed is charged to the new card at once.
pub async fn card(
    State(app): State<App>,
    holder: Holder,
    At(id): At<SubscriptionId>,
    body: Body<CardBody>,
) -> Result<Done<SubscriptionReply>> {
    let CardBody { card_token, manage_token } = body.value;
    let scope = holder.scope(&app, id, manage_token.as_deref()).await?;
    let token = intake::card_token(card_token.as_deref());
    let mut wrong = Fields::new();
    let Some(token) = wrong.read("cardToken", token) else { return Err(wrong.into_error()) };
    let before = current(&app, scope, id).await?;
    before.expect_alive()?;
    let card = keep_card(&app, scope, &token).await?;
    if before.status == Status::PastDue && before.charge.is_none() {
        let with = With::Card { version: before.version, card: Box::new(card.clone()) };
        let after = before.with_card(&card);
        charged(charge(&app, scope, &after, Cause::Card, with).await?.is_some())?;
    } else {
        app.transact(async move |tx| lifecycle::put_card(tx, scope, id, &card).await).await?;
    }
    Ok(shown(scope, &current(&app, scope, id).await?))
}

/// POST /api/subscriptions/{id}/retry
///
/// A payment that is awaited is not doubled: the answer shows it.
pub async fn retry(
    State(app): State<App>,
    caller: Caller<SubscriptionsWrite>,
    At(id): At<SubscriptionId>,
    once: Once,
    body: OptionalBody<Empty>,
) -> Result<Replayable<Done<SubscriptionReply>>> {
    let scope = caller.scope;
    let ticket = once.ticket(scope, &body.raw);
    if let Some(answer) = app.replay(ticket.clone()).await? {
        return Ok(answer);
    }
    let before = current(&app, scope, id).await?;
    if let Err(refusal) = expect_retryable(&before) {
        return app.refuse_once(ticket, refusal).await;
    }
    if before.charge.is_none() {
        let with = With::Nothing { version: before.version };
        charged(charge(&app, scope, &before, Cause::Manual, with).await?.is_some())?;
    }
    app.remember(ticket, &shown(scope, &current(&app, scope, id).await?)).await
}

/// POST /api/subscriptions/{id}/change-plan
pub async fn change_plan(
    State(app): State<App>,
    caller: Caller<SubscriptionsWrite>,
    At(id): At<SubscriptionId>,
    once: Once,
    body: Body<PlanBody>,
) -> Result<Replayable<Done<SubscriptionReply>>> {
    let (scope, plan) = (caller.scope, body.value.plan_id);
    app.transact_once(once.ticket(scope, &body.raw), async move |tx| {
        Ok(shown(scope, &lifecycle::change_plan(tx, scope, id, plan).await?))
    })
    .await
}

/// POST /api/subscriptions/{id}/extend-trial
pub async fn extend_trial(
    State(app): State<App>,
    caller: Caller<SubscriptionsWrite>,
    At(id): At<SubscriptionId>,
    once: Once,
    body: Body<TrialBody>,
) -> Result<Replayable<Done<SubscriptionReply>>> {
    let (scope, ends_at) = (caller.scope, body.value.trial_ends_at);
    app.transact_once(once.ticket(scope, &body.raw), async move |tx| {
        Ok(shown(scope, &lifecycle::extend_trial(tx, scope, id, ends_at).await?))
    })
    .await
}

/// POST /api/subscriptions/{id}/simulate
pub async fn simulate(
    State(app): State<App>,
    caller: Caller<SubscriptionsWrite>,
    At(id): At<SubscriptionId>,
    once: Once,
    body: Body<SimulateBody>,
) -> Result<Replayable<Done<SubscriptionReply>>> {
    let scope = development(caller.scope)?;
    let ticket = once.ticket(scope, &body.raw);
    if let Some(answer) = app.replay(ticket.clone()).await? {
        return Ok(answer);
    }
    simulate_outcome(&app, scope, id, body.value.outcome).await?;
    app.remember(ticket, &shown(scope, &current(&app, scope, id).await?)).await
}

impl CancelBody {
    fn check(&self) -> Result<Cancellation> {
        let mut wrong = Fields::new();
        let reason = wrong.read("reason", fields::optional_text(self.reason.as_deref(), 255));
        let comment = wrong.read("comment", fields::optional_text(self.comment.as_deref(), 1000));
        let (Some(reason), Some(comment)) = (reason, comment) else {
            return Err(wrong.into_error());
        };
        Ok(Cancellation { at_period_end: self.at_period_end, reason, comment })
    }
}

/// Ends a subscription and takes back the payment that it awaited.
async fn end(
    tx: &Tx,
    scope: Scope,
    terms: &Terms,
    id: SubscriptionId,
    how: &Cancellation,
) -> Result<Subscription> {
    let changed = lifecycle::cancel(tx, scope, id, how).await?;
    let Some(needless) = changed.needless else { return Ok(changed.subscription) };
    take_back(tx, scope, terms, needless).await?;
    crate::subscriptions::find(tx, scope, id).await
}

/// Refuses whoever was overtaken by another change of the same subscription.
fn charged(was: bool) -> Result<()> {
    if was {
        return Ok(());
    }
    let message = "Another request is changing the subscription. Look at it and try again.";
    Err(Error::refused(Refusal::ConcurrentUpdate, message))
}

fn shown(scope: Scope, subscription: &Subscription) -> Done<SubscriptionReply> {
    let data = SubscriptionView::new(scope, subscription);
    Done(SubscriptionReply { success: true, data })
}
