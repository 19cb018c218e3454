//! The list of subscriptions as a file for spreadsheets.

use db::tx::Tx;

use crate::app::App;
use crate::platform::error::Result;
use crate::platform::http::page::Page;
use crate::platform::ids::Scope;
use crate::platform::spreadsheet::{Cell, Spreadsheet, SpreadsheetFormat, SpreadsheetReply};
use crate::subscriptions::list::Filter;
use crate::subscriptions::plans::Interval;
use crate::subscriptions::status::Status;
use crate::subscriptions::{Subscription, page as read_page};

/// How a file names its columns, and what it says in them.
pub trait Wording: Copy + Send + Sync + 'static {
    /// The headings of the columns.
    fn head(self) -> [&'static str; 11];
    /// The name of a status.
    fn status(self, status: Status) -> &'static str;
    /// How often a price recurs.
    fn interval(self, interval: Interval) -> &'static str;
    /// Whether the file says who subscribes.
    fn shows_buyers(self) -> bool;
}

/// The names of the API.
#[derive(Debug, Clone, Copy)]
pub struct OfApi;

impl Wording for OfApi {
    fn head(self) -> [&'static str; 11] {
        [
            "createdAt",
            "plan",
            "status",
            "customerName",
            "customerEmail",
            "amount",
            "interval",
            "nextBillingAt",
            "cancelledAt",
            "endedAt",
            "id",
        ]
    }

    fn status(self, status: Status) -> &'static str {
        status.name()
    }

    fn interval(self, interval: Interval) -> &'static str {
        interval.name()
    }

    fn shows_buyers(self) -> bool {
        true
    }
}

/// Writes the subscriptions of a filter, newest first.
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
    let row = move |one: &Subscription| row(one, wording);
    let head = wording.head().into();
    Spreadsheet { name: "subscriptions", head, format }.listed(read, row).await
}

fn row(one: &Subscription, wording: impl Wording) -> Vec<Cell> {
    let subscriber = Some(&one.customer).filter(|_| wording.shows_buyers());
    let renews = one.ended_at.is_none().then_some(one.next_billing_at);
    vec![
        Cell::At(one.created_at),
        Cell::Text(one.plan_name.clone()),
        Cell::text(Some(wording.status(one.status))),
        Cell::text(subscriber.map(|subscriber| subscriber.name.clone())),
        Cell::text(subscriber.map(|subscriber| subscriber.email.clone())),
        Cell::Money(one.price),
        Cell::text(Some(wording.interval(one.interval))),
        Cell::at(renews),
        Cell::at(one.cancelled_at),
        Cell::at(one.ended_at),
        Cell::Text(one.id.to_string()),
    ]
}
