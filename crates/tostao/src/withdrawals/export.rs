//! The list of withdrawals as a file for spreadsheets.

use db::tx::Tx;

use crate::app::App;
use crate::platform::error::Result;
use crate::platform::http::page::Page;
use crate::platform::ids::Scope;
use crate::platform::spreadsheet::{Cell, Spreadsheet, SpreadsheetFormat, SpreadsheetReply};
use crate::withdrawals::Withdrawal;
use crate::withdrawals::list::{Filter, page as read_page};

/// The columns by the names of the API.
pub const HEAD: [&str; 11] = [
    "createdAt",
    "completedAt",
    "status",
    "amount",
    "fee",
    "returned",
    "pixKey",
    "description",
    "externalId",
    "endToEndId",
    "id",
];

/// Writes the withdrawals of a filter, newest first; `status` names how one stands.
pub async fn export(
    app: &App,
    scope: Scope,
    filter: Filter,
    (format, head): (SpreadsheetFormat, [&'static str; 11]),
    status: impl Fn(&Withdrawal) -> &'static str + Clone + Send + Sync + 'static,
) -> Result<SpreadsheetReply> {
    let app = app.clone();
    let read = move |page: Page| {
        let (app, filter) = (app.clone(), Filter { page, ..filter.clone() });
        async move {
            let unit = async move |tx: &Tx| read_page(tx, scope, &filter).await;
            app.scan_for(scope.merchant, unit).await
        }
    };
    let row = move |withdrawal: &Withdrawal| row(withdrawal, status(withdrawal));
    Spreadsheet { name: "withdrawals", head: head.into(), format }.listed(read, row).await
}

fn row(withdrawal: &Withdrawal, status: &'static str) -> Vec<Cell> {
    vec![
        Cell::At(withdrawal.created_at),
        Cell::at(withdrawal.completed_at),
        Cell::text(Some(status)),
        Cell::Money(withdrawal.amount),
        Cell::Money(withdrawal.fee),
        Cell::Money(withdrawal.returned),
        Cell::text(Some(withdrawal.key.as_str())),
        Cell::text(withdrawal.description.clone()),
        Cell::text(withdrawal.order.as_ref().map(|order| order.reference.clone())),
        Cell::text(withdrawal.end_to_end_id.clone()),
        Cell::Text(withdrawal.id.to_string()),
    ]
}
