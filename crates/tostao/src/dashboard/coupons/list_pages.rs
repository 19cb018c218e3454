//! The list of coupons.

use axum::extract::State;
use axum::response::Response;
use db::time::Timestamp;
use db::tx::Tx;
use http::StatusCode;

use crate::app::App;
use crate::auth::seat::Seat;
use crate::coupons::export::export as write;
use crate::coupons::{self, Coupon, Status};
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::coupons::coupon_words as words;
use crate::dashboard::coupons::export_words::InWords;
use crate::dashboard::coupons::list_view::{ListPage, Row};
use crate::dashboard::listing::{Found, ListForm};
use crate::dashboard::parts::{Action, NothingYet};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::Visit;
use crate::platform::error::Result;
use crate::platform::http::listing::{Filter, ListQuery};
use crate::platform::http::query::Query;
use crate::platform::http::rate_limit::HEAVY;
use crate::platform::ids::Mode;
use crate::platform::messages::Lang;
use crate::platform::permissions::{CouponsRead, Permission};
use crate::platform::spreadsheet::{SpreadsheetQuery, SpreadsheetReply};

/// The path of the list in its mode.
pub const LIST: &str = "/coupons";
/// The path of the list in the API.
pub const API: &str = "/api/v1/coupons";

/// GET /dashboard/{mode}/coupons
pub async fn show(
    State(app): State<App>,
    seat: Seat<CouponsRead>,
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
        shell: Shell::read(&app, seat.holder(), mode, &visit, Section::Coupons).await?,
        new: Action::needing(
            Permission::CouponsWrite,
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

/// GET /dashboard/{mode}/coupons/export
pub async fn export(
    State(app): State<App>,
    seat: Seat<CouponsRead>,
    visit: Visit,
    Query(SpreadsheetQuery { format }): Query<SpreadsheetQuery>,
    Query(form): Query<ListForm>,
) -> Result<SpreadsheetReply> {
    app.check_rate_limit(&visit.context, &HEAVY, seat.scope)?;
    write(&app, seat.scope, filter(&form)?, format, InWords { lang: visit.lang }).await
}

fn filter(form: &ListForm) -> Result<Filter<Status>> {
    ListQuery::new(form.status(Status::parse)?, form.text()).read(&form.page())
}

async fn found(
    app: &App,
    seat: &Seat<CouponsRead>,
    form: &ListForm,
    here: &str,
    lang: Lang,
) -> Result<Found<Row>> {
    let scope = seat.scope;
    let filter = filter(form)?;
    let page = filter.page;
    let unit = async move |tx: &Tx| coupons::page(tx, scope, &filter).await;
    let listed = app.scan_for(scope.merchant, unit).await?;
    let now = scope.at(app.now());
    let row = |coupon: &Coupon| row(coupon, scope.mode, now, lang);
    let empty = (lang.coupons_none_match(), nothing_yet(seat, here, lang));
    Ok(form.found(&listed, page, here, row, empty))
}

fn nothing_yet(seat: &Seat<CouponsRead>, here: &str, lang: Lang) -> NothingYet {
    let may_create = seat.permissions.contains(Permission::CouponsWrite);
    NothingYet {
        heading: lang.coupons_none(),
        note: lang.coupons_none_note(),
        step: may_create.then(|| (format!("{here}/new"), lang.coupon_new())),
    }
}

fn row(coupon: &Coupon, mode: Mode, now: Timestamp, lang: Lang) -> Row {
    Row {
        code: coupon.code.clone(),
        discount: words::discount(coupon.reduction, lang),
        uses: words::uses(coupon, lang),
        state: words::state(coupon, now, lang),
        url: url(mode, &format!("{LIST}/{}", coupon.id)),
    }
}
