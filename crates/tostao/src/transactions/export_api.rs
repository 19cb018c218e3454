//! GET /api/v1/transactions/export

use axum::extract::State;

use crate::app::App;
use crate::auth::caller::Caller;
use crate::platform::error::Result;
use crate::platform::http::context::Context;
use crate::platform::http::page::PageQuery;
use crate::platform::http::query::Query;
use crate::platform::http::rate_limit::HEAVY;
use crate::platform::permissions::TransactionsRead;
use crate::platform::spreadsheet::{SpreadsheetQuery, SpreadsheetReply};
use crate::transactions::export::{OfApi, export};
use crate::transactions::list::ListQuery;

/// GET /api/v1/transactions/export
pub async fn show(
    State(app): State<App>,
    caller: Caller<TransactionsRead>,
    Context(context): Context,
    Query(SpreadsheetQuery { format }): Query<SpreadsheetQuery>,
    Query(query): Query<ListQuery>,
) -> Result<SpreadsheetReply> {
    let (scope, filter) = (caller.scope, query.read(&PageQuery::default())?);
    app.check_rate_limit(&context, &HEAVY, scope)?;
    export(&app, scope, filter, format, OfApi).await
}
