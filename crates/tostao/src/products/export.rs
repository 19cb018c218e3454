//! The list of products as a file for spreadsheets.

use db::tx::Tx;

use crate::app::App;
use crate::platform::error::Result;
use crate::platform::http::listing::Filter;
use crate::platform::http::page::Page;
use crate::platform::ids::Scope;
use crate::platform::spreadsheet::{Cell, Spreadsheet, SpreadsheetFormat, SpreadsheetReply};
use crate::products::{self, Product, Status};

/// The columns by the names of the API.
pub const HEAD: [&str; 8] =
    ["createdAt", "name", "status", "price", "stockQuantity", "stockReserved", "description", "id"];

/// Writes the products of a filter, newest first; `status` names how one stands.
pub async fn export(
    app: &App,
    scope: Scope,
    filter: Filter<Status>,
    (format, head): (SpreadsheetFormat, [&'static str; 8]),
    status: impl Fn(&Product) -> &'static str + Clone + Send + Sync + 'static,
) -> Result<SpreadsheetReply> {
    let app = app.clone();
    let read = move |page: Page| {
        let (app, filter) = (app.clone(), Filter { page, ..filter.clone() });
        async move {
            let unit = async move |tx: &Tx| products::page(tx, scope, &filter).await;
            app.scan_for(scope.merchant, unit).await
        }
    };
    let row = move |product: &Product| row(product, status(product));
    Spreadsheet { name: "products", head: head.into(), format }.listed(read, row).await
}

fn row(product: &Product, status: &'static str) -> Vec<Cell> {
    let counted = product.counted();
    vec![
        Cell::At(product.created_at),
        Cell::Text(product.name.clone()),
        Cell::text(Some(status)),
        Cell::Money(product.price),
        counted.map_or(Cell::Empty, Cell::Whole),
        counted.map_or(Cell::Empty, |_| Cell::Whole(product.stock_reserved)),
        Cell::text(product.description.clone()),
        Cell::Text(product.id.to_string()),
    ]
}
