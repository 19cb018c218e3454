//! The list of clients.

use axum::extract::State;
use axum::response::Response;
use brazil::document::Document;
use db::tx::Tx;
use http::StatusCode;

use crate::app::App;
use crate::auth::seat::Seat;
use crate::clients::export::export as write;
use crate::clients::list::{Filter, ListQuery};
use crate::clients::{self, Client, lookups};
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::clients::list_view::{ListPage, Row};
use crate::dashboard::listing::{Found, ListForm};
use crate::dashboard::parts::NothingYet;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::Visit;
use crate::platform::error::Result;
use crate::platform::http::query::Query;
use crate::platform::http::rate_limit::HEAVY;
use crate::platform::ids::Mode;
use crate::platform::masked::Documents;
use crate::platform::messages::Lang;
use crate::platform::permissions::CustomersRead;
use crate::platform::spreadsheet::{SpreadsheetQuery, SpreadsheetReply};

/// The path of the list in its mode.
pub const LIST: &str = "/clients";
/// The path of the list in the API.
pub const API: &str = "/api/clients";

/// GET /dashboard/{mode}/clients
pub async fn show(
    State(app): State<App>,
    seat: Seat<CustomersRead>,
    visit: Visit,
    Query(form): Query<ListForm>,
) -> Result<Response> {
    let (mode, lang) = (seat.scope.mode, visit.lang);
    let here = url(mode, LIST);
    let (found, wrong) = Found::or_wrong(found(&app, &seat, &visit, &form, &here).await)?;
    let status = if wrong.is_empty() { StatusCode::OK } else { StatusCode::BAD_REQUEST };
    let page = ListPage {
        lang,
        shell: Shell::read(&app, seat.holder(), mode, &visit, Section::Clients).await?,
        exports: form.exports(&here),
        fields: form.fields(Vec::new(), &wrong, &here, lang),
        found,
        api: vec![ApiCall::get(&app.settings.base_url(), &form.api_path(API))],
        list_url: here,
    };
    visit.page(&page, status)
}

/// GET /dashboard/{mode}/clients/export
///
/// Documents are masked as in the list: each look at a whole one is noted in the audit log.
pub async fn export(
    State(app): State<App>,
    seat: Seat<CustomersRead>,
    visit: Visit,
    Query(SpreadsheetQuery { format }): Query<SpreadsheetQuery>,
    Query(form): Query<ListForm>,
) -> Result<SpreadsheetReply> {
    app.check_rate_limit(&visit.context, &HEAVY, seat.scope)?;
    let filter = filter(&app, &seat, &visit, &form)?;
    let lang = visit.lang;
    let head = [
        lang.export_created(),
        lang.client_name(),
        lang.export_email(),
        lang.export_document(),
        lang.payment_buyer_phone(),
        lang.export_id(),
    ];
    write(&app, seat.scope, filter, Documents::Masked, (format, head)).await
}

/// The clients that are wanted, as the reader may find them.
fn filter(app: &App, seat: &Seat<CustomersRead>, visit: &Visit, form: &ListForm) -> Result<Filter> {
    let query = ListQuery { q: form.text(), ..ListQuery::default() };
    let filter = query.read(&form.page())?.seeing(seat.documents());
    let (_, person) = seat.who();
    lookups::count_list(app, &visit.context, Some(person), seat.documents(), &filter)?;
    Ok(filter)
}

async fn found(
    app: &App,
    seat: &Seat<CustomersRead>,
    visit: &Visit,
    form: &ListForm,
    here: &str,
) -> Result<Found<Row>> {
    let (scope, lang) = (seat.scope, visit.lang);
    let filter = filter(app, seat, visit, form)?;
    let page = filter.page;
    let unit = async move |tx: &Tx| clients::page(tx, scope, &filter).await;
    let listed = app.scan_for(scope.merchant, unit).await?;
    let row = |client: &Client| row(client, scope.mode, lang);
    let empty = (lang.clients_none_match(), nothing_yet(lang));
    Ok(form.found(&listed, page, here, row, empty))
}

fn nothing_yet(lang: Lang) -> NothingYet {
    NothingYet {
        heading: lang.clients_none(),
        note: lang.clients_none_note(),
        step: Some(("/docs/api/customers".to_owned(), lang.clients_how())),
    }
}

fn row(client: &Client, mode: Mode, lang: Lang) -> Row {
    let customer = &client.customer;
    Row {
        name: customer.name.clone(),
        email: customer.email.clone(),
        document: customer.document.as_ref().map(Document::masked),
        since: lang.day(client.created_at.micros()),
        url: url(mode, &format!("{LIST}/{}", client.id)),
    }
}
