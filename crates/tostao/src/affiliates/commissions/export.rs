//! A list of commissions as a file for spreadsheets.

use db::tx::Tx;

use crate::affiliates::commissions::list::Filter;
use crate::affiliates::commissions::{self, Commission, CommissionOrigin, Status};
use crate::app::App;
use crate::platform::error::Result;
use crate::platform::http::page::Page;
use crate::platform::ids::{AffiliateProgramId, Scope};
use crate::platform::spreadsheet::{Cell, Spreadsheet, SpreadsheetFormat, SpreadsheetReply};

/// Whose commissions are written.
#[derive(Debug, Clone, Copy)]
pub enum Whose {
    /// Those that the account has as an affiliate.
    Own,
    /// Those of everybody in a program of the account.
    OfProgram(AffiliateProgramId),
}

/// How a file names its columns, and what it says in them.
pub trait Wording: Copy + Send + Sync + 'static {
    /// The headings of the columns.
    fn head(self) -> [&'static str; 14];
    /// What a commission comes from.
    fn origin(self, origin: CommissionOrigin) -> &'static str;
    /// The name of a status.
    fn status(self, status: Status) -> &'static str;
    /// Why it stands so.
    fn why(self, commission: &Commission) -> Option<String>;
}

/// The names of the API.
#[derive(Debug, Clone, Copy)]
pub struct OfApi;

impl Wording for OfApi {
    fn head(self) -> [&'static str; 14] {
        [
            "createdAt",
            "type",
            "status",
            "code",
            "baseAmount",
            "amount",
            "owed",
            "availableAt",
            "paidAt",
            "cancelledAt",
            "cancelReason",
            "transactionId",
            "programId",
            "id",
        ]
    }

    fn origin(self, origin: CommissionOrigin) -> &'static str {
        origin.name()
    }

    fn status(self, status: Status) -> &'static str {
        status.name()
    }

    fn why(self, commission: &Commission) -> Option<String> {
        commission.cancel_reason.clone()
    }
}

/// Writes the commissions of a filter, newest first.
pub async fn export(
    app: &App,
    scope: Scope,
    (whose, filter): (Whose, Filter),
    format: SpreadsheetFormat,
    wording: impl Wording,
) -> Result<SpreadsheetReply> {
    let app = app.clone();
    let read = move |page: Page| {
        let (app, filter) = (app.clone(), Filter { page, ..filter.clone() });
        async move {
            let unit = async move |tx: &Tx| match whose {
                Whose::Own => commissions::page_own(tx, scope, &filter).await,
                Whose::OfProgram(id) => commissions::page_of(tx, scope, id, &filter).await,
            };
            app.scan_for(scope.merchant, unit).await
        }
    };
    let row = move |commission: &Commission| row(commission, wording);
    Spreadsheet { name: "commissions", head: wording.head().into(), format }.listed(read, row).await
}

fn row(of: &Commission, wording: impl Wording) -> Vec<Cell> {
    vec![
        Cell::At(of.created_at),
        Cell::text(Some(wording.origin(of.kind))),
        Cell::text(Some(wording.status(of.status))),
        Cell::Text(of.code.clone()),
        Cell::Money(of.base),
        Cell::Money(of.amount),
        Cell::Money(of.owed),
        Cell::At(of.available_at),
        Cell::at(of.paid_at),
        Cell::at(of.cancelled_at),
        Cell::text(wording.why(of)),
        Cell::Text(of.transaction.to_string()),
        Cell::Text(of.program.to_string()),
        Cell::Text(of.id.to_string()),
    ]
}
