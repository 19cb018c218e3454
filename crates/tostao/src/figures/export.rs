//! The entries that a figure sums as a file for spreadsheets.

use std::ops::Range;

use db::tx::Tx;
use ledger::turnover::Entry;

use crate::app::App;
use crate::books::turnover::Flow;
use crate::figures;
use crate::platform::error::Result;
use crate::platform::ids::Scope;
use crate::platform::spreadsheet::{
    Cell, PAGE_ROWS, Spreadsheet, SpreadsheetFormat, SpreadsheetReply,
};

/// The columns by the names of the API.
pub const HEAD: [&str; 4] = ["sequence", "createdAt", "amount", "subjectId"];

/// Writes the entries of a range that a figure sums, newest first.
pub async fn export(
    app: &App,
    scope: Scope,
    (flow, whole): (Flow, Range<i64>),
    format: SpreadsheetFormat,
    head: [&'static str; 4],
) -> Result<SpreadsheetReply> {
    let (app, first) = (app.clone(), whole.start);
    let read = move |end: i64| {
        let app = app.clone();
        async move {
            let unit =
                async move |tx: &Tx| figures::entries(tx, scope, flow, first..end, PAGE_ROWS).await;
            let (entries, next) = app.scan_for(scope.merchant, unit).await?;
            Ok((entries.iter().map(row).collect(), next))
        }
    };
    Spreadsheet { name: "figures", head: head.into(), format }.reply(whole.end, read).await
}

fn row(entry: &Entry) -> Vec<Cell> {
    vec![
        Cell::Whole(entry.sequence),
        Cell::At(entry.at),
        Cell::Money(entry.amount),
        Cell::Text(entry.subject.to_string()),
    ]
}
