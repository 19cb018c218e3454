//! The list of payments as a file for spreadsheets.

use brazil::document::Document;
use db::tx::Tx;

use crate::app::App;
use crate::platform::error::Result;
use crate::platform::http::page::Page;
use crate::platform::ids::Scope;
use crate::platform::spreadsheet::{Cell, Spreadsheet, SpreadsheetFormat, SpreadsheetReply};
use crate::transactions::list::{Filter, list};
use crate::transactions::status::Status;
use crate::transactions::{Method, Transaction};

/// How a file names its columns, and what it says in them.
pub trait Wording: Copy + Send + Sync + 'static {
    /// The headings of the columns.
    fn head(self) -> [&'static str; 19];
    /// The name of a status.
    fn status(self, status: Status) -> &'static str;
    /// The name of a payment method.
    fn method(self, method: Method) -> &'static str;
    /// Whether the file says who bought.
    fn shows_buyers(self) -> bool;
}

/// The names of the API.
#[derive(Debug, Clone, Copy)]
pub struct OfApi;

impl Wording for OfApi {
    fn head(self) -> [&'static str; 19] {
        [
            "createdAt",
            "paidAt",
            "status",
            "method",
            "description",
            "externalId",
            "customerName",
            "customerEmail",
            "customerTaxId",
            "amount",
            "fee",
            "refunded",
            "discount",
            "interest",
            "installments",
            "couponCode",
            "affiliateCode",
            "paymentLink",
            "id",
        ]
    }

    fn status(self, status: Status) -> &'static str {
        status.name()
    }

    fn method(self, method: Method) -> &'static str {
        method.name()
    }

    fn shows_buyers(self) -> bool {
        true
    }
}

/// Writes the payments of a filter, newest first.
pub async fn export(
    app: &App,
    scope: Scope,
    filter: Filter,
    format: SpreadsheetFormat,
    wording: impl Wording,
) -> Result<SpreadsheetReply> {
    let app = app.clone();
    let read = move |page: Page| {
        let (app, filter) = (app.clone(), Filter { page, ..filter.clone().uncounted() });
        async move {
            let counts = app.payment_counts.clone();
            let unit = async move |tx: &Tx| list(tx, scope, &filter, &counts).await;
            app.scan_for(scope.merchant, unit).await
        }
    };
    let row = move |payment: &Transaction| row(payment, wording);
    let head = wording.head().into();
    Spreadsheet { name: "transactions", head, format }.listed(read, row).await
}

fn row(payment: &Transaction, wording: impl Wording) -> Vec<Cell> {
    let item = payment.items.first().map(|item| item.name.clone());
    let buyer = Some(&payment.customer).filter(|_| wording.shows_buyers());
    let tax_id = buyer.and_then(|buyer| buyer.document.as_ref());
    vec![
        Cell::At(payment.created_at),
        Cell::at(payment.paid_at),
        Cell::text(Some(wording.status(payment.status))),
        Cell::text(Some(wording.method(payment.method))),
        Cell::text(item.or_else(|| payment.description.clone())),
        Cell::text(payment.external_id.clone()),
        Cell::text(buyer.map(|buyer| buyer.name.clone())),
        Cell::text(buyer.map(|buyer| buyer.email.clone())),
        Cell::text(tax_id.map(Document::masked)),
        Cell::Money(payment.amount),
        Cell::Money(payment.fee),
        Cell::Money(payment.refunded),
        Cell::Money(payment.discount),
        Cell::Money(payment.interest),
        Cell::Whole(payment.installments),
        Cell::text(payment.coupon_code.clone()),
        Cell::text(payment.affiliate_code.clone()),
        Cell::text(payment.link.as_ref().map(|link| link.slug.clone())),
        Cell::Text(payment.id.to_string()),
    ]
}
