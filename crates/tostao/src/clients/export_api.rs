//! GET /api/clients/export

use axum::extract::State;

use crate::app::App;
use crate::auth::caller::Caller;
use crate::clients::export::{HEAD, export};
use crate::clients::list::ListQuery;
use crate::clients::lookups;
use crate::platform::error::Result;
use crate::platform::http::context::Context;
use crate::platform::http::page::PageQuery;
use crate::platform::http::query::Query;
use crate::platform::http::rate_limit::HEAVY;
use crate::platform::permissions::CustomersRead;
use crate::platform::spreadsheet::{SpreadsheetQuery, SpreadsheetReply};

/// GET /api/clients/export
pub async fn show(
    State(app): State<App>,
    caller: Caller<CustomersRead>,
    Context(context): Context,
    Query(SpreadsheetQuery { format }): Query<SpreadsheetQuery>,
    Query(query): Query<ListQuery>,
) -> Result<SpreadsheetReply> {
    let (scope, documents) = (caller.scope, caller.documents());
    let filter = query.read(&PageQuery::default())?.seeing(documents);
    app.check_rate_limit(&context, &HEAVY, scope)?;
    lookups::count_list(&app, &context, caller.person(), documents, &filter)?;
    export(&app, scope, filter, documents, (format, HEAD)).await
}
