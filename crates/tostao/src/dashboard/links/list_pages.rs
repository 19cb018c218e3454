//! The list of payment links.

use axum::extract::State;
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;
use ledger::cents::Cents;

use crate::app::App;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::links::list_view::{ListPage, Row};
use crate::dashboard::links::new_pages::NEW;
use crate::dashboard::listing::{Found, ListForm};
use crate::dashboard::parts::{Action, NothingYet};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::Visit;
use crate::dashboard::words;
use crate::payment_links::export::export as write;
use crate::payment_links::status::Status;
use crate::payment_links::{self, PaymentLink, pricing};
use crate::platform::error::Result;
use crate::platform::http::listing::{Filter, ListQuery};
use crate::platform::http::page::Listed;
use crate::platform::http::query::Query;
use crate::platform::http::rate_limit::HEAVY;
use crate::platform::ids::{Mode, Scope};
use crate::platform::messages::Lang;
use crate::platform::permissions::{PaymentLinksRead, Permission};
use crate::platform::spreadsheet::{SpreadsheetQuery, SpreadsheetReply};

/// The path of the list in its mode.
pub const LIST: &str = "/links";
/// The path of the list in the API.
pub const API: &str = "/api/v1/payment-links";

/// GET /dashboard/{mode}/links
pub async fn show(
    State(app): State<App>,
    seat: Seat<PaymentLinksRead>,
    visit: Visit,
    Query(form): Query<ListForm>,
) -> Result<Response> {
    let (scope, lang) = (seat.scope, visit.lang);
    let shell = Shell::read(&app, seat.holder(), scope.mode, &visit, Section::Links).await?;
    let needed = Permission::PaymentLinksWrite;
    let may_write = seat.permissions.contains(needed);
    let read = found(&app, scope, &form, may_write, lang).await;
    let (found, wrong) = Found::or_wrong(read)?;
    let list_url = url(scope.mode, LIST);
    let status = if wrong.is_empty() { StatusCode::OK } else { StatusCode::BAD_REQUEST };
    let named = |status: &Status| (status.name(), words::link(*status, lang).word);
    let statuses = form.choices(Status::ALL, named);
    let page = ListPage {
        lang,
        shell,
        new: Action::needing(needed, &seat.permissions, url(scope.mode, NEW), lang),
        exports: form.exports(&list_url),
        fields: form.fields(statuses, &wrong, &list_url, lang),
        list_url,
        found,
        api: vec![ApiCall::get(&app.settings.base_url(), &form.api_path(API))],
    };
    visit.page(&page, status)
}

/// GET /dashboard/{mode}/links/export
pub async fn export(
    State(app): State<App>,
    seat: Seat<PaymentLinksRead>,
    visit: Visit,
    Query(SpreadsheetQuery { format }): Query<SpreadsheetQuery>,
    Query(form): Query<ListForm>,
) -> Result<SpreadsheetReply> {
    app.check_rate_limit(&visit.context, &HEAVY, seat.scope)?;
    let lang = visit.lang;
    let head = [
        lang.links_created(),
        lang.links_title_field(),
        lang.export_slug(),
        lang.export_state(),
        lang.links_price(),
        lang.links_sales(),
        lang.export_started(),
        lang.export_expires(),
        lang.export_id(),
    ];
    let status = move |status| words::link(status, lang).word;
    write(&app, seat.scope, filter(&form)?, (format, head), status).await
}

fn filter(form: &ListForm) -> Result<Filter<Status>> {
    ListQuery::new(form.status(Status::parse)?, form.text()).read(&form.page())
}

async fn found(
    app: &App,
    scope: Scope,
    form: &ListForm,
    may_write: bool,
    lang: Lang,
) -> Result<Found<Row>> {
    let filter = filter(form)?;
    let page = filter.page;
    let scanned = app.scan_for(scope.merchant, async move |tx: &Tx| {
        let listed = payment_links::page(tx, scope, &filter).await?;
        let totals = pricing::totals(tx, scope, &listed.rows).await?;
        Ok((listed, totals))
    });
    let (Listed { rows, total, next }, totals) = scanned.await?;
    let rows = rows.into_iter().zip(totals).collect();
    let row = |(link, total): &(PaymentLink, Option<Cents>)| row(link, *total, scope.mode, lang);
    let nothing = (lang.links_none_match(), nothing_yet(scope.mode, may_write, lang));
    Ok(form.found(&Listed { rows, total, next }, page, &url(scope.mode, LIST), row, nothing))
}

fn row(link: &PaymentLink, total: Option<Cents>, mode: Mode, lang: Lang) -> Row {
    Row {
        title: link.title.clone(),
        slug: link.slug.clone(),
        url: url(mode, &format!("{LIST}/{}", link.id)),
        created: lang.date_time(link.created_at.micros()),
        state: words::link(link.status, lang),
        sold: sold(link, lang),
        price: price(total, lang),
    }
}

/// What a buyer pays now; in words where a product is not for sale.
pub fn price(total: Option<Cents>, lang: Lang) -> String {
    total.map_or(lang.links_not_for_sale().to_owned(), |total| lang.money(total.get()))
}

/// How often a link was sold, and how often a payment by it was started.
fn sold(link: &PaymentLink, lang: Lang) -> String {
    match (link.sales_count, link.times_used) {
        (_, 0) => lang.links_never_used().to_owned(),
        (sold, used) => lang.links_sold(sold, used),
    }
}

fn nothing_yet(mode: Mode, may_write: bool, lang: Lang) -> NothingYet {
    NothingYet {
        heading: lang.links_nothing_yet(),
        note: lang.links_nothing_yet_note(),
        step: may_write.then(|| (url(mode, NEW), lang.links_make_first())),
    }
}
