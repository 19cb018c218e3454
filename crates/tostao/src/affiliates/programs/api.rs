//! Programs through the API.

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::affiliates::programs::params::ProgramParams;
use crate::affiliates::programs::view::ProgramView;
use crate::affiliates::programs::{self, ListedProgram};
use crate::affiliates::terms::CommissionType;
use crate::app::App;
use crate::audit::Action;
use crate::audit::ticket::{Ticket, note};
use crate::auth::caller::Caller;
use crate::idempotency::dry_run::DryRun;
use crate::idempotency::{IdempotencyHeader, Replayable};
use crate::platform::error::Result;
use crate::platform::http::body::Body;
use crate::platform::http::page::{Listed, Page, PageQuery, Pagination};
use crate::platform::http::patch::{Omittable, Patch};
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::http::reply::{Created, Message, Ok200};
use crate::platform::ids::{AffiliateProgramId, ProductId};
use crate::platform::permissions::{AffiliatesRead, AffiliatesWrite};

/// The parameters of a new affiliate program.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("examples" = [{
    "productId": "0190a000-0000-7000-8000-000000000001", "commissionType": "PERCENTAGE",
    "commissionValue": 1_000,
}]))]
pub struct CreateAffiliateProgramRequest {
    /// One of the merchant's products; each has at most one program.
    pub product_id: ProductId,
    pub commission_type: CommissionType,
    /// The commission: with `PERCENTAGE`, basis points up to 10000; with `FIXED`, cents per item up
    /// to the product's price.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub commission_value: i64,
    /// The number of days that a click is attributed. Defaults to 30.
    #[schemars(range(min = 1, max = 365))]
    pub cookie_days: Option<i64>,
    /// Whether affiliates can join and sales earn commission. Defaults to true.
    pub is_active: Option<bool>,
    #[schemars(length(max = 2000))]
    pub description: Option<String>,
    #[schemars(length(max = 5000))]
    pub rules: Option<String>,
    /// The http or https URL of a page for affiliates.
    pub affiliate_page: Option<String>,
    /// The http or https URL that affiliates promote; `aff` is added to its query.
    pub sales_page: Option<String>,
    /// Whether commission is earned on the whole order and on every subscription renewal. Defaults
    /// to false.
    pub extended_commission: Option<bool>,
}

/// A response with one affiliate program.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AffiliateProgramResponse {
    message: &'static str,
    data: ProgramView,
}

/// A page of affiliate programs, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AffiliateProgramList {
    data: Vec<ProgramView>,
    pagination: Pagination,
}

/// POST /api/affiliate/programs
pub async fn create(
    State(app): State<App>,
    caller: Caller<AffiliatesWrite>,
    dry_run: DryRun,
    once: IdempotencyHeader,
    body: Body<CreateAffiliateProgramRequest>,
) -> Result<Replayable<Created<AffiliateProgramResponse>>> {
    let key = once.key(caller.scope, &body.raw);
    ask_to_create(&app, Ticket::of_program(caller.scope, key, dry_run), body.value).await
}

/// Creates a program: the way in of programs and of people.
pub async fn ask_to_create(
    app: &App,
    Ticket { scope, key, dry_run, by }: Ticket,
    body: CreateAffiliateProgramRequest,
) -> Result<Replayable<Created<AffiliateProgramResponse>>> {
    let (product, params) = (body.product_id, ProgramParams::from(body));
    app.change_once(dry_run, scope, key, async move |tx| {
        let made = programs::create(tx, scope, product, &params).await?;
        let about = made.program.id.0;
        note(tx, scope, by.as_ref(), Action::AffiliateProgramCreated, about).await?;
        let (message, data) = ("Affiliate program created.", made.into());
        Ok(Created(AffiliateProgramResponse { message, data }))
    })
    .await
}

/// GET /api/affiliate/programs
pub async fn list(
    State(app): State<App>,
    caller: Caller<AffiliatesRead>,
    Query(query): Query<PageQuery>,
) -> Result<Ok200<AffiliateProgramList>> {
    let (scope, page) = (caller.scope, query.read()?);
    let listed =
        app.scan_for(scope.merchant, async move |tx| programs::list(tx, scope, &page).await);
    Ok(Ok200(AffiliateProgramList::new(page, listed.await?)))
}

