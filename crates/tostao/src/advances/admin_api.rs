//! Administrators list, approve and reject advances.

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::advances::decisions::{self, scope_of};
use crate::advances::list::{AdminListQuery, of_all_accounts};
use crate::advances::terms::AdvanceTerms;
use crate::advances::view::AdminAdvanceView;
use crate::app::App;
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
    reason: Option<String>,
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

/// POST /api/advances/{id}/approve
pub async fn approve(
    State(app): State<App>,
    admin: Admin,
    PathParam(id): PathParam<AdvanceId>,
    once: IdempotencyHeader<WEEK>,
    body: OptionalBody<Empty>,
) -> Result<Replayable<Ok200<AdminAdvanceResponse>>> {
    let (mode, by, terms) = (admin.scope.mode, admin.by(), AdvanceTerms::of(&app));
    let execution = once.permitted(admin.scope, &body.raw, admin.permit());
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
    let reason = fields::optional_text(body.value.reason.as_deref(), REASON_LENGTH_MAX)
        .map_err(|fault| fault.of("reason"))?;
    let execution = once.permitted(admin.scope, &body.raw, admin.permit());
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
