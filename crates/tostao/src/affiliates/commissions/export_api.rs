//! Commissions as files, in the API.

use axum::extract::State;

use crate::affiliates::commissions::export::{OfApi, Whose, export};
use crate::affiliates::commissions::list::ListQuery;
use crate::app::App;
use crate::auth::caller::Caller;
use crate::platform::error::Result;
use crate::platform::http::context::Context;
use crate::platform::http::page::PageQuery;
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::http::rate_limit::HEAVY;
use crate::platform::ids::AffiliateProgramId;
use crate::platform::permissions::AffiliatesRead;
use crate::platform::spreadsheet::{SpreadsheetQuery, SpreadsheetReply};

/// GET /api/affiliate/commissions/export
pub async fn show(
    State(app): State<App>,
    caller: Caller<AffiliatesRead>,
    Context(context): Context,
    Query(SpreadsheetQuery { format }): Query<SpreadsheetQuery>,
    Query(query): Query<ListQuery>,
) -> Result<SpreadsheetReply> {
    let (scope, filter) = (caller.scope, query.read(&PageQuery::default())?);
    app.check_rate_limit(&context, &HEAVY, scope)?;
    export(&app, scope, (Whose::Own, filter), format, OfApi).await
}

/// GET /api/affiliate/programs/{id}/commissions/export
pub async fn show_of_program(
    State(app): State<App>,
    caller: Caller<AffiliatesRead>,
    Context(context): Context,
    PathParam(id): PathParam<AffiliateProgramId>,
    Query(SpreadsheetQuery { format }): Query<SpreadsheetQuery>,
    Query(query): Query<ListQuery>,
) -> Result<SpreadsheetReply> {
    let (scope, filter) = (caller.scope, query.read(&PageQuery::default())?);
    app.check_rate_limit(&context, &HEAVY, scope)?;
    export(&app, scope, (Whose::OfProgram(id), filter), format, OfApi).await
}
