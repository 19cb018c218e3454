//! GET /api/subscriptions/plans/export

use axum::extract::State;

use crate::app::App;
use crate::auth::caller::Caller;
use crate::platform::error::Result;
use crate::platform::http::context::Context;
use crate::platform::http::page::PageQuery;
use crate::platform::http::query::Query;
use crate::platform::http::rate_limit::HEAVY;
use crate::platform::permissions::SubscriptionsRead;
use crate::platform::spreadsheet::{SpreadsheetQuery, SpreadsheetReply};
use crate::subscriptions::plans::export::{OfApi, export};
use crate::subscriptions::plans::list::ListQuery;

/// GET /api/subscriptions/plans/export
pub async fn show(
    State(app): State<App>,
    caller: Caller<SubscriptionsRead>,
    Context(context): Context,
    Query(SpreadsheetQuery { format }): Query<SpreadsheetQuery>,
    Query(query): Query<ListQuery>,
) -> Result<SpreadsheetReply> {
    let (scope, filter) = (caller.scope, query.read(&PageQuery::default())?);
    app.check_rate_limit(&context, &HEAVY, scope)?;
    export(&app, scope, filter, format, OfApi).await
}
