//! Administrators list, approve and reject advances.

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::advances::decisions::{self, of_any_account, scope_of};
use crate::advances::list::{AdminListQuery, of_all_accounts, waiting};
use crate::advances::terms::AdvanceTerms;
use crate::advances::view::AdminAdvanceView;
use crate::app::App;
use crate::audit::ticket::DecisionTicket;
use crate::auth::caller::Admin;
use crate::idempotency::{IdempotencyHeader, Replayable, WEEK};
use crate::platform::error::Result;
use crate::platform::fields;
use crate::platform::http::body::{Empty, OptionalBody};
use crate::platform::http::page::{PageQuery, Pagination};
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::http::reply::Ok200;
use crate::platform::ids::AdvanceId;

const REASON_LENGTH_MAX: usize = 500;

/// The reason for rejecting an advance.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RejectAdvanceRequest {
    /// The reason, which the merchant sees.
    #[schemars(length(max = 500))]
    pub reason: Option<String>,
}

/// A response with one advance, as administrators see it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AdminAdvanceResponse {
    message: &'static str,
    data: AdminAdvanceView,
}

/// A page of advances of all accounts, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AdminAdvanceList {
    message: &'static str,
    data: Vec<AdminAdvanceView>,
    pagination: Pagination,
}

/// A page of advances that wait for a decision, oldest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WaitingAdvanceList {
    message: &'static str,
    data: Vec<AdminAdvanceView>,
    pagination: Pagination,
}

/// POST /api/advances/{id}/approve
pub async fn approve(
    State(app): State<App>,
    admin: Admin,
    PathParam(id): PathParam<AdvanceId>,
    once: IdempotencyHeader<WEEK>,
    body: OptionalBody<Empty>,
) -> Result<Replayable<Ok200<AdminAdvanceResponse>>> {
    let (mode, by) = (admin.scope.mode, admin.by());
    let execution = once.permitted(admin.scope, &body.raw, admin.permit());
    ask_to_approve(&app, DecisionTicket { mode, execution, by }, id).await
}

/// Approves an advance: the way in of programs and of people.
pub async fn ask_to_approve(
    app: &App,
    DecisionTicket { mode, execution, by }: DecisionTicket,
    id: AdvanceId,
) -> Result<Replayable<Ok200<AdminAdvanceResponse>>> {
    let terms = AdvanceTerms::of(app);
    app.transact_once(execution, async move |tx| {
        let scope = scope_of(tx, mode, id).await?;
        let approved = decisions::approve(tx, scope, &by, terms, id).await?;
        let data = AdminAdvanceView::new(mode, &approved);
        Ok(Ok200(AdminAdvanceResponse { message: "Advance approved.", data }))
    })
    .await
}

/// POST /api/advances/{id}/reject
pub async fn reject(
    State(app): State<App>,
    admin: Admin,
    PathParam(id): PathParam<AdvanceId>,
    once: IdempotencyHeader<WEEK>,
    body: OptionalBody<RejectAdvanceRequest>,
) -> Result<Replayable<Ok200<AdminAdvanceResponse>>> {
    let (mode, by) = (admin.scope.mode, admin.by());
    let execution = once.permitted(admin.scope, &body.raw, admin.permit());
    ask_to_reject(&app, DecisionTicket { mode, execution, by }, id, &body.value).await
}

/// Rejects an advance: the way in of programs and of people.
pub async fn ask_to_reject(
    app: &App,
    DecisionTicket { mode, execution, by }: DecisionTicket,
    id: AdvanceId,
    body: &RejectAdvanceRequest,
) -> Result<Replayable<Ok200<AdminAdvanceResponse>>> {
    let reason = fields::optional_text(body.reason.as_deref(), REASON_LENGTH_MAX)
        .map_err(|fault| fault.of("reason"))?;
    app.transact_once(execution, async move |tx| {
        let scope = scope_of(tx, mode, id).await?;
        let rejected = decisions::reject(tx, scope, &by, id, reason.as_deref()).await?;
        let data = AdminAdvanceView::new(mode, &rejected);
        Ok(Ok200(AdminAdvanceResponse { message: "Advance rejected.", data }))
    })
    .await
}

/// GET /api/admin/advances
pub async fn list(
    State(app): State<App>,
    admin: Admin,
    Query(page): Query<PageQuery>,
    Query(query): Query<AdminListQuery>,
) -> Result<Ok200<AdminAdvanceList>> {
    let (mode, filter) = (admin.scope.mode, query.read(&page)?);
    let page = filter.page;
    let listed = app.scan(async move |tx| of_all_accounts(tx, mode, &filter).await).await?;
    let pagination = page.pagination(&listed);
    let data = listed.rows.iter().map(|advance| AdminAdvanceView::new(mode, advance)).collect();
    Ok(Ok200(AdminAdvanceList { message: "Advances.", data, pagination }))
}

/// GET /api/admin/advances/waiting
pub async fn list_waiting(
    State(app): State<App>,
    admin: Admin,
    Query(page): Query<PageQuery>,
) -> Result<Ok200<WaitingAdvanceList>> {
    let (mode, page) = (admin.scope.mode, page.read()?);
    let listed = app.scan(async move |tx| waiting(tx, mode, page).await).await?;
    let pagination = page.pagination(&listed);
    let data = listed.rows.iter().map(|advance| AdminAdvanceView::new(mode, advance)).collect();
    let message = "Advances that await a decision.";
    Ok(Ok200(WaitingAdvanceList { message, data, pagination }))
}

/// GET /api/admin/advances/{id}
pub async fn show(
    State(app): State<App>,
    admin: Admin,
    PathParam(id): PathParam<AdvanceId>,
) -> Result<Ok200<AdminAdvanceResponse>> {
    let mode = admin.scope.mode;
    let found = app.read(async move |tx| of_any_account(tx, mode, id).await).await?;
    let data = AdminAdvanceView::new(mode, &found);
    Ok(Ok200(AdminAdvanceResponse { message: "Advance.", data }))
}
