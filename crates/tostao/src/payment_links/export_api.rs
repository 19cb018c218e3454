//! GET /api/v1/payment-links/export

use axum::extract::State;

use crate::app::App;
use crate::auth::caller::Caller;
use crate::payment_links::export::{HEAD, export};
use crate::payment_links::status::Status;
use crate::platform::error::Result;
use crate::platform::http::context::Context;
use crate::platform::http::listing::ListQuery;
use crate::platform::http::page::PageQuery;
use crate::platform::http::query::Query;
use crate::platform::http::rate_limit::HEAVY;
use crate::platform::permissions::PaymentLinksRead;
use crate::platform::spreadsheet::{SpreadsheetQuery, SpreadsheetReply};

/// GET /api/v1/payment-links/export
pub async fn show(
    State(app): State<App>,
    caller: Caller<PaymentLinksRead>,
    Context(context): Context,
    Query(SpreadsheetQuery { format }): Query<SpreadsheetQuery>,
    Query(query): Query<ListQuery<Status>>,
) -> Result<SpreadsheetReply> {
    let (scope, filter) = (caller.scope, query.read(&PageQuery::default())?);
    app.check_rate_limit(&context, &HEAVY, scope)?;
    export(&app, scope, filter, (format, HEAD), Status::name).await
}
