//! The list of plans.

use axum::extract::State;
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;
use serde::Deserialize;

use crate::app::App;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::listing::{Found, ListForm};
use crate::dashboard::parts::{Action, Choice, NothingYet};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::subscriptions::paths::{LIST, PLANS, PLANS_API};
use crate::dashboard::subscriptions::plans::export_words::InWords;
use crate::dashboard::subscriptions::plans::plan_words as words;
use crate::dashboard::subscriptions::plans::view::{ListPage, Row};
use crate::dashboard::visit_pages::Visit;
use crate::platform::error::{Error, Result};
use crate::platform::http::query::Query;
use crate::platform::http::rate_limit::HEAVY;
use crate::platform::ids::Mode;
use crate::platform::messages::Lang;
use crate::platform::permissions::{Permission, SubscriptionsRead};
use crate::platform::spreadsheet::{SpreadsheetQuery, SpreadsheetReply};
use crate::subscription_pages::plan_view::price_text;
use crate::subscriptions::plans::export::export as write;
use crate::subscriptions::plans::list::{Filter, ListQuery};
use crate::subscriptions::plans::{self, Plan};

/// The filter of this list beside those of every list.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct MoreFilters {
    active: String,
}

/// GET /dashboard/{mode}/subscriptions/plans
pub async fn show(
    State(app): State<App>,
    seat: Seat<SubscriptionsRead>,
    visit: Visit,
    Query(mut form): Query<ListForm>,
    Query(MoreFilters { active }): Query<MoreFilters>,
) -> Result<Response> {
    let (mode, lang) = (seat.scope.mode, visit.lang);
    let here = url(mode, PLANS);
    form.more = vec![("active", active.clone())];
    let found = found(&app, &seat, (&form, &active), &here, lang).await;
    let (found, wrong) = Found::or_wrong(found)?;
    let status = if wrong.is_empty() { StatusCode::OK } else { StatusCode::BAD_REQUEST };
    let state = |(value, name)| Choice { value, name, is_chosen: active == value };
    let page = ListPage {
        lang,
        shell: Shell::read(&app, seat.holder(), mode, &visit, Section::Subscriptions).await?,
        back_url: url(mode, LIST),
        new: Action::needing(
            Permission::SubscriptionsWrite,
            &seat.permissions,
            format!("{here}/new"),
            lang,
        ),
        fields: form.fields(Vec::new(), &wrong, &here, lang),
        exports: form.exports(&here),
        states: [("true", lang.plan_open()), ("false", lang.plan_closed())].map(state).into(),
        found,
        api: vec![ApiCall::get(&app.settings.base_url(), &form.api_path(PLANS_API))],
        list_url: here,
    };
    visit.page(&page, status)
}

/// GET /dashboard/{mode}/subscriptions/plans/export
pub async fn export(
    State(app): State<App>,
    seat: Seat<SubscriptionsRead>,
    visit: Visit,
    Query(SpreadsheetQuery { format }): Query<SpreadsheetQuery>,
    Query(form): Query<ListForm>,
    Query(MoreFilters { active }): Query<MoreFilters>,
) -> Result<SpreadsheetReply> {
    app.check_rate_limit(&visit.context, &HEAVY, seat.scope)?;
    let filter = filter(&form, &active)?;
    write(&app, seat.scope, filter, format, InWords { lang: visit.lang }).await
}

fn filter(form: &ListForm, active: &str) -> Result<Filter> {
    let active = match active {
        "" => None,
        text => Some(
            text.parse()
                .map_err(|_| Error::field("status", "INVALID_VALUE", "must be true or false"))?,
        ),
    };
    ListQuery { active, q: form.text() }.read(&form.page())
}

async fn found(
    app: &App,
    seat: &Seat<SubscriptionsRead>,
    (form, active): (&ListForm, &str),
    here: &str,
    lang: Lang,
) -> Result<Found<Row>> {
    let scope = seat.scope;
    let filter = filter(form, active)?;
    let page = filter.page;
    let unit = async move |tx: &Tx| plans::list(tx, scope, &filter).await;
    let listed = app.scan_for(scope.merchant, unit).await?;
    let row = |plan: &Plan| row(plan, scope.mode, lang);
    let empty = (lang.plans_none_match(), nothing_yet(seat, here, lang));
    Ok(form.found(&listed, page, here, row, empty))
}

fn nothing_yet(seat: &Seat<SubscriptionsRead>, here: &str, lang: Lang) -> NothingYet {
    let may_create = seat.permissions.contains(Permission::SubscriptionsWrite);
    NothingYet {
        heading: lang.plans_none(),
        note: lang.plans_none_note(),
        step: may_create.then(|| (format!("{here}/new"), lang.plan_new())),
    }
}

fn row(plan: &Plan, mode: Mode, lang: Lang) -> Row {
    Row {
        name: plan.name.clone(),
        subscribers: words::subscribers(plan, lang),
        state: words::state(plan, lang),
        price: price_text(lang, plan.price, plan.interval),
        url: url(mode, &format!("{PLANS}/{}", plan.id)),
    }
}
