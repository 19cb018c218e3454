//! GET /api/v1/coupons/export

use axum::extract::State;

use crate::app::App;
use crate::auth::caller::Caller;
use crate::coupons::Status;
use crate::coupons::export::{OfApi, export};
use crate::platform::error::Result;
use crate::platform::http::context::Context;
use crate::platform::http::listing::ListQuery;
use crate::platform::http::page::PageQuery;
use crate::platform::http::query::Query;
use crate::platform::http::rate_limit::HEAVY;
use crate::platform::permissions::CouponsRead;
use crate::platform::spreadsheet::{SpreadsheetQuery, SpreadsheetReply};

/// GET /api/v1/coupons/export
pub async fn show(
    State(app): State<App>,
    caller: Caller<CouponsRead>,
    Context(context): Context,
    Query(SpreadsheetQuery { format }): Query<SpreadsheetQuery>,
    Query(query): Query<ListQuery<Status>>,
) -> Result<SpreadsheetReply> {
    let (scope, filter) = (caller.scope, query.read(&PageQuery::default())?);
    app.check_rate_limit(&context, &HEAVY, scope)?;
    export(&app, scope, filter, format, OfApi).await
}
