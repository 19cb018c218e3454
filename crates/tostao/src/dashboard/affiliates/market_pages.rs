//! The programs that can be joined: the list, the terms of one, and joining it.

use axum::extract::{Request, State};
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;
use serde::Deserialize;

use crate::affiliates::links::api::ask_to_join;
use crate::affiliates::programs::{self, ListedProgram};
use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::seat::Seat;
use crate::dashboard::affiliates::list_pages::HOME;
use crate::dashboard::affiliates::mine_pages::MINE_LINKS;
use crate::dashboard::affiliates::program_pages::facts;
use crate::dashboard::affiliates::view::{MarketPage, OpenPage, OpenRow};
use crate::dashboard::affiliates::words;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt::{self, AttemptForm};
use crate::dashboard::listing::ListForm;
use crate::dashboard::parts::{Action, NothingYet, State as Shown, Tone};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::html::posted;
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::ids::{AffiliateLinkId, AffiliateProgramId, Scope};
use crate::platform::messages::Lang;
use crate::platform::permissions::{AffiliatesRead, AffiliatesWrite, Permission};

/// The path of the list in its mode.
pub const MARKET: &str = "/affiliates/marketplace";
/// The path of the list in the API.
const API: &str = "/api/affiliate/marketplace";

/// What the API answers, as far as the page needs it.
#[derive(Debug, Deserialize)]
struct Joined {
    data: JoinedLink,
}

#[derive(Debug, Deserialize)]
struct JoinedLink {
    id: AffiliateLinkId,
}

/// GET /dashboard/{mode}/affiliates/marketplace
pub async fn show(
    State(app): State<App>,
    seat: Seat<AffiliatesRead>,
    visit: Visit,
    Query(form): Query<ListForm>,
) -> Result<Response> {
    let (scope, mode, lang) = (seat.scope, seat.scope.mode, visit.lang);
    let ((form, page), here) = (form.unfiltered()?, url(mode, MARKET));
    let read = async move |tx: &Tx| programs::list_open(tx, scope, &page).await;
    let listed = app.scan_for(scope.merchant, read).await?;
    let row = |shown: &ListedProgram| OpenRow {
        name: words::product(shown.product.as_ref(), lang),
        url: format!("{here}/{}", shown.program.id),
        owner: shown.owner_name.clone(),
        terms: words::terms(&shown.program, lang),
        price: price(shown, lang),
        state: standing(shown, scope, lang),
    };
    let nothing_yet =
        NothingYet { heading: lang.market_none(), note: lang.market_none_note(), step: None };
    let page = MarketPage {
        lang,
        shell: Shell::read(&app, seat.holder(), mode, &visit, Section::Affiliates).await?,
        back: (url(mode, HOME), lang.affiliates_title()),
        found: form.found(&listed, page, &here, row, ("", nothing_yet)),
        api: vec![ApiCall::get(&app.settings.base_url(), &form.api_path(API))],
    };
    visit.page(&page, StatusCode::OK)
}

/// GET /dashboard/{mode}/affiliates/marketplace/{id}
pub async fn open(
    State(app): State<App>,
    seat: Seat<AffiliatesRead>,
    visit: Visit,
    PathParam(id): PathParam<AffiliateProgramId>,
) -> Result<Response> {
    let page = open_page(&app, &seat, &visit, id).await?;
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/affiliates/marketplace/{id}/join
pub async fn join(
    State(app): State<App>,
    seat: Seat<AffiliatesWrite>,
    visit: Visit,
    PathParam(id): PathParam<AffiliateProgramId>,
    request: Request,
) -> Result<Response> {
    let form: AttemptForm = posted(request).await?;
    let (scope, lang) = (seat.scope, visit.lang);
    let key = attempt::key(&app, scope, &format!("{MARKET}/{id}/join"), &form.attempt, "")?;
    let refused = match ask_to_join(&app, Ticket::of_person(scope, key, seat.by()), id).await {
        Ok(joined) => {
            let Joined { data } = joined.read()?;
            let here = url(scope.mode, &format!("{MINE_LINKS}/{}", data.id));
            return Ok(see_and_say(&app, &here, lang.program_was_joined()));
        }
        Err(Error::Refused(ErrorCode::AlreadyAffiliated, _)) => lang.program_joined_already(),
        Err(Error::Refused(ErrorCode::SelfAffiliation, _)) => lang.program_is_own(),
        Err(error) => return Err(error),
    };
    let mut page = open_page(&app, &seat, &visit, id).await?;
    page.refused = Some(refused);
    visit.refused(&page)
}

async fn open_page<P>(
    app: &App,
    seat: &Seat<P>,
    visit: &Visit,
    id: AffiliateProgramId,
) -> Result<OpenPage> {
    let (scope, mode, lang) = (seat.scope, seat.scope.mode, visit.lang);
    let find = async move |tx: &Tx| programs::find_open(tx, scope, id).await;
    let shown = app.read(find).await?;
    let join = url(mode, &format!("{MARKET}/{id}/join"));
    let (join, note) = if shown.owner == scope.merchant {
        (Action::Refused(lang.program_is_own()), lang.program_is_own_why())
    } else if shown.link.is_some() {
        (Action::Refused(lang.program_joined_already()), lang.program_join_note())
    } else {
        let join = Action::needing(Permission::AffiliatesWrite, &seat.permissions, join, lang);
        (join, lang.program_join_note())
    };
    let owner = (lang.program_owner(), shown.owner_name.clone());
    Ok(OpenPage {
        lang,
        shell: Shell::read(app, seat.holder(), mode, visit, Section::Affiliates).await?,
        list_url: url(mode, MARKET),
        name: words::product(shown.product.as_ref(), lang),
        facts: [owner].into_iter().chain(facts(&shown, lang)).collect(),
        note,
        refused: None,
        link_url: shown.link.map(|link| url(mode, &format!("{MINE_LINKS}/{link}"))),
        join,
        attempt: attempt::fresh(app, scope),
        api: vec![ApiCall::get(&app.settings.base_url(), &format!("{API}/{id}"))],
    })
}

fn price(shown: &ListedProgram, lang: Lang) -> String {
    shown.product.as_ref().map(|product| lang.money(product.price.get())).unwrap_or_default()
}

/// Whether a program is one's own, or already joined.
fn standing(shown: &ListedProgram, scope: Scope, lang: Lang) -> Option<Shown> {
    if shown.owner == scope.merchant {
        return Some(Shown { tone: Tone::Off, word: lang.market_own() });
    }
    shown.link.map(|_| Shown { tone: Tone::Good, word: lang.market_joined() })
}
