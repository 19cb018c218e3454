//! The programs of the account: who joined, and what came of them.

use axum::extract::State;
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;
use ledger::cents::Cents;

use crate::affiliates::commissions::Status;
use crate::affiliates::programs::{self, ListedProgram};
use crate::app::App;
use crate::auth::seat::Seat;
use crate::dashboard::affiliates::market_pages::MARKET;
use crate::dashboard::affiliates::mine_pages::MINE;
use crate::dashboard::affiliates::view::{ListPage, ProgramRow, Sum};
use crate::dashboard::affiliates::words;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::listing::ListForm;
use crate::dashboard::parts::{Action, NothingYet};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::Visit;
use crate::platform::error::Result;
use crate::platform::http::query::Query;
use crate::platform::ids::Mode;
use crate::platform::messages::Lang;
use crate::platform::permissions::{AffiliatesRead, Permission};

/// The path of the section in its mode.
pub const HOME: &str = "/affiliates";
/// The path of programs in their mode.
pub const PROGRAMS: &str = "/affiliates/programs";
/// The path of programs in the API.
pub const API: &str = "/api/affiliate/programs";

/// GET /dashboard/{mode}/affiliates
pub async fn show(
    State(app): State<App>,
    seat: Seat<AffiliatesRead>,
    visit: Visit,
    Query(form): Query<ListForm>,
) -> Result<Response> {
    let (scope, mode, lang) = (seat.scope, seat.scope.mode, visit.lang);
    let ((form, page), here) = (form.unfiltered()?, url(mode, HOME));
    let read = async move |tx: &Tx| programs::list(tx, scope, &page).await;
    let listed = app.scan_for(scope.merchant, read).await?;
    let new = url(mode, &format!("{PROGRAMS}/new"));
    let new = Action::needing(Permission::AffiliatesWrite, &seat.permissions, new, lang);
    let step = match &new {
        Action::Possible(new) => Some((new.clone(), lang.program_new())),
        Action::Refused(_) => None,
    };
    let nothing_yet =
        NothingYet { heading: lang.programs_none(), note: lang.programs_none_note(), step };
    let row = |program: &ListedProgram| row(program, mode, lang);
    let page = ListPage {
        lang,
        shell: Shell::read(&app, seat.holder(), mode, &visit, Section::Affiliates).await?,
        new,
        market_url: url(mode, MARKET),
        mine_url: url(mode, MINE),
        found: form.found(&listed, page, &here, row, ("", nothing_yet)),
        api: vec![ApiCall::get(&app.settings.base_url(), &form.api_path(API))],
    };
    visit.page(&page, StatusCode::OK)
}

fn row(shown: &ListedProgram, mode: Mode, lang: Lang) -> ProgramRow {
    let here = url(mode, &format!("{PROGRAMS}/{}", shown.program.id));
    let stats = shown.stats.unwrap_or_default();
    let commissions = format!("{here}/commissions");
    ProgramRow {
        name: words::product(shown.product.as_ref(), lang),
        state: words::state(shown, lang),
        terms: words::terms(&shown.program, lang),
        counts: lang.program_counts(shown.links, stats.clicks, stats.conversions),
        earned: sum(stats.earned, &commissions, Status::Paid, lang),
        pending: sum(stats.pending, &commissions, Status::Pending, lang),
        url: here,
    }
}

/// An amount of commissions, and those of a state, which it is the sum of.
pub fn sum(amount: Cents, commissions: &str, status: Status, lang: Lang) -> Sum {
    let list = ListForm { status: status.name().to_owned(), ..ListForm::default() };
    Sum { value: lang.money(amount.get()), url: list.url(commissions) }
}
