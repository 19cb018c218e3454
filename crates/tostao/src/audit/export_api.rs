//! GET /api/audit/export

use axum::extract::State;

use crate::app::App;
use crate::audit::export::{OfApi, export};
use crate::audit::list::ListQuery;
use crate::auth::caller::SignedInCaller;
use crate::platform::error::Result;
use crate::platform::http::context::Context;
use crate::platform::http::page::PageQuery;
use crate::platform::http::query::Query;
use crate::platform::http::rate_limit::HEAVY;
use crate::platform::permissions::AuditRead;
use crate::platform::spreadsheet::{SpreadsheetQuery, SpreadsheetReply};

/// GET /api/audit/export
pub async fn show(
    State(app): State<App>,
    caller: SignedInCaller<AuditRead>,
    Context(context): Context,
    Query(SpreadsheetQuery { format }): Query<SpreadsheetQuery>,
    Query(query): Query<ListQuery>,
) -> Result<SpreadsheetReply> {
    let merchant = caller.scope.merchant;
    let filter = query.read(&PageQuery::default())?;
    app.check_account_rate_limit(&context, &HEAVY, merchant)?;
    export(&app, merchant, filter, format, OfApi).await
}
