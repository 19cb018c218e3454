//! The account as an affiliate: what it earns, and its links with their addresses.

use axum::extract::State;
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;

use crate::affiliates::commissions::Status;
use crate::affiliates::links::{self, LinkWithProgram};
use crate::app::App;
use crate::auth::seat::Seat;
use crate::dashboard::affiliates::commission_pages::OWN;
use crate::dashboard::affiliates::list_pages::{HOME, sum};
use crate::dashboard::affiliates::market_pages::MARKET;
use crate::dashboard::affiliates::view::{LinkPage, LinkRow, MinePage, Sum};
use crate::dashboard::affiliates::words;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::links::link_pages::qr;
use crate::dashboard::listing::{ListForm, joined};
use crate::dashboard::parts::{Figure, NothingYet};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::Visit;
use crate::platform::error::Result;
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::ids::{AffiliateLinkId, Mode};
use crate::platform::messages::Lang;
use crate::platform::permissions::AffiliatesRead;

/// The path of the page in its mode.
pub const MINE: &str = "/affiliates/mine";
/// The path of own links in their mode.
pub const MINE_LINKS: &str = "/affiliates/mine/links";
/// The path of own links in the API.
const API: &str = "/api/affiliate/links";

/// GET /dashboard/{mode}/affiliates/mine
pub async fn show(
    State(app): State<App>,
    seat: Seat<AffiliatesRead>,
    visit: Visit,
    Query(form): Query<ListForm>,
) -> Result<Response> {
    let (scope, mode, lang) = (seat.scope, seat.scope.mode, visit.lang);
    let ((form, page), here) = (form.unfiltered()?, url(mode, MINE));
    let checkout_url = app.settings.checkout_url();
    let read = async move |tx: &Tx| {
        let stats = links::stats(tx, scope).await?;
        Ok((stats, links::list_own(tx, scope, &checkout_url, &page).await?))
    };
    let (stats, listed) = app.scan_for(scope.merchant, read).await?;
    let own = url(mode, OWN);
    let mut figures = counts(stats.clicks, stats.conversions, lang);
    let pending = sum(stats.pending, &own, Status::Pending, lang);
    figures.extend(earnings(pending, sum(stats.earned, &own, Status::Paid, lang), lang));
    let market_url = url(mode, MARKET);
    let nothing_yet = NothingYet {
        heading: lang.mine_none(),
        note: lang.mine_none_note(),
        step: Some((market_url.clone(), lang.market_title())),
    };
    let row = |link: &LinkWithProgram| row(link, mode, lang);
    let base_url = app.settings.base_url();
    let calls = ["/api/affiliate/stats".to_owned(), form.api_path(API)];
    let page = MinePage {
        lang,
        shell: Shell::read(&app, seat.holder(), mode, &visit, Section::Affiliates).await?,
        back: (url(mode, HOME), lang.affiliates_title()),
        market_url,
        figures,
        found: form.found(&listed, page, &here, row, ("", nothing_yet)),
        api: calls.iter().map(|path| ApiCall::get(&base_url, path)).collect(),
    };
    visit.page(&page, StatusCode::OK)
}

/// GET /dashboard/{mode}/affiliates/mine/links/{id}
pub async fn link(
    State(app): State<App>,
    seat: Seat<AffiliatesRead>,
    visit: Visit,
    PathParam(id): PathParam<AffiliateLinkId>,
) -> Result<Response> {
    let (scope, mode, lang) = (seat.scope, seat.scope.mode, visit.lang);
    let checkout_url = app.settings.checkout_url();
    let find = async move |tx: &Tx| links::find_own(tx, scope, &checkout_url, id).await;
    let of = app.read(find).await?;
    let (pending, earned) = sums(&of, mode, lang);
    let mut figures = counts(of.link.clicks, of.link.conversions, lang);
    figures.extend(earnings(pending, earned, lang));
    let address = match &of.url {
        Some(address) => Some((address.clone(), qr(address)?)),
        None => None,
    };
    let page = LinkPage {
        lang,
        shell: Shell::read(&app, seat.holder(), mode, &visit, Section::Affiliates).await?,
        list_url: url(mode, MINE),
        name: words::product(of.product.as_ref(), lang),
        state: words::link(&of, lang),
        why: words::link_why(&of, lang),
        address,
        figures,
        facts: facts(&of, lang),
        api: vec![ApiCall::get(&app.settings.base_url(), &format!("{API}/{id}"))],
    };
    visit.page(&page, StatusCode::OK)
}

fn row(of: &LinkWithProgram, mode: Mode, lang: Lang) -> LinkRow {
    let (pending, earned) = sums(of, mode, lang);
    LinkRow {
        name: words::product(of.product.as_ref(), lang),
        url: url(mode, &format!("{MINE_LINKS}/{}", of.link.id)),
        code: of.link.code.clone(),
        state: words::link(of, lang),
        counts: lang.partner_counts(of.link.clicks, of.link.conversions),
        earned,
        pending,
    }
}

/// What is pending and what was released of a link's commissions.
fn sums(of: &LinkWithProgram, mode: Mode, lang: Lang) -> (Sum, Sum) {
    let own = [("linkId", of.link.id.to_string())];
    let list = joined(&url(mode, OWN), own.into_iter());
    let pending = sum(of.link.pending, &list, Status::Pending, lang);
    (pending, sum(of.link.earned, &list, Status::Paid, lang))
}

/// How many came, and how many bought.
pub fn counts(clicks: i64, sales: i64, lang: Lang) -> Vec<Figure> {
    let figure = |label, note: &'static str, count: i64| Figure {
        label,
        value: count.to_string(),
        note: note.into(),
        list_url: None,
    };
    vec![
        figure(lang.partner_clicks(), lang.partner_clicks_note(), clicks),
        figure(lang.partner_sales(), lang.partner_sales_note(), sales),
    ]
}

/// What is pending and what was released; each opens the commissions that it is the sum of.
pub fn earnings(pending: Sum, earned: Sum, lang: Lang) -> Vec<Figure> {
    let figure = |label, note: &'static str, sum: Sum| Figure {
        label,
        value: sum.value,
        note: note.into(),
        list_url: Some(sum.url),
    };
    vec![
        figure(lang.commissions_pending(), lang.commissions_pending_note(), pending),
        figure(lang.commissions_paid(), lang.commissions_paid_note(), earned),
    ]
}

fn facts(of: &LinkWithProgram, lang: Lang) -> Vec<(&'static str, String)> {
    let program = &of.program;
    let facts = [
        (lang.partner_code(), Some(of.link.code.clone())),
        (lang.program_commission(), Some(words::commission(program.terms, lang))),
        (lang.program_counts_on(), Some(words::counts(program.terms, lang).to_owned())),
        (lang.program_cookie(), Some(words::days(program.cookie_days, lang))),
        (lang.coupon_description(), program.description.clone()),
        (lang.program_rules(), program.rules.clone()),
        (lang.program_affiliate_page(), program.affiliate_page.clone()),
        (lang.partner_since(), Some(lang.date_time(of.link.created_at.micros()))),
    ];
    facts.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}
