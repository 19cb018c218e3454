//! A program: its terms, those who joined it, and what came of it; and its switch.

use axum::extract::{Request, State};
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;
use serde::Deserialize;

use crate::affiliates::commissions::Status;
use crate::affiliates::links::{self, LinkWithProgram};
use crate::affiliates::programs::api::ask_to_update;
use crate::affiliates::programs::params::ProgramParams;
use crate::affiliates::programs::{self, ListedProgram};
use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::seat::Seat;
use crate::dashboard::affiliates::link_pages::LINKS;
use crate::dashboard::affiliates::list_pages::{API, HOME, PROGRAMS, sum};
use crate::dashboard::affiliates::mine_pages::{counts, earnings};
use crate::dashboard::affiliates::view::{AffiliateRow, ProgramPage};
use crate::dashboard::affiliates::words;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt;
use crate::dashboard::listing::{ListForm, joined};
use crate::dashboard::parts::{Action, Figure, NothingYet, Switch, switch_between};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::platform::error::Result;
use crate::platform::http::html::posted;
use crate::platform::http::patch::Omittable;
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::ids::{AffiliateProgramId, Mode};
use crate::platform::masked;
use crate::platform::messages::Lang;
use crate::platform::permissions::{AffiliatesRead, AffiliatesWrite, Permission, Permissions};

/// Whether something is to be on, by the name of the body's field.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SwitchForm {
    pub is_active: bool,
    pub attempt: String,
}

/// GET /dashboard/{mode}/affiliates/programs/{id}
pub async fn show(
    State(app): State<App>,
    seat: Seat<AffiliatesRead>,
    visit: Visit,
    PathParam(id): PathParam<AffiliateProgramId>,
    Query(form): Query<ListForm>,
) -> Result<Response> {
    let (scope, mode, lang) = (seat.scope, seat.scope.mode, visit.lang);
    let ((form, page), checkout_url) = (form.unfiltered()?, app.settings.checkout_url());
    let read = async move |tx: &Tx| {
        let shown = programs::find(tx, scope, id).await?;
        Ok((shown, links::list_by_program(tx, scope, &checkout_url, id, &page).await?))
    };
    let (shown, listed) = app.scan_for(scope.merchant, read).await?;
    let here = url(mode, &format!("{PROGRAMS}/{id}"));
    let changing = |page: &str| {
        let address = format!("{here}/{page}");
        Action::needing(Permission::AffiliatesWrite, &seat.permissions, address, lang)
    };
    let row = |link: &LinkWithProgram| row(link, &here, &seat.permissions, mode, lang);
    let calls = [format!("{API}/{id}"), form.api_path(&format!("{API}/{id}/links"))];
    let base_url = app.settings.base_url();
    let page = ProgramPage {
        lang,
        shell: Shell::read(&app, seat.holder(), mode, &visit, Section::Affiliates).await?,
        list_url: url(mode, HOME),
        list_name: lang.affiliates_title(),
        name: words::product(shown.product.as_ref(), lang),
        state: words::state(&shown, lang),
        why: words::why(&shown, lang),
        facts: facts(&shown, lang),
        edit: changing("edit"),
        switch: switch_of(shown.program.active, changing("switch"), lang),
        delete: changing("delete"),
        attempt: attempt::fresh(&app, scope),
        figures: figures(&shown, &here, lang),
        affiliates: listed.rows.iter().map(row).collect(),
        nothing: NothingYet {
            heading: lang.affiliates_none(),
            note: lang.affiliates_none_note(),
            step: None,
        },
        pager: form.pager(&listed, page, &here),
        api: calls.iter().map(|path| ApiCall::get(&base_url, path)).collect(),
    };
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/affiliates/programs/{id}/switch
pub async fn switch(
    State(app): State<App>,
    seat: Seat<AffiliatesWrite>,
    visit: Visit,
    PathParam(id): PathParam<AffiliateProgramId>,
    request: Request,
) -> Result<Response> {
    let SwitchForm { is_active, attempt } = posted(request).await?;
    let (scope, lang) = (seat.scope, visit.lang);
    let route = format!("{PROGRAMS}/{id}/switch");
    let key = attempt::key(&app, scope, &route, &attempt, &is_active.to_string())?;
    let ticket = Ticket::of_person(scope, key, seat.by());
    let is_active = Omittable::from(Some(is_active));
    ask_to_update(&app, ticket, id, ProgramParams { is_active, ..ProgramParams::default() })
        .await?;
    let is_on = is_active.sent().unwrap_or_default();
    let said = if is_on { lang.program_was_opened() } else { lang.program_was_closed() };
    Ok(see_and_say(&app, &url(scope.mode, &format!("{PROGRAMS}/{id}")), said))
}

fn switch_of(is_active: bool, action: Action, lang: Lang) -> Switch {
    let names = [lang.program_switch_on(), lang.program_switch_off()];
    switch_between(is_active, action, names)
}

fn row(
    of: &LinkWithProgram,
    program: &str,
    permissions: &Permissions,
    mode: Mode,
    lang: Lang,
) -> AffiliateRow {
    let link = &of.link;
    let own = [("linkId", link.id.to_string())];
    let commissions = joined(&format!("{program}/commissions"), own.into_iter());
    let switch = url(mode, &format!("{LINKS}/{}/switch", link.id));
    let switch = Action::needing(Permission::AffiliatesWrite, permissions, switch, lang);
    AffiliateRow {
        id: link.id.to_string(),
        name: of.name.clone(),
        email: masked::email(&of.email),
        code: link.code.clone(),
        address: of.url.clone(),
        state: words::link(of, lang),
        counts: lang.partner_counts(link.clicks, link.conversions),
        earned: sum(link.earned, &commissions, Status::Paid, lang),
        pending: sum(link.pending, &commissions, Status::Pending, lang),
        switch: switch_of(link.active, switch, lang),
    }
}

/// What came of it; each amount opens the commissions that it is the sum of.
fn figures(shown: &ListedProgram, here: &str, lang: Lang) -> Vec<Figure> {
    let stats = shown.stats.unwrap_or_default();
    let commissions = format!("{here}/commissions");
    let joined = Figure {
        label: lang.program_joined(),
        value: shown.links.to_string(),
        note: lang.program_joined_note().into(),
        list_url: None,
    };
    let pending = sum(stats.pending, &commissions, Status::Pending, lang);
    let earned = sum(stats.earned, &commissions, Status::Paid, lang);
    let mut figures = vec![joined];
    figures.extend(counts(stats.clicks, stats.conversions, lang));
    figures.extend(earnings(pending, earned, lang));
    figures
}

/// The terms of a program.
pub fn facts(shown: &ListedProgram, lang: Lang) -> Vec<(&'static str, String)> {
    let program = &shown.program;
    let price = shown.product.as_ref().map(|product| lang.money(product.price.get()));
    let facts = [
        (lang.program_commission(), Some(words::commission(program.terms, lang))),
        (lang.program_counts_on(), Some(words::counts(program.terms, lang).to_owned())),
        (lang.program_cookie(), Some(words::days(program.cookie_days, lang))),
        (lang.product_price(), price),
        (lang.coupon_description(), program.description.clone()),
        (lang.program_rules(), program.rules.clone()),
        (lang.program_affiliate_page(), program.affiliate_page.clone()),
        (lang.program_sales_page(), program.sales_page.clone()),
        (lang.coupon_since(), Some(lang.date_time(program.created_at.micros()))),
    ];
    facts.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}
