//! The list of clients as a file for spreadsheets.

use brazil::document::Document;
use db::tx::Tx;

use crate::app::App;
use crate::clients::list::Filter;
use crate::clients::{self, Client};
use crate::platform::error::Result;
use crate::platform::http::page::Page;
use crate::platform::ids::Scope;
use crate::platform::masked::Documents;
use crate::platform::spreadsheet::{Cell, Spreadsheet, SpreadsheetFormat, SpreadsheetReply};

/// The columns by the names of the API.
pub const HEAD: [&str; 6] = ["createdAt", "name", "email", "document", "phone", "id"];

/// Writes the clients of a filter, newest first, with documents shown like this.
pub async fn export(
    app: &App,
    scope: Scope,
    filter: Filter,
    documents: Documents,
    (format, head): (SpreadsheetFormat, [&'static str; 6]),
) -> Result<SpreadsheetReply> {
    let app = app.clone();
    let read = move |page: Page| {
        let (app, filter) = (app.clone(), Filter { page, ..filter.clone() });
        async move {
            let unit = async move |tx: &Tx| clients::page(tx, scope, &filter).await;
            app.scan_for(scope.merchant, unit).await
        }
    };
    let row = move |client: &Client| row(client, documents);
    Spreadsheet { name: "clients", head: head.into(), format }.listed(read, row).await
}

fn row(Client { id, customer, created_at, .. }: &Client, documents: Documents) -> Vec<Cell> {
    let shown = |document: &Document| match documents {
        Documents::Whole => document.as_str().to_owned(),
        Documents::Masked => document.masked(),
    };
    vec![
        Cell::At(*created_at),
        Cell::Text(customer.name.clone()),
        Cell::Text(customer.email.clone()),
        Cell::text(customer.document.as_ref().map(shown)),
        Cell::text(customer.phone.clone()),
        Cell::Text(id.to_string()),
    ]
}
