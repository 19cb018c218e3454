//! Changing subscriptions through the API.

use axum::extract::State;
use db::time::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::app::App;
use crate::audit::Action;
use crate::audit::ticket::{Ticket, note};
use crate::auth::caller::Caller;
use crate::billing::actions;
use crate::billing::collect::{CollectRequest, collect};
use crate::billing::manage_auth_api::{BodyWithManageToken, SubscriptionCredential};
use crate::billing::simulate::{SimulatePayment, SubscriptionPaymentOutcome};
use crate::idempotency::dry_run::DryRun;
use crate::idempotency::{IdempotencyHeader, Replayable, WEEK};
use crate::platform::error::{FieldErrors, Result};
use crate::platform::fields;
use crate::platform::http::body::{Body, Empty, OptionalBody};
use crate::platform::http::path::PathParam;
use crate::platform::http::reply::Ok200;
use crate::platform::ids::{PlanId, Scope, SubscriptionId};
use crate::platform::permissions::SubscriptionsWrite;
use crate::subscriptions::Subscription;
use crate::subscriptions::api::SubscriptionResponse;
use crate::subscriptions::lifecycle::{self, Cancellation};
use crate::subscriptions::view::SubscriptionView;
use crate::transactions::terms::PaymentTerms;
use crate::transactions::validation;

/// When and why to cancel a subscription.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct CancelSubscriptionRequest {
    /// Whether to cancel at the end of the paid period rather than immediately. Defaults to false.
    pub at_period_end: bool,
    /// A short reason.
    #[schemars(length(max = 255))]
    pub reason: Option<String>,
    #[schemars(length(max = 1000))]
    pub comment: Option<String>,
    /// The subscription's `manageToken`, which authenticates the buyer instead of an API key.
    pub manage_token: Option<String>,
}

/// When a paused subscription resumes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PauseSubscriptionRequest {
    /// When the subscription resumes automatically. By default it stays paused until resumed.
    pub resumes_at: Option<Timestamp>,
    /// The subscription's `manageToken`, which authenticates the buyer instead of an API key.
    pub manage_token: Option<String>,
}

/// The buyer's authentication, if no API key is used.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ResumeSubscriptionRequest {
    /// The subscription's `manageToken`, which authenticates the buyer instead of an API key.
    manage_token: Option<String>,
}

/// The new card.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct UpdateSubscriptionCardRequest {
    /// The card token from the tokenizer.
    // A caller who may not change the card gets that error before any about the body.
    #[schemars(required, length(min = 1, max = 255))]
    card_token: Option<String>,
    /// The subscription's `manageToken`, which authenticates the buyer instead of an API key.
    manage_token: Option<String>,
}

/// The new plan.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangeSubscriptionPlanRequest {
    pub plan_id: PlanId,
}

/// The new end of the trial.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExtendSubscriptionTrialRequest {
    /// The new end of the trial, at most 730 days from now.
    pub trial_ends_at: Timestamp,
}

/// The outcome of the subscription's pending payment or, if there is none, of the next one.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct SimulateSubscriptionPaymentRequest {
    pub outcome: SubscriptionPaymentOutcome,
}

/// POST /api/subscriptions/{id}/cancel
pub async fn cancel(
    State(app): State<App>,
    holder: SubscriptionCredential,
    PathParam(id): PathParam<SubscriptionId>,
    dry_run: Result<DryRun>,
    once: Result<IdempotencyHeader>,
    body: BodyWithManageToken<CancelSubscriptionRequest>,
) -> Result<Replayable<Ok200<SubscriptionResponse>>> {
    let authorized = holder.authorize(&app, id, body.manage_token.as_deref()).await?;
    let (scope, key) = (authorized.scope, authorized.key(&once?, &body.raw));
    let dry_run = dry_run?;
    ask_to_cancel(&app, Ticket::of_program(scope, key, dry_run), id, body.value?).await
}

/// Cancels a subscription: the way in of programs and of people.
pub async fn ask_to_cancel(
    app: &App,
    Ticket { scope, key, dry_run, by }: Ticket,
    id: SubscriptionId,
    body: CancelSubscriptionRequest,
) -> Result<Replayable<Ok200<SubscriptionResponse>>> {
    let (how, terms) = (body.check()?, PaymentTerms::of(app));
    app.change_once(dry_run, scope, key, async move |tx| {
        let subscription = actions::cancel(tx, scope, &terms, id, &how).await?;
        note(tx, scope, by.as_ref(), Action::SubscriptionCancelled, id.0).await?;
        Ok(shown(scope, &subscription))
    })
    .await
}

