//! The list of products.

use axum::extract::State;
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;

use crate::app::App;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::listing::{Found, ListForm};
use crate::dashboard::parts::{Action, NothingYet};
use crate::dashboard::products::list_view::{ListPage, Row};
use crate::dashboard::products::product_words as words;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::Visit;
use crate::platform::error::Result;
use crate::platform::http::listing::{Filter, ListQuery};
use crate::platform::http::query::Query;
use crate::platform::http::rate_limit::HEAVY;
use crate::platform::ids::Mode;
use crate::platform::messages::Lang;
use crate::platform::permissions::{Permission, ProductsRead};
use crate::platform::spreadsheet::{SpreadsheetQuery, SpreadsheetReply};
use crate::products::export::export as write;
use crate::products::{self, Product, Status};

/// The path of the list in its mode.
pub const LIST: &str = "/products";
/// The path of the list in the API.
pub const API: &str = "/api/v1/products";

/// GET /dashboard/{mode}/products
pub async fn show(
    State(app): State<App>,
    seat: Seat<ProductsRead>,
    visit: Visit,
    Query(form): Query<ListForm>,
) -> Result<Response> {
    let (mode, lang) = (seat.scope.mode, visit.lang);
    let here = url(mode, LIST);
    let found = found(&app, &seat, &form, &here, lang).await;
    let (found, wrong) = Found::or_wrong(found)?;
    let status = if wrong.is_empty() { StatusCode::OK } else { StatusCode::BAD_REQUEST };
    let named = |status: &Status| (status.name(), words::status(*status, lang));
    let statuses = form.choices(Status::ALL, named);
    let page = ListPage {
        lang,
        shell: Shell::read(&app, seat.holder(), mode, &visit, Section::Products).await?,
        new: Action::needing(
            Permission::ProductsWrite,
            &seat.permissions,
            format!("{here}/new"),
            lang,
        ),
        exports: form.exports(&here),
        fields: form.fields(statuses, &wrong, &here, lang),
        found,
        api: vec![ApiCall::get(&app.settings.base_url(), &form.api_path(API))],
        list_url: here,
    };
    visit.page(&page, status)
}

/// GET /dashboard/{mode}/products/export
pub async fn export(
    State(app): State<App>,
    seat: Seat<ProductsRead>,
    visit: Visit,
    Query(SpreadsheetQuery { format }): Query<SpreadsheetQuery>,
    Query(form): Query<ListForm>,
) -> Result<SpreadsheetReply> {
    app.check_rate_limit(&visit.context, &HEAVY, seat.scope)?;
    let lang = visit.lang;
    let head = [
        lang.export_created(),
        lang.client_name(),
        lang.export_state(),
        lang.product_price(),
        lang.product_stock(),
        lang.export_reserved(),
        lang.export_description(),
        lang.export_id(),
    ];
    let status = move |product: &Product| words::state(product, lang).word;
    write(&app, seat.scope, filter(&form)?, (format, head), status).await
}

fn filter(form: &ListForm) -> Result<Filter<Status>> {
    ListQuery::new(form.status(Status::parse)?, form.text()).read(&form.page())
}

async fn found(
    app: &App,
    seat: &Seat<ProductsRead>,
    form: &ListForm,
    here: &str,
    lang: Lang,
) -> Result<Found<Row>> {
    let scope = seat.scope;
    let filter = filter(form)?;
    let page = filter.page;
    let unit = async move |tx: &Tx| products::page(tx, scope, &filter).await;
    let listed = app.scan_for(scope.merchant, unit).await?;
    let row = |product: &Product| row(product, scope.mode, lang);
    let empty = (lang.products_none_match(), nothing_yet(seat, here, lang));
    Ok(form.found(&listed, page, here, row, empty))
}

fn nothing_yet(seat: &Seat<ProductsRead>, here: &str, lang: Lang) -> NothingYet {
    let may_create = seat.permissions.contains(Permission::ProductsWrite);
    NothingYet {
        heading: lang.products_none(),
        note: lang.products_none_note(),
        step: may_create.then(|| (format!("{here}/new"), lang.product_new())),
    }
}

fn row(product: &Product, mode: Mode, lang: Lang) -> Row {
    Row {
        name: product.name.clone(),
        stock: words::stock(product, lang),
        state: words::state(product, lang),
        price: lang.money(product.price.get()),
        url: url(mode, &format!("{LIST}/{}", product.id)),
    }
}
