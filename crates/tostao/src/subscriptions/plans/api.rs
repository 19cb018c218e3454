//! Plans through the API.

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::audit::Action;
use crate::audit::ticket::{Ticket, note};
use crate::auth::caller::Caller;
use crate::idempotency::dry_run::DryRun;
use crate::idempotency::{IdempotencyHeader, Replayable};
use crate::platform::error::Result;
use crate::platform::http::body::Body;
use crate::platform::http::page::{PageQuery, Pagination};
use crate::platform::http::patch::{Omittable, Patch};
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::http::reply::{Created, Ok200};
use crate::platform::ids::{PlanId, ProductId};
use crate::platform::permissions::{SubscriptionsRead, SubscriptionsWrite};
use crate::subscriptions::plans::list::ListQuery;
use crate::subscriptions::plans::params::{PlanParams, RetryPolicyRequest};
use crate::subscriptions::plans::view::PlanView;
use crate::subscriptions::plans::{self, Interval};

/// The parameters of a new plan.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreatePlanRequest {
    #[schemars(length(min = 1, max = 255), extend("examples" = ["Clube do café"]))]
    pub name: String,
    /// The price per billing period, in cents.
    #[schemars(range(min = 500, max = 1_000_000_000))]
    pub amount_cents: i64,
    pub interval: Interval,
    #[schemars(length(max = 1000))]
    pub description: Option<String>,
    /// The number of free trial days before the first charge. Defaults to 0.
    #[schemars(range(min = 0, max = 730))]
    pub trial_days: Option<i64>,
    /// The maximum number of concurrent subscribers. Unlimited by default.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub max_subscribers: Option<i64>,
    /// The plan's own retry policy for failed payments.
    pub retry_policy: Option<RetryPolicyRequest>,
    /// The product that the plan sells.
    pub product_id: Option<ProductId>,
}

/// A response with one plan.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PlanResponse {
    success: bool,
    data: PlanView,
}

/// A response with the archived plan.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ArchivedPlanResponse {
    success: bool,
    message: &'static str,
    data: PlanView,
}

/// A page of plans, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PlanList {
    success: bool,
    data: Vec<PlanView>,
    pagination: Pagination,
}

/// POST /api/subscriptions/plans
pub async fn create(
    State(app): State<App>,
    caller: Caller<SubscriptionsWrite>,
    dry_run: DryRun,
    once: IdempotencyHeader,
    body: Body<CreatePlanRequest>,
) -> Result<Replayable<Created<PlanResponse>>> {
    let scope = caller.scope;
    let ticket = Ticket::of_program(scope, once.key(scope, &body.raw), dry_run);
    ask_to_create(&app, ticket, body.value).await
}

/// Creates a plan: the way in of programs and of people.
pub async fn ask_to_create(
    app: &App,
    Ticket { scope, key, dry_run, by }: Ticket,
    body: CreatePlanRequest,
) -> Result<Replayable<Created<PlanResponse>>> {
    let (interval, params) = (body.interval, PlanParams::from(body));
    let url = app.settings.checkout_url();
    app.change_once(dry_run, scope, key, async move |tx| {
        let plan = plans::create(tx, scope, interval, &params).await?;
        note(tx, scope, by.as_ref(), Action::PlanCreated, plan.id.0).await?;
        Ok(Created(PlanResponse { success: true, data: PlanView::new(&url, plan) }))
    })
    .await
}

/// GET /api/subscriptions/plans
pub async fn list(
    State(app): State<App>,
    caller: Caller<SubscriptionsRead>,
    Query(page): Query<PageQuery>,
    Query(query): Query<ListQuery>,
) -> Result<Ok200<PlanList>> {
    let (scope, filter) = (caller.scope, query.read(&page)?);
    let page = filter.page;
    let listed =
        app.scan_for(scope.merchant, async move |tx| plans::list(tx, scope, &filter).await).await?;
    let pagination = page.pagination(&listed);
    let url = app.settings.checkout_url();
    let data = listed.rows.into_iter().map(|plan| PlanView::new(&url, plan)).collect();
    Ok(Ok200(PlanList { success: true, data, pagination }))
}

/// GET /api/subscriptions/plans/{id}
pub async fn show(
    State(app): State<App>,
    caller: Caller<SubscriptionsRead>,
    PathParam(id): PathParam<PlanId>,
) -> Result<Ok200<PlanResponse>> {
    let scope = caller.scope;
    let plan = app.read(async move |tx| plans::find(tx, scope, id).await).await?;
    Ok(Ok200(PlanResponse {
        success: true,
        data: PlanView::new(&app.settings.checkout_url(), plan),
    }))
}

/// PATCH /api/subscriptions/plans/{id}
pub async fn update(
    State(app): State<App>,
    caller: Caller<SubscriptionsWrite>,
    dry_run: DryRun,
    PathParam(id): PathParam<PlanId>,
    body: Body<PlanParams>,
) -> Result<Replayable<Ok200<PlanResponse>>> {
    ask_to_update(&app, Ticket::of_program(caller.scope, None, dry_run), id, body.value).await
}

/// Changes a plan: the way in of programs and of people.
pub async fn ask_to_update(
    app: &App,
    Ticket { scope, key, dry_run, by }: Ticket,
    id: PlanId,
    params: PlanParams,
) -> Result<Replayable<Ok200<PlanResponse>>> {
    let url = app.settings.checkout_url();
    app.change_once(dry_run, scope, key, async move |tx| {
        let plan = plans::update(tx, scope, id, &params).await?;
        note(tx, scope, by.as_ref(), Action::PlanUpdated, id.0).await?;
        Ok(Ok200(PlanResponse { success: true, data: PlanView::new(&url, plan) }))
    })
    .await
}

/// DELETE /api/subscriptions/plans/{id}
pub async fn delete(
    State(app): State<App>,
    caller: Caller<SubscriptionsWrite>,
    dry_run: DryRun,
    PathParam(id): PathParam<PlanId>,
) -> Result<Replayable<Ok200<ArchivedPlanResponse>>> {
    let (scope, url) = (caller.scope, app.settings.checkout_url());
    app.change_once(dry_run, scope, None, async move |tx| {
        let plan = plans::retire(tx, scope, id).await?;
        let message = "The plan accepts no new subscribers.";
        Ok(Ok200(ArchivedPlanResponse { success: true, message, data: PlanView::new(&url, plan) }))
    })
    .await
}

impl From<CreatePlanRequest> for PlanParams {
    fn from(body: CreatePlanRequest) -> Self {
        Self {
            name: Omittable::from(Some(body.name)),
            description: Patch::from(body.description),
            amount_cents: Omittable::from(Some(body.amount_cents)),
            trial_days: Omittable::from(body.trial_days),
            max_subscribers: Patch::from(body.max_subscribers),
            retry_policy: Patch::from(body.retry_policy),
            product_id: Patch::from(body.product_id),
            active: Omittable::default(),
        }
    }
}
