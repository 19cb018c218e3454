//! The statement of an account as a file for spreadsheets.

use db::tx::Tx;
use ledger::statement::Leg;

use crate::app::App;
use crate::books;
use crate::books::chart::AccountKind;
use crate::platform::error::Result;
use crate::platform::ids::Scope;
use crate::platform::spreadsheet::{
    Cell, PAGE_ROWS, Spreadsheet, SpreadsheetFormat, SpreadsheetReply,
};

/// The columns by the names of the API.
pub const HEAD: [&str; 6] = ["sequence", "createdAt", "kind", "amount", "balance", "subjectId"];

/// Writes all entries of an account, newest first; `kind` names what an entry is.
pub async fn export(
    app: &App,
    scope: Scope,
    account: AccountKind,
    format: SpreadsheetFormat,
    head: [&'static str; 6],
    kind: impl Fn(&Leg) -> String + Clone + Send + Sync + 'static,
) -> Result<SpreadsheetReply> {
    let app = app.clone();
    let read = move |before: Option<i64>| {
        let (app, kind) = (app.clone(), kind.clone());
        async move {
            let unit =
                async move |tx: &Tx| books::statement(tx, scope, account, before, PAGE_ROWS).await;
            let legs = app.scan_for(scope.merchant, unit).await?;
            // The first entry of an account is number 1.
            let next = legs.last().map(|leg| leg.sequence).filter(|last| *last > 1);
            Ok((legs.iter().map(|leg| row(leg, kind(leg))).collect(), next.map(Some)))
        }
    };
    Spreadsheet { name: "extrato", head: head.into(), format }.reply(None, read).await
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
