//! The list of payment links as a file for spreadsheets.

use db::tx::Tx;
use ledger::cents::Cents;

use crate::app::App;
use crate::payment_links::status::Status;
use crate::payment_links::{self, PaymentLink, pricing};
use crate::platform::error::Result;
use crate::platform::http::listing::Filter;
use crate::platform::http::page::{Listed, Page};
use crate::platform::ids::Scope;
use crate::platform::spreadsheet::{Cell, Spreadsheet, SpreadsheetFormat, SpreadsheetReply};

/// The columns by the names of the API.
pub const HEAD: [&str; 9] = [
    "createdAt",
    "title",
    "slug",
    "status",
    "amount",
    "salesCount",
    "timesUsed",
    "expiresAt",
    "id",
];

/// Writes the links of a filter, newest first, each with what a buyer pays now; `status` names how
/// one stands.
pub async fn export(
    app: &App,
    scope: Scope,
    filter: Filter<Status>,
    (format, head): (SpreadsheetFormat, [&'static str; 9]),
    status: impl Fn(Status) -> &'static str + Clone + Send + Sync + 'static,
) -> Result<SpreadsheetReply> {
    let app = app.clone();
    let read = move |page: Page| {
        let (app, filter) = (app.clone(), Filter { page, ..filter.clone() });
        async move {
            let unit = async move |tx: &Tx| {
                let Listed { rows, total, next } = payment_links::page(tx, scope, &filter).await?;
                let totals = pricing::totals(tx, scope, &rows).await?;
                let rows: Vec<_> = rows.into_iter().zip(totals).collect();
                Ok(Listed { rows, total, next })
            };
            app.scan_for(scope.merchant, unit).await
        }
    };
    let row = move |(link, total): &(PaymentLink, Option<Cents>)| {
        let name = status(link.status);
        row(link, *total, name)
    };
    Spreadsheet { name: "payment-links", head: head.into(), format }.listed(read, row).await
}

fn row(link: &PaymentLink, total: Option<Cents>, status: &'static str) -> Vec<Cell> {
    vec![
        Cell::At(link.created_at),
        Cell::Text(link.title.clone()),
        Cell::Text(link.slug.clone()),
        Cell::text(Some(status)),
        total.map_or(Cell::Empty, Cell::Money),
        Cell::Whole(link.sales_count),
        Cell::Whole(link.times_used),
        Cell::at(link.expires_at),
        Cell::Text(link.id.to_string()),
    ]
}
