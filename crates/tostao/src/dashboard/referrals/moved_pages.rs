//! What was moved to the balance.

use axum::extract::State;
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;

use crate::app::App;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::parts::NothingYet;
use crate::dashboard::referrals::invited_pages::HOME;
use crate::dashboard::referrals::numbered::{NumberedForm, ROWS};
use crate::dashboard::referrals::view::{MovedPage, MovedRow};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::Visit;
use crate::platform::error::Result;
use crate::platform::http::query::Query;
use crate::platform::permissions::ReferralsRead;
use crate::referrals::list::MovedQuery;
use crate::referrals::{self, MovedReward};

/// The path of the list in its mode.
pub const MOVED: &str = "/referrals/withdrawals";
/// The path of the list in the API.
const API: &str = "/api/referral/withdrawals";

/// GET /dashboard/{mode}/referrals/withdrawals
pub async fn show(
    State(app): State<App>,
    seat: Seat<ReferralsRead>,
    visit: Visit,
    Query(form): Query<NumberedForm>,
) -> Result<Response> {
    let (scope, mode, lang) = (seat.scope, seat.scope.mode, visit.lang);
    let form = form.unfiltered();
    let page = MovedQuery::new(form.page(), ROWS).read()?;
    let read = async move |tx: &Tx| referrals::list_withdrawals(tx, scope, page).await;
    let listed = app.scan_for(scope.merchant, read).await?;
    let row = |moved: &MovedReward| MovedRow {
        when: lang.date_time(moved.created_at.micros()),
        amount: lang.money(moved.amount.get()),
    };
    let nothing_yet =
        NothingYet { heading: lang.moved_none(), note: lang.moved_none_note(), step: None };
    let page = MovedPage {
        lang,
        shell: Shell::read(&app, seat.holder(), mode, &visit, Section::Referrals).await?,
        back_url: url(mode, HOME),
        found: form.found(&listed, &url(mode, MOVED), row, ("", nothing_yet)),
        api: vec![ApiCall::get(&app.settings.base_url(), &form.api_path(API))],
    };
    visit.page(&page, StatusCode::OK)
}
