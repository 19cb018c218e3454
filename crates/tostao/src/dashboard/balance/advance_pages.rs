//! Advances: the list, and one with how it stands and why.

use axum::extract::{Request, State};
use axum::response::Response;
use brazil::calendar::sao_paulo_date;
use db::time::Timestamp;
use db::tx::Tx;
use http::StatusCode;
use ledger::cents::Cents;

use crate::advances::api::ask_to_cancel;
use crate::advances::collateral::CollateralPart;
use crate::advances::list::ListQuery;
use crate::advances::status::Status;
use crate::advances::terms::AdvanceTerms;
use crate::advances::{self, Advance, AdvanceQuote};
use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt::{self, AttemptForm};
use crate::dashboard::balance::advance_view::{AdvancePage, AdvanceRow, AdvancesPage, SecurityRow};
use crate::dashboard::balance::balance_pages::BALANCE;
use crate::dashboard::balance::test_money::{Place, TestMoney};
use crate::dashboard::balance::wording;
use crate::dashboard::listing::ListForm;
use crate::dashboard::parts::{Action, NothingYet};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::dashboard::words::decimal;
use crate::platform::error::Result;
use crate::platform::http::html::posted;
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::ids::{AdvanceId, Mode};
use crate::platform::messages::Lang;
use crate::platform::permissions::{AdvancesRead, AdvancesWrite, Permission};

/// The path of the list in its mode.
pub const LIST: &str = "/balance/advances";
/// The same list in the API.
pub const API: &str = "/api/advances";

/// GET /dashboard/{mode}/balance/advances
pub async fn list(
    State(app): State<App>,
    seat: Seat<AdvancesRead>,
    visit: Visit,
    Query(form): Query<ListForm>,
) -> Result<Response> {
    let (scope, lang, mode) = (seat.scope, visit.lang, seat.scope.mode);
    let ((form, page), terms) = (form.unfiltered()?, AdvanceTerms::of(&app));
    let filter = ListQuery::default().read(&form.page())?;
    let read = async move |tx: &Tx| {
        let limit = advances::limit(tx, scope, terms).await?;
        let is_open = advances::open(tx, scope).await?.is_some();
        Ok((limit.most, is_open, advances::list(tx, scope, &filter).await?))
    };
    let (most, is_open, listed) = app.scan_for(scope.merchant, read).await?;
    let (here, base_url) = (url(mode, LIST), app.settings.base_url());
    let row = |advance: &Advance| AdvanceRow {
        when: lang.date_time(advance.created_at.micros()),
        url: format!("{here}/{}", advance.id),
        state: wording::advance(advance.status, lang),
        amount: lang.money(advance.amount.get()),
    };
    let calls = [format!("{API}/available"), form.api_path(API)];
    let new = format!("{here}/new");
    let new = match Action::needing(Permission::AdvancesWrite, &seat.permissions, new, lang) {
        Action::Possible(_) if is_open => Action::Refused(lang.advance_one_is_open()),
        new => new,
    };
    let page = AdvancesPage {
        lang,
        shell: Shell::read(&app, seat.holder(), mode, &visit, Section::Balance).await?,
        balance_url: url(mode, BALANCE),
        new,
        most: lang.advance_most(lang.money(most.get())),
        rows: listed.rows.iter().map(row).collect(),
        nothing: NothingYet {
            heading: lang.advances_none(),
            note: lang.advances_none_note(),
            step: None,
        },
        pager: form.pager(&listed, page, &here),
        api: calls.iter().map(|path| ApiCall::get(&base_url, path)).collect(),
    };
    visit.page(&page, StatusCode::OK)
}