/// GET /api/affiliate/marketplace
pub async fn marketplace(
    State(app): State<App>,
    caller: Caller<AffiliatesRead>,
    Query(query): Query<PageQuery>,
) -> Result<Ok200<AffiliateProgramList>> {
    let (scope, page) = (caller.scope, query.read()?);
    let listed =
        app.scan_for(scope.merchant, async move |tx| programs::list_open(tx, scope, &page).await);
    Ok(Ok200(AffiliateProgramList::new(page, listed.await?)))
}

/// GET /api/affiliate/marketplace/{id}
pub async fn show_open(
    State(app): State<App>,
    caller: Caller<AffiliatesRead>,
    PathParam(id): PathParam<AffiliateProgramId>,
) -> Result<Ok200<AffiliateProgramResponse>> {
    let scope = caller.scope;
    let found = app.read(async move |tx| programs::find_open(tx, scope, id).await).await?;
    Ok(Ok200(AffiliateProgramResponse { message: "Affiliate program.", data: found.into() }))
}

/// GET /api/affiliate/programs/{id}
pub async fn show(
    State(app): State<App>,
    caller: Caller<AffiliatesRead>,
    PathParam(id): PathParam<AffiliateProgramId>,
) -> Result<Ok200<AffiliateProgramResponse>> {
    let scope = caller.scope;
    let found = app.read(async move |tx| programs::find(tx, scope, id).await).await?;
    Ok(Ok200(AffiliateProgramResponse { message: "Affiliate program.", data: found.into() }))
}

/// PATCH /api/affiliate/programs/{id}
pub async fn update(
    State(app): State<App>,
    caller: Caller<AffiliatesWrite>,
    dry_run: DryRun,
    PathParam(id): PathParam<AffiliateProgramId>,
    body: Body<ProgramParams>,
) -> Result<Replayable<Ok200<AffiliateProgramResponse>>> {
    ask_to_update(&app, Ticket::of_program(caller.scope, None, dry_run), id, body.value).await
}

/// Changes a program: the way in of programs and of people.
pub async fn ask_to_update(
    app: &App,
    Ticket { scope, key, dry_run, by }: Ticket,
    id: AffiliateProgramId,
    params: ProgramParams,
) -> Result<Replayable<Ok200<AffiliateProgramResponse>>> {
    app.change_once(dry_run, scope, key, async move |tx| {
        let data = programs::update(tx, scope, id, &params).await?.into();
        note(tx, scope, by.as_ref(), Action::AffiliateProgramUpdated, id.0).await?;
        Ok(Ok200(AffiliateProgramResponse { message: "Affiliate program updated.", data }))
    })
    .await
}

/// DELETE /api/affiliate/programs/{id}
pub async fn delete(
    State(app): State<App>,
    caller: Caller<AffiliatesWrite>,
    dry_run: DryRun,
    PathParam(id): PathParam<AffiliateProgramId>,
) -> Result<Replayable<Ok200<Message>>> {
    ask_to_delete(&app, Ticket::of_program(caller.scope, None, dry_run), id).await
}

/// Ends a program: the way in of programs and of people.
pub async fn ask_to_delete(
    app: &App,
    Ticket { scope, key, dry_run, by }: Ticket,
    id: AffiliateProgramId,
) -> Result<Replayable<Ok200<Message>>> {
    app.change_once(dry_run, scope, key, async move |tx| {
        programs::delete(tx, scope, id).await?;
        note(tx, scope, by.as_ref(), Action::AffiliateProgramDeleted, id.0).await?;
        Ok(Ok200(Message { message: "Affiliate program deleted." }))
    })
    .await
}

impl AffiliateProgramList {
    fn new(page: Page, listed: Listed<ListedProgram>) -> Self {
        let pagination = page.pagination(&listed);
        Self { data: listed.rows.into_iter().map(ProgramView::from).collect(), pagination }
    }
}

impl From<CreateAffiliateProgramRequest> for ProgramParams {
    fn from(body: CreateAffiliateProgramRequest) -> Self {
        Self {
            commission_type: Omittable::from(Some(body.commission_type)),
            commission_value: Omittable::from(Some(body.commission_value)),
            cookie_days: Omittable::from(body.cookie_days),
            is_active: Omittable::from(body.is_active),
            description: Patch::from(body.description),
            rules: Patch::from(body.rules),
            affiliate_page: Patch::from(body.affiliate_page),
            sales_page: Patch::from(body.sales_page),
            extended_commission: Omittable::from(body.extended_commission),
        }
    }
}
