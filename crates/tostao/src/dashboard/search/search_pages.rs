//! One search over everything; it opens what it finds alone.

use axum::extract::State as Extracted;
use axum::response::{IntoResponse, Redirect, Response};
use http::StatusCode;

use crate::app::App;
use crate::auth::api_key::ApiKey;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::form::explain;
use crate::dashboard::listing::joined;
use crate::dashboard::parts::State;
use crate::dashboard::search::view::{Group, Row, SearchPage};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::dashboard::words;
use crate::platform::error::{Error, Result};
use crate::platform::http::query::Query;
use crate::platform::ids::Mode;
use crate::platform::messages::Lang;
use crate::platform::permissions::{NoPermission, PersonalPermission};
use crate::search::api::{SearchQuery, ask};
use crate::search::{Findings, FoundStatus, Hit, Kind, Reader};

/// The path of the search in its mode.
pub const SEARCH: &str = "/search";

/// GET /dashboard/{mode}/search
pub async fn show(
    Extracted(app): Extracted<App>,
    seat: Seat<NoPermission>,
    visit: Visit,
    Query(query): Query<SearchQuery>,
) -> Result<Response> {
    let (mode, lang) = (seat.scope.mode, visit.lang);
    let reader = Reader {
        permissions: seat.permissions.clone(),
        documents: seat.documents(),
        reads_credentials: seat.may(PersonalPermission::CredentialsRead),
    };
    let searcher = (seat.scope, Some(seat.who().1));
    let asked = ask(&app, &visit.context, searcher, query.q.as_deref().unwrap_or_default(), reader);
    let (found, wrong) = match asked.await {
        Ok(found) => (found, None),
        // The page is opened before anything is typed.
        Err(Error::Invalid(_)) if query.q.is_none() => (Findings::default(), None),
        Err(Error::Invalid(wrong)) => {
            (Findings::default(), wrong.first().map(|wrong| explain(wrong, lang)))
        }
        Err(error) => return Err(error),
    };
    if let [alone] = &*found.hits {
        return Ok(Redirect::to(&address(alone, mode)).into_response());
    }
    let q = query.q.unwrap_or_default();
    if ApiKey::is_meant(q.trim()) {
        // The address of this page has the key, so another one says that it is unknown.
        return Ok(see_and_say(&app, &url(mode, SEARCH), lang.search_no_key()));
    }
    let api = joined("/api/search", [("q", q.clone())].into_iter());
    let status = if wrong.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    let page = SearchPage {
        lang,
        shell: Shell::read(&app, seat.holder(), mode, &visit, Section::Search).await?,
        search_url: url(mode, SEARCH),
        groups: groups(&found, &q, mode, lang),
        searched: searched(&found, lang),
        over_all: over_all(&found, &q, mode),
        wrong,
        q,
        api: vec![ApiCall::get(&app.settings.base_url(), &api)],
    };
    visit.page(&page, status)
}

fn groups(found: &Findings, q: &str, mode: Mode, lang: Lang) -> Vec<Group> {
    let group = |kind: &Kind| Group {
        name: name(*kind, lang),
        rows: found
            .hits
            .iter()
            .filter(|hit| hit.kind == *kind)
            .map(|it| row(it, mode, lang))
            .collect(),
        all_url: found
            .more
            .contains(kind)
            .then(|| joined(&url(mode, folder(*kind)), [("q", q.to_owned())].into_iter())),
    };
    Kind::ALL.iter().map(group).filter(|group| !group.rows.is_empty()).collect()
}

/// Where was searched, in words.
fn searched(found: &Findings, lang: Lang) -> Option<String> {
    let names: Vec<_> = found.searched.iter().map(|kind| name(*kind, lang)).collect();
    (!names.is_empty()).then(|| lang.search_looked_in(names.join(", ")))
}

/// The same search over the payments of any date, whose texts are searched in the last days alone.
fn over_all(found: &Findings, q: &str, mode: Mode) -> Option<String> {
    let list = url(mode, folder(Kind::Transaction));
    let query = [("q", q.to_owned()), ("searchAll", "true".to_owned())];
    found.searched.contains(&Kind::Transaction).then(|| joined(&list, query.into_iter()))
}

fn row(hit: &Hit, mode: Mode, lang: Lang) -> Row {
    Row {
        name: hit.name.clone(),
        url: address(hit, mode),
        when: hit.made_at.map(|at| lang.date_time(at.micros())),
        state: hit.status.and_then(|status| state(status, lang)),
        amount: hit.amount.map(|amount| lang.money(amount.get())),
    }
}

/// A state in words; a withdrawal's needs more than its status.
fn state(status: FoundStatus, lang: Lang) -> Option<State> {
    match status {
        FoundStatus::Payment(status) => Some(words::payment(status, lang)),
        FoundStatus::Link(status) => Some(words::link(status, lang)),
        FoundStatus::Subscription(status) => Some(words::subscription(status, lang)),
        FoundStatus::Withdrawal(_) => None,
    }
}

/// The page of an object, or the list that it is in.
pub fn address(hit: &Hit, mode: Mode) -> String {
    let folder = folder(hit.kind);
    match hit.kind {
        Kind::Credential => url(mode, folder),
        _ => url(mode, &format!("{folder}/{}", hit.id)),
    }
}

/// The list of a kind, in its mode.
fn folder(kind: Kind) -> &'static str {
    match kind {
        Kind::Transaction => "/transactions",
        Kind::PaymentLink => "/links",
        Kind::Product => "/products",
        Kind::Coupon => "/coupons",
        Kind::Client => "/clients",
        Kind::Subscription => "/subscriptions",
        Kind::Withdrawal => "/balance/withdrawals",
        Kind::Credential => "/developers/keys",
    }
}

/// What objects of a kind are called together.
pub fn name(kind: Kind, lang: Lang) -> &'static str {
    match kind {
        Kind::Transaction => lang.payments_title(),
        Kind::PaymentLink => lang.links_title(),
        Kind::Product => lang.products_title(),
        Kind::Coupon => lang.coupons_title(),
        Kind::Client => lang.clients_title(),
        Kind::Subscription => lang.search_subscriptions(),
        Kind::Withdrawal => lang.withdrawals_title(),
        Kind::Credential => lang.keys_title(),
    }
}