/// POST /api/subscriptions/{id}/reactivate
pub async fn reactivate(
    State(app): State<App>,
    caller: Caller<SubscriptionsWrite>,
    PathParam(id): PathParam<SubscriptionId>,
    once: IdempotencyHeader,
    body: OptionalBody<Empty>,
) -> Result<Replayable<Ok200<SubscriptionResponse>>> {
    let (scope, dry_run) = (caller.scope, DryRun::default());
    ask_to_reactivate(&app, Ticket::of_program(scope, once.key(scope, &body.raw), dry_run), id)
        .await
}

/// Undoes a cancellation at the end of the period: the way in of programs and of people.
pub async fn ask_to_reactivate(
    app: &App,
    Ticket { scope, key, dry_run, by }: Ticket,
    id: SubscriptionId,
) -> Result<Replayable<Ok200<SubscriptionResponse>>> {
    app.change_once(dry_run, scope, key, async move |tx| {
        let subscription = lifecycle::reactivate(tx, scope, id).await?;
        note(tx, scope, by.as_ref(), Action::SubscriptionReactivated, id.0).await?;
        Ok(shown(scope, &subscription))
    })
    .await
}

/// POST /api/subscriptions/{id}/pause
pub async fn pause(
    State(app): State<App>,
    holder: SubscriptionCredential,
    PathParam(id): PathParam<SubscriptionId>,
    once: Result<IdempotencyHeader>,
    body: BodyWithManageToken<PauseSubscriptionRequest>,
) -> Result<Replayable<Ok200<SubscriptionResponse>>> {
    let authorized = holder.authorize(&app, id, body.manage_token.as_deref()).await?;
    let (scope, key) = (authorized.scope, authorized.key(&once?, &body.raw));
    let ticket = Ticket::of_program(scope, key, DryRun::default());
    ask_to_pause(&app, ticket, id, body.value?).await
}

/// Pauses a subscription: the way in of programs and of people.
pub async fn ask_to_pause(
    app: &App,
    Ticket { scope, key, dry_run, by }: Ticket,
    id: SubscriptionId,
    PauseSubscriptionRequest { resumes_at, .. }: PauseSubscriptionRequest,
) -> Result<Replayable<Ok200<SubscriptionResponse>>> {
    app.change_once(dry_run, scope, key, async move |tx| {
        let subscription = lifecycle::pause(tx, scope, id, resumes_at).await?;
        note(tx, scope, by.as_ref(), Action::SubscriptionPaused, id.0).await?;
        Ok(shown(scope, &subscription))
    })
    .await
}

/// POST /api/subscriptions/{id}/resume
pub async fn resume(
    State(app): State<App>,
    holder: SubscriptionCredential,
    PathParam(id): PathParam<SubscriptionId>,
    dry_run: Result<DryRun>,
    once: Result<IdempotencyHeader<WEEK>>,
    body: BodyWithManageToken<ResumeSubscriptionRequest>,
) -> Result<Replayable<Ok200<SubscriptionResponse>>> {
    let authorized = holder.authorize(&app, id, body.manage_token.as_deref()).await?;
    let (scope, key) = (authorized.scope, authorized.key(&once?, &body.raw));
    let dry_run = dry_run?;
    let ResumeSubscriptionRequest { .. } = body.value?;
    let ticket = Ticket::of_program(scope, key, dry_run);
    ask_to_collect(&app, ticket, id, CollectRequest::Resume).await
}

/// Resumes a subscription, or has its failed payment tried again: the way in of programs and of
/// people.
pub async fn ask_to_collect(
    app: &App,
    ticket: Ticket,
    id: SubscriptionId,
    request: CollectRequest,
) -> Result<Replayable<Ok200<SubscriptionResponse>>> {
    let scope = ticket.scope;
    collect(app, ticket, id, request, move |after| shown(scope, &after)).await
}

/// PUT /api/subscriptions/{id}/card
///
/// What is owed is charged to the new card at once.
pub async fn card(
    State(app): State<App>,
    holder: SubscriptionCredential,
    PathParam(id): PathParam<SubscriptionId>,
    body: BodyWithManageToken<UpdateSubscriptionCardRequest, true>,
) -> Result<Ok200<SubscriptionResponse>> {
    let scope = holder.authorize(&app, id, body.manage_token.as_deref()).await?.scope;
    let UpdateSubscriptionCardRequest { card_token, .. } = body.value?;
    let token = validation::card_token(card_token.as_deref());
    let mut wrong = FieldErrors::new();
    let Some(token) = wrong.read("cardToken", token) else { return Err(wrong.into_error()) };
    Ok(shown(scope, &actions::change_card(&app, scope, id, &token).await?))
}

/// POST /api/subscriptions/{id}/retry
///
/// A payment that is awaited is not doubled: the answer shows it.
pub async fn retry(
    State(app): State<App>,
    caller: Caller<SubscriptionsWrite>,
    PathParam(id): PathParam<SubscriptionId>,
    dry_run: DryRun,
    once: IdempotencyHeader<WEEK>,
    body: OptionalBody<Empty>,
) -> Result<Replayable<Ok200<SubscriptionResponse>>> {
    let scope = caller.scope;
    let ticket = Ticket::of_program(scope, once.key(scope, &body.raw), dry_run);
    ask_to_collect(&app, ticket, id, CollectRequest::Retry).await
}

