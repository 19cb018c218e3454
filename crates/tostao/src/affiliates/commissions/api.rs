//! Commissions through the API.

use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;

use crate::affiliates::commissions::list::{Filter, ListQuery};
use crate::affiliates::commissions::view::CommissionView;
use crate::affiliates::commissions::{self, Commission};
use crate::app::App;
use crate::auth::caller::Caller;
use crate::platform::error::Result;
use crate::platform::http::page::{Listed, PageQuery, Pagination};
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::http::reply::Ok200;
use crate::platform::ids::AffiliateProgramId;
use crate::platform::permissions::AffiliatesRead;

/// A page of commissions, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CommissionList {
    data: Vec<CommissionView>,
    pagination: Pagination,
}

/// GET /api/affiliate/commissions
pub async fn list(
    State(app): State<App>,
    caller: Caller<AffiliatesRead>,
    Query(page): Query<PageQuery>,
    Query(query): Query<ListQuery>,
) -> Result<Ok200<CommissionList>> {
    let (scope, filter) = (caller.scope, query.read(&page)?);
    let wanted = filter.clone();
    let scanned = app
        .scan_for(scope.merchant, async move |tx| commissions::list_own(tx, scope, &wanted).await);
    Ok(Ok200(CommissionList::new(&filter, scanned.await?)))
}

/// GET /api/affiliate/programs/{id}/commissions
pub async fn list_of_program(
    State(app): State<App>,
    caller: Caller<AffiliatesRead>,
    PathParam(id): PathParam<AffiliateProgramId>,
    Query(page): Query<PageQuery>,
    Query(query): Query<ListQuery>,
) -> Result<Ok200<CommissionList>> {
    let (scope, filter) = (caller.scope, query.read(&page)?);
    let wanted = filter.clone();
    let scanned = app.scan_for(scope.merchant, async move |tx| {
        commissions::list_of(tx, scope, id, &wanted).await
    });
    Ok(Ok200(CommissionList::new(&filter, scanned.await?)))
}

impl CommissionList {
    fn new(filter: &Filter, listed: Listed<Commission>) -> Self {
        let pagination = filter.page.pagination(&listed);
        Self { data: listed.rows.into_iter().map(CommissionView::from).collect(), pagination }
    }
}