/// GET /dashboard/{mode}/balance/advances/{id}
pub async fn show(
    State(app): State<App>,
    seat: Seat<AdvancesRead>,
    visit: Visit,
    PathParam(id): PathParam<AdvanceId>,
) -> Result<Response> {
    let (scope, lang, mode) = (seat.scope, visit.lang, seat.scope.mode);
    let terms = AdvanceTerms::of(&app);
    let read = async move |tx: &Tx| {
        let advance = advances::find(tx, scope, id).await?;
        let offer = advances::requested_quote(tx, scope, terms, &advance).await?;
        Ok((advance, offer))
    };
    let (advance, offer) = app.scan_for(scope.merchant, read).await?;
    let collateral = offer.as_ref().map_or(&advance.collateral, |offer| &offer.collateral);
    let offered = offer.as_ref().map(|offer| offered(offer, lang)).unwrap_or_default();
    let list_url = url(mode, LIST);
    let may = seat.permissions.contains(Permission::AdvancesWrite);
    let is_open = advance.status == Status::Pending;
    // Nothing is pledged before the approval.
    let securities_heading =
        if is_open { lang.advance_would_secure() } else { lang.advance_securities() };
    let place = Place { app: &app, scope, permissions: &seat.permissions, lang };
    let page = AdvancePage {
        lang,
        shell: Shell::read(&app, seat.holder(), mode, &visit, Section::Balance).await?,
        heading: lang.advance_of(lang.money(advance.amount.get())),
        state: wording::advance(advance.status, lang),
        why: wording::advance_why(&advance, lang),
        not_enough: (is_open && offer.is_none()).then(|| lang.advance_not_enough()),
        test_money: TestMoney::of_advance(&advance, &place),
        facts: facts(&advance, lang).into_iter().chain(offered).collect(),
        securities_heading,
        securities: securities(collateral, mode, lang),
        cancel_url: (may && is_open).then(|| format!("{list_url}/{id}/cancel")),
        list_url,
        attempt: attempt::fresh(&app, scope),
        api: vec![ApiCall::get(&app.settings.base_url(), &format!("{API}/{id}"))],
    };
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/balance/advances/{id}/cancel
pub async fn cancel(
    State(app): State<App>,
    seat: Seat<AdvancesWrite>,
    visit: Visit,
    PathParam(id): PathParam<AdvanceId>,
    request: Request,
) -> Result<Response> {
    let form: AttemptForm = posted(request).await?;
    let scope = seat.scope;
    let key = attempt::key(&app, scope, &format!("{LIST}/{id}/cancel"), &form.attempt, "")?;
    ask_to_cancel(&app, Ticket::of_person(scope, key, seat.by()), seat.by(), id).await?;
    let here = url(scope.mode, &format!("{LIST}/{id}"));
    Ok(see_and_say(&app, &here, visit.lang.advance_was_cancelled()))
}

/// The receivables that secure an advance.
pub fn securities(parts: &[CollateralPart], mode: Mode, lang: Lang) -> Vec<SecurityRow> {
    let row = |part: &CollateralPart| SecurityRow {
        due: lang.date(sao_paulo_date(part.due_at.micros())),
        installment: lang.receivable_installment(part.installment),
        payment_url: url(mode, &format!("/transactions/{}", part.transaction)),
        fee: lang.money(part.fee.get()),
        amount: lang.money(part.amount.get()),
    };
    parts.iter().map(row).collect()
}

/// What a requested advance would cost if it were approved today.
fn offered(offer: &AdvanceQuote, lang: Lang) -> Vec<(&'static str, String)> {
    let net = offer.amount.minus(offer.fee).unwrap_or(Cents::ZERO);
    vec![
        (lang.advance_cost_today(), lang.money(offer.fee.get())),
        (lang.advance_arrives_today(), lang.money(net.get())),
    ]
}

/// The facts of an advance.
pub fn facts(advance: &Advance, lang: Lang) -> Vec<(&'static str, String)> {
    let money = |cents: Cents| lang.money(cents.get());
    let time = |at: Option<Timestamp>| at.map(|at| lang.date_time(at.micros()));
    let net = advance.fee.and_then(|fee| advance.amount.minus(fee));
    let outstanding = Some(advance.outstanding).filter(|left| !left.is_zero());
    let facts = [
        (lang.withdraw_amount(), Some(money(advance.amount))),
        (lang.advance_rate(), Some(lang.advance_monthly(decimal(advance.rate.percent(), lang)))),
        (lang.advance_cost(), advance.fee.map(money)),
        (lang.withdrawal_arrives(), net.map(money)),
        (lang.advance_outstanding(), outstanding.map(money)),
        (lang.advance_reason(), advance.reason.clone()),
        (lang.withdrawal_asked_at(), time(Some(advance.created_at))),
        (lang.withdrawal_approved_at(), time(advance.approved_at)),
        (lang.advance_settled_at(), time(advance.settled_at)),
    ];
    facts.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}
