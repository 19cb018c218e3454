//! GET /api/withdraws/export

use axum::extract::State;

use crate::app::App;
use crate::auth::caller::Caller;
use crate::platform::error::Result;
use crate::platform::http::context::Context;
use crate::platform::http::page::PageQuery;
use crate::platform::http::query::Query;
use crate::platform::http::rate_limit::HEAVY;
use crate::platform::permissions::WithdrawalsRead;
use crate::platform::spreadsheet::{SpreadsheetQuery, SpreadsheetReply};
use crate::withdrawals::Withdrawal;
use crate::withdrawals::export::{HEAD, export};
use crate::withdrawals::list::ListQuery;

/// GET /api/withdraws/export
pub async fn show(
    State(app): State<App>,
    caller: Caller<WithdrawalsRead>,
    Context(context): Context,
    Query(SpreadsheetQuery { format }): Query<SpreadsheetQuery>,
    Query(query): Query<ListQuery>,
) -> Result<SpreadsheetReply> {
    let (scope, filter) = (caller.scope, query.read(&PageQuery::default())?);
    app.check_rate_limit(&context, &HEAVY, scope)?;
    let status = |withdrawal: &Withdrawal| withdrawal.status.name();
    export(&app, scope, filter, (format, HEAD), status).await
}
