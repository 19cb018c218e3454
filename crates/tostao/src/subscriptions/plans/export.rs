//! The list of plans as a file for spreadsheets.

use db::tx::Tx;

use crate::app::App;
use crate::platform::error::Result;
use crate::platform::http::page::Page;
use crate::platform::ids::Scope;
use crate::platform::spreadsheet::{Cell, Spreadsheet, SpreadsheetFormat, SpreadsheetReply};
use crate::subscriptions::plans::list::Filter;
use crate::subscriptions::plans::{Interval, Plan, page as read_page};

/// How a file names its columns, and what it says in them.
pub trait Wording: Copy + Send + Sync + 'static {
    /// The headings of the columns.
    fn head(self) -> [&'static str; 11];
    /// Whether it takes subscribers.
    fn state(self, plan: &Plan) -> &'static str;
    /// How often a price recurs.
    fn interval(self, interval: Interval) -> &'static str;
}

/// The names of the API.
#[derive(Debug, Clone, Copy)]
pub struct OfApi;

impl Wording for OfApi {
    fn head(self) -> [&'static str; 11] {
        [
            "createdAt",
            "name",
            "active",
            "amount",
            "interval",
            "trialDays",
            "subscribers",
            "maxSubscribers",
            "description",
            "productId",
            "id",
        ]
    }

    fn state(self, plan: &Plan) -> &'static str {
        if plan.active { "true" } else { "false" }
    }

    fn interval(self, interval: Interval) -> &'static str {
        interval.name()
    }
}

/// Writes the plans of a filter, newest first.
pub async fn export(
    app: &App,
    scope: Scope,
    filter: Filter,
    format: SpreadsheetFormat,
    wording: impl Wording,
) -> Result<SpreadsheetReply> {
    let app = app.clone();
    let read = move |page: Page| {
        let (app, filter) = (app.clone(), Filter { page, ..filter.clone() });
        async move {
            let unit = async move |tx: &Tx| read_page(tx, scope, &filter).await;
            app.scan_for(scope.merchant, unit).await
        }
    };
    let row = move |plan: &Plan| row(plan, wording);
    Spreadsheet { name: "plans", head: wording.head().into(), format }.listed(read, row).await
}

fn row(plan: &Plan, wording: impl Wording) -> Vec<Cell> {
    vec![
        Cell::At(plan.created_at),
        Cell::Text(plan.name.clone()),
        Cell::text(Some(wording.state(plan))),
        Cell::Money(plan.price),
        Cell::text(Some(wording.interval(plan.interval))),
        Cell::Whole(i64::from(plan.trial_days)),
        Cell::Whole(plan.seats),
        plan.max_subscribers.map_or(Cell::Empty, Cell::Whole),
        Cell::text(plan.description.clone()),
        Cell::text(plan.product.map(|product| product.to_string())),
        Cell::Text(plan.id.to_string()),
    ]
}
