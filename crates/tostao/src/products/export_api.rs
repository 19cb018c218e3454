//! GET /api/v1/products/export

use axum::extract::State;

use crate::app::App;
use crate::auth::caller::Caller;
use crate::platform::error::Result;
use crate::platform::http::context::Context;
use crate::platform::http::listing::ListQuery;
use crate::platform::http::page::PageQuery;
use crate::platform::http::query::Query;
use crate::platform::http::rate_limit::HEAVY;
use crate::platform::permissions::ProductsRead;
use crate::platform::spreadsheet::{SpreadsheetQuery, SpreadsheetReply};
use crate::products::export::{HEAD, export};
use crate::products::{Product, Status};

/// GET /api/v1/products/export
pub async fn show(
    State(app): State<App>,
    caller: Caller<ProductsRead>,
    Context(context): Context,
    Query(SpreadsheetQuery { format }): Query<SpreadsheetQuery>,
    Query(query): Query<ListQuery<Status>>,
) -> Result<SpreadsheetReply> {
    let (scope, filter) = (caller.scope, query.read(&PageQuery::default())?);
    app.check_rate_limit(&context, &HEAVY, scope)?;
    let status = |product: &Product| product.status.name();
    export(&app, scope, filter, (format, HEAD), status).await
}
