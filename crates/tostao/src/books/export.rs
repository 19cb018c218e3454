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
/// subjects are few, and read at once; `older` is a last row where those about older ones are left
/// out.
pub async fn export(
    app: &App,
    scope: Scope,
    filter: Filter,
    format: SpreadsheetFormat,
    (head, older): ([&'static str; 6], Option<String>),
    kind: impl Fn(&Leg) -> String + Clone + Send + Sync + 'static,
) -> Result<SpreadsheetReply> {
    let app = app.clone();
    let rows = if filter.subjects.is_some() { i64::MAX } else { PAGE_ROWS };
    let read = move |before: Option<i64>| {
        let (app, kind, filter) = (app.clone(), kind.clone(), filter.clone());
        let older = older.clone();
        async move {
            let unit = async move |tx: &Tx| statement::page(tx, scope, &filter, before, rows).await;
            let StatementPage { legs, next, leaves_out_older } =
                app.scan_for(scope.merchant, unit).await?;
            let older = older.filter(|_| leaves_out_older && next.is_none()).map(last);
            let rows = legs.iter().map(|leg| row(leg, kind(leg))).chain(older);
            Ok((rows.collect(), next.map(Some)))
        }
    };
    Spreadsheet { name: "statement", head: head.into(), format }.reply(None, read).await
}

/// The row that says what is left out, where the others say what an entry is.
fn last(older: String) -> Vec<Cell> {
    let what = Cell::Text(older);
    vec![Cell::Empty, Cell::Empty, what, Cell::Empty, Cell::Empty, Cell::Empty]
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
