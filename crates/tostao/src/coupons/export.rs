//! The list of coupons as a file for spreadsheets.

use brazil::money::format_brl;
use db::time::Timestamp;
use db::tx::Tx;

use crate::app::App;
use crate::coupons::discount::DiscountRule;
use crate::coupons::{self, Coupon, Status};
use crate::platform::error::Result;
use crate::platform::http::listing::Filter;
use crate::platform::http::page::Page;
use crate::platform::ids::Scope;
use crate::platform::spreadsheet::{Cell, Spreadsheet, SpreadsheetFormat, SpreadsheetReply};

/// How a file names its columns, and what it says in them.
pub trait Wording: Copy + Send + Sync + 'static {
    /// The headings of the columns.
    fn head(self) -> [&'static str; 14];
    /// How a coupon stands.
    fn status(self, coupon: &Coupon, now: Timestamp) -> &'static str;
    /// What it takes off.
    fn discount(self, rule: DiscountRule) -> String;
}

/// The names of the API.
#[derive(Debug, Clone, Copy)]
pub struct OfApi;

impl Wording for OfApi {
    fn head(self) -> [&'static str; 14] {
        [
            "createdAt",
            "code",
            "status",
            "discount",
            "usageCount",
            "paidCount",
            "usageLimit",
            "perUserLimit",
            "minPurchase",
            "maxDiscount",
            "validFrom",
            "validUntil",
            "description",
            "id",
        ]
    }

    fn status(self, coupon: &Coupon, now: Timestamp) -> &'static str {
        coupon.status(now).name()
    }

    fn discount(self, rule: DiscountRule) -> String {
        match rule {
            DiscountRule::Percentage(_) => format!("{}%", rule.shown()),
            DiscountRule::Fixed(cents) => format_brl(cents.get()),
        }
    }
}

/// Writes the coupons of a filter, newest first.
pub async fn export(
    app: &App,
    scope: Scope,
    filter: Filter<Status>,
    format: SpreadsheetFormat,
    wording: impl Wording,
) -> Result<SpreadsheetReply> {
    let (app, now) = (app.clone(), scope.at(app.now()));
    let read = move |page: Page| {
        let (app, filter) = (app.clone(), Filter { page, ..filter.clone() });
        async move {
            let unit = async move |tx: &Tx| coupons::page(tx, scope, &filter).await;
            app.scan_for(scope.merchant, unit).await
        }
    };
    let row = move |coupon: &Coupon| row(coupon, now, wording);
    Spreadsheet { name: "coupons", head: wording.head().into(), format }.listed(read, row).await
}

fn row(coupon: &Coupon, now: Timestamp, wording: impl Wording) -> Vec<Cell> {
    let whole = |number: Option<i64>| number.map_or(Cell::Empty, Cell::Whole);
    vec![
        Cell::At(coupon.created_at),
        Cell::Text(coupon.code.clone()),
        Cell::text(Some(wording.status(coupon, now))),
        Cell::Text(wording.discount(coupon.reduction)),
        Cell::Whole(coupon.usage_count),
        Cell::Whole(coupon.paid_count),
        whole(coupon.usage_limit),
        whole(coupon.per_user_limit),
        coupon.min_purchase.map_or(Cell::Empty, Cell::Money),
        coupon.max_discount.map_or(Cell::Empty, Cell::Money),
        Cell::at(coupon.valid_from),
        Cell::at(coupon.valid_until),
        Cell::text(coupon.description.clone()),
        Cell::Text(coupon.id.to_string()),
    ]
}