/// POST /api/subscriptions/{id}/change-plan
pub async fn change_plan(
    State(app): State<App>,
    caller: Caller<SubscriptionsWrite>,
    PathParam(id): PathParam<SubscriptionId>,
    dry_run: DryRun,
    once: IdempotencyHeader,
    body: Body<ChangeSubscriptionPlanRequest>,
) -> Result<Replayable<Ok200<SubscriptionResponse>>> {
    let scope = caller.scope;
    let ticket = Ticket::of_program(scope, once.key(scope, &body.raw), dry_run);
    ask_to_change_plan(&app, ticket, id, body.value).await
}

/// Changes the plan with the next period: the way in of programs and of people.
pub async fn ask_to_change_plan(
    app: &App,
    Ticket { scope, key, dry_run, by }: Ticket,
    id: SubscriptionId,
    ChangeSubscriptionPlanRequest { plan_id }: ChangeSubscriptionPlanRequest,
) -> Result<Replayable<Ok200<SubscriptionResponse>>> {
    app.change_once(dry_run, scope, key, async move |tx| {
        let subscription = lifecycle::change_plan(tx, scope, id, plan_id).await?;
        note(tx, scope, by.as_ref(), Action::SubscriptionPlanChanged, id.0).await?;
        Ok(shown(scope, &subscription))
    })
    .await
}

/// POST /api/subscriptions/{id}/extend-trial
pub async fn extend_trial(
    State(app): State<App>,
    caller: Caller<SubscriptionsWrite>,
    PathParam(id): PathParam<SubscriptionId>,
    once: IdempotencyHeader,
    body: Body<ExtendSubscriptionTrialRequest>,
) -> Result<Replayable<Ok200<SubscriptionResponse>>> {
    let (scope, dry_run) = (caller.scope, DryRun::default());
    let ticket = Ticket::of_program(scope, once.key(scope, &body.raw), dry_run);
    ask_to_extend_trial(&app, ticket, id, body.value).await
}

/// Moves the end of a trial: the way in of programs and of people.
pub async fn ask_to_extend_trial(
    app: &App,
    Ticket { scope, key, dry_run, by }: Ticket,
    id: SubscriptionId,
    ExtendSubscriptionTrialRequest { trial_ends_at }: ExtendSubscriptionTrialRequest,
) -> Result<Replayable<Ok200<SubscriptionResponse>>> {
    app.change_once(dry_run, scope, key, async move |tx| {
        let subscription = lifecycle::extend_trial(tx, scope, id, trial_ends_at).await?;
        note(tx, scope, by.as_ref(), Action::SubscriptionTrialExtended, id.0).await?;
        Ok(shown(scope, &subscription))
    })
    .await
}

/// POST /api/subscriptions/{id}/simulate
pub async fn simulate(
    State(app): State<App>,
    caller: Caller<SubscriptionsWrite>,
    PathParam(id): PathParam<SubscriptionId>,
    once: IdempotencyHeader<WEEK>,
    body: Body<SimulateSubscriptionPaymentRequest>,
) -> Result<Replayable<Ok200<SubscriptionResponse>>> {
    let (scope, dry_run) = (caller.scope, DryRun::default());
    let ticket = Ticket::of_program(scope, once.key(scope, &body.raw), dry_run);
    ask_to_simulate(&app, ticket, id, body.value).await
}

/// Decides a payment of test data: the way in of programs and of people.
pub async fn ask_to_simulate(
    app: &App,
    Ticket { scope, key, by, .. }: Ticket,
    id: SubscriptionId,
    SimulateSubscriptionPaymentRequest { outcome }: SimulateSubscriptionPaymentRequest,
) -> Result<Replayable<Ok200<SubscriptionResponse>>> {
    let scope = scope.expect_development()?;
    let work = SimulatePayment { scope, id, outcome, key: key.clone(), by };
    app.run_once(key, work, move |subscription| shown(scope, &subscription)).await
}

impl CancelSubscriptionRequest {
    fn check(&self) -> Result<Cancellation> {
        let mut wrong = FieldErrors::new();
        let reason = wrong.read("reason", fields::optional_text(self.reason.as_deref(), 255));
        let comment = wrong.read("comment", fields::optional_text(self.comment.as_deref(), 1000));
        let (Some(reason), Some(comment)) = (reason, comment) else {
            return Err(wrong.into_error());
        };
        Ok(Cancellation { at_period_end: self.at_period_end, reason, comment })
    }
}

fn shown(scope: Scope, subscription: &Subscription) -> Ok200<SubscriptionResponse> {
    let data = SubscriptionView::new(scope, subscription);
    Ok200(SubscriptionResponse { success: true, data })
}
