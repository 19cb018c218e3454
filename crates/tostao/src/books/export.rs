//! The statement of an account as a file for spreadsheets.

use db::tx::Tx;
use ledger::statement::Leg;

use crate::app::App;
use crate::books::statement::{self, Filter, StatementPage};
use crate::platform::error::Result;
use crate::platform::ids::Scope;
use crate::platform::spreadsheet::{
    Cell, PAGE_ROWS, Spreadsheet, SpreadsheetFormat, SpreadsheetReply,
};

/// The columns by the names of the API.
pub const HEAD: [&str; 6] = ["sequence", "createdAt", "kind", "amount", "balance", "subjectId"];

/// Writes the entries of an account, newest first; `kind` names what an entry is. Those about some
/// subjects are few, and read at once.
pub async fn export(
    app: &App,
    scope: Scope,
    filter: Filter,
    format: SpreadsheetFormat,
    head: [&'static str; 6],
    kind: impl Fn(&Leg) -> String + Clone + Send + Sync + 'static,
) -> Result<SpreadsheetReply> {
    let app = app.clone();
    let rows = if filter.subjects.is_some() { i64::MAX } else { PAGE_ROWS };
    let read = move |before: Option<i64>| {
        let (app, kind, filter) = (app.clone(), kind.clone(), filter.clone());
        async move {
            let unit = async move |tx: &Tx| statement::page(tx, scope, &filter, before, rows).await;
            let StatementPage { legs, next } = app.scan_for(scope.merchant, unit).await?;
            Ok((legs.iter().map(|leg| row(leg, kind(leg))).collect(), next.map(Some)))
        }
    };
    Spreadsheet { name: "statement", head: head.into(), format }.reply(None, read).await
}

fn row(leg: &Leg, kind: String) -> Vec<Cell> {
    vec![
        Cell::Whole(leg.sequence),
        Cell::At(leg.at),
        Cell::Text(kind),
        Cell::Money(leg.amount),
        Cell::Money(leg.balance),
        Cell::Text(leg.subject.to_string()),
    ]
}
