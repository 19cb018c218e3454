//! Joining programs, links and statistics through the API.

use axum::extract::State;
use db::tx::Tx;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::affiliates::links;
use crate::affiliates::links::view::{LinkView, ProgramAffiliateLinkView, StatsView};
use crate::app::App;
use crate::audit::Action;
use crate::audit::ticket::{Ticket, note};
use crate::auth::caller::Caller;
use crate::idempotency::dry_run::DryRun;
use crate::idempotency::{IdempotencyHeader, Replayable};
use crate::platform::error::Result;
use crate::platform::http::body::{Body, Empty, OptionalBody};
use crate::platform::http::page::{PageQuery, Pagination};
use crate::platform::http::patch::Omittable;
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::http::reply::{Created, Ok200};
use crate::platform::ids::{AffiliateLinkId, AffiliateProgramId};
use crate::platform::permissions::{AffiliatesRead, AffiliatesWrite};

/// The fields to update.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdateAffiliateLinkRequest {
    /// Whether future sales earn the affiliate commission.
    #[serde(default)]
    pub is_active: Omittable<bool>,
}

/// A response with one affiliate link.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AffiliateLinkResponse {
    message: &'static str,
    data: LinkView,
}

/// A page of the affiliate's links, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AffiliateLinkList {
    data: Vec<LinkView>,
    pagination: Pagination,
}

/// A response with one of a program's affiliate links.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProgramAffiliateLinkResponse {
    message: &'static str,
    data: ProgramAffiliateLinkView,
}

/// A page of a program's affiliate links, newest first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ProgramAffiliateLinkList")]
pub struct ProgramAffiliateLinkList {
    data: Vec<ProgramAffiliateLinkView>,
    pagination: Pagination,
}

/// A response with the affiliate's statistics.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AffiliateStatsResponse {
    data: StatsView,
}

/// POST /api/affiliate/join/{programId}
pub async fn join(
    State(app): State<App>,
    caller: Caller<AffiliatesWrite>,
    PathParam(id): PathParam<AffiliateProgramId>,
    once: IdempotencyHeader,
    body: OptionalBody<Empty>,
) -> Result<Replayable<Created<AffiliateLinkResponse>>> {
    let key = once.key(caller.scope, &body.raw);
    ask_to_join(&app, Ticket::of_program(caller.scope, key, DryRun::default()), id).await
}

/// Joins a program: the way in of programs and of people.
pub async fn ask_to_join(
    app: &App,
    Ticket { scope, key, by, .. }: Ticket,
    id: AffiliateProgramId,
) -> Result<Replayable<Created<AffiliateLinkResponse>>> {
    let checkout_url = app.settings.checkout_url();
    app.transact_once(key, async move |tx| {
        let data = links::join(tx, scope, &checkout_url, id).await?.into();
        note(tx, scope, by.as_ref(), Action::AffiliateProgramJoined, id.0).await?;
        Ok(Created(AffiliateLinkResponse { message: "Program joined.", data }))
    })
    .await
}

/// GET /api/affiliate/links
pub async fn list(
    State(app): State<App>,
    caller: Caller<AffiliatesRead>,
    Query(query): Query<PageQuery>,
) -> Result<Ok200<AffiliateLinkList>> {
    let (scope, page, checkout_url) = (caller.scope, query.read()?, app.settings.checkout_url());
    let scanned = app.scan_for(scope.merchant, async move |tx| {
        links::list_own(tx, scope, &checkout_url, &page).await
    });
    let listed = scanned.await?;
    let pagination = page.pagination(&listed);
    let data = listed.rows.into_iter().map(LinkView::from).collect();
    Ok(Ok200(AffiliateLinkList { data, pagination }))
}

/// GET /api/affiliate/links/{id}
pub async fn show(
    State(app): State<App>,
    caller: Caller<AffiliatesRead>,
    PathParam(id): PathParam<AffiliateLinkId>,
) -> Result<Ok200<AffiliateLinkResponse>> {
    let (scope, checkout_url) = (caller.scope, app.settings.checkout_url());
    let find = async move |tx: &Tx| links::find_own(tx, scope, &checkout_url, id).await;
    let data = app.read(find).await?.into();
    Ok(Ok200(AffiliateLinkResponse { message: "Affiliate link.", data }))
}

/// GET /api/affiliate/programs/{id}/links
pub async fn enrolled(
    State(app): State<App>,
    caller: Caller<AffiliatesRead>,
    PathParam(id): PathParam<AffiliateProgramId>,
    Query(query): Query<PageQuery>,
) -> Result<Ok200<ProgramAffiliateLinkList>> {
    let (scope, page, checkout_url) = (caller.scope, query.read()?, app.settings.checkout_url());
    let scanned = app.scan_for(scope.merchant, async move |tx| {
        links::list_by_program(tx, scope, &checkout_url, id, &page).await
    });
    let listed = scanned.await?;
    let pagination = page.pagination(&listed);
    let data = listed.rows.into_iter().map(ProgramAffiliateLinkView::from).collect();
    Ok(Ok200(ProgramAffiliateLinkList { data, pagination }))
}

/// PATCH /api/affiliate/links/{id}
pub async fn update(
    State(app): State<App>,
    caller: Caller<AffiliatesWrite>,
    PathParam(id): PathParam<AffiliateLinkId>,
    body: Body<UpdateAffiliateLinkRequest>,
) -> Result<Replayable<Ok200<ProgramAffiliateLinkResponse>>> {
    let ticket = Ticket::of_program(caller.scope, None, DryRun::default());
    ask_to_switch(&app, ticket, id, &body.value).await
}

/// Switches a link: the way in of programs and of people.
pub async fn ask_to_switch(
    app: &App,
    Ticket { scope, key, by, .. }: Ticket,
    id: AffiliateLinkId,
    body: &UpdateAffiliateLinkRequest,
) -> Result<Replayable<Ok200<ProgramAffiliateLinkResponse>>> {
    let (active, checkout_url) = (body.is_active.sent(), app.settings.checkout_url());
    app.transact_once(key, async move |tx| {
        let data = links::switch(tx, scope, &checkout_url, id, active).await?.into();
        note(tx, scope, by.as_ref(), Action::AffiliateLinkUpdated, id.0).await?;
        Ok(Ok200(ProgramAffiliateLinkResponse { message: "Affiliate link updated.", data }))
    })
    .await
}

/// GET /api/affiliate/stats
pub async fn stats(
    State(app): State<App>,
    caller: Caller<AffiliatesRead>,
) -> Result<Ok200<AffiliateStatsResponse>> {
    let scope = caller.scope;
    let stats = app.read(async move |tx| links::stats(tx, scope).await).await?;
    Ok(Ok200(AffiliateStatsResponse { data: stats.into() }))
}
