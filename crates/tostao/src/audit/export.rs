//! The audit log of an account as a file for spreadsheets.

use db::tx::Tx;
use serde_json::Value;

use crate::app::App;
use crate::audit::list::Filter;
use crate::audit::{self, StoredEntry};
use crate::platform::error::Result;
use crate::platform::http::page::Page;
use crate::platform::ids::{MerchantId, Mode};
use crate::platform::spreadsheet::{Cell, Spreadsheet, SpreadsheetFormat, SpreadsheetReply};

/// How a file names its columns, and what it says in them.
pub trait Wording: Clone + Send + Sync + 'static {
    /// The headings of the columns.
    fn head(&self) -> [&'static str; 11];
    /// What was done.
    fn action(&self, entry: &StoredEntry) -> String;
    /// Who did it.
    fn actor(&self, entry: &StoredEntry) -> String;
    /// The name of a mode.
    fn mode(&self, mode: Mode) -> &'static str;
    /// What is known beside that.
    fn details(&self, entry: &StoredEntry) -> String;
}

/// The names of the API.
#[derive(Debug, Clone, Copy)]
pub struct OfApi;

impl Wording for OfApi {
    fn head(&self) -> [&'static str; 11] {
        [
            "createdAt",
            "action",
            "actor",
            "actorId",
            "environment",
            "subjectId",
            "count",
            "clientAddress",
            "requestId",
            "details",
            "id",
        ]
    }

    fn action(&self, entry: &StoredEntry) -> String {
        entry.action.clone()
    }

    fn actor(&self, entry: &StoredEntry) -> String {
        entry.actor_kind.name().to_owned()
    }

    fn mode(&self, mode: Mode) -> &'static str {
        mode.name()
    }

    fn details(&self, entry: &StoredEntry) -> String {
        Value::from(entry.details.clone()).to_string()
    }
}

/// Writes the entries of an account that match a filter, newest first.
pub async fn export(
    app: &App,
    merchant: MerchantId,
    filter: Filter,
    format: SpreadsheetFormat,
    wording: impl Wording,
) -> Result<SpreadsheetReply> {
    let (app, head) = (app.clone(), wording.head().into());
    let read = move |page: Page| {
        let (app, filter) = (app.clone(), Filter { page, ..filter.clone() });
        async move {
            let unit = async move |tx: &Tx| audit::page(tx, merchant, &filter).await;
            app.scan_for(merchant, unit).await
        }
    };
    let row = move |entry: &StoredEntry| row(entry, &wording);
    Spreadsheet { name: "audit", head, format }.listed(read, row).await
}

fn row(entry: &StoredEntry, wording: &impl Wording) -> Vec<Cell> {
    vec![
        Cell::At(entry.created_at),
        Cell::Text(wording.action(entry)),
        Cell::Text(wording.actor(entry)),
        Cell::text(entry.actor_id.map(|id| id.to_string())),
        Cell::text(entry.mode.map(|mode| wording.mode(mode))),
        Cell::text(entry.subject.map(|id| id.to_string())),
        Cell::Whole(entry.count),
        Cell::text(entry.client_address.clone()),
        Cell::text(entry.request_id.clone()),
        Cell::text(Some(wording.details(entry)).filter(|_| !entry.details.is_empty())),
        Cell::Text(entry.id.to_string()),
    ]
}
