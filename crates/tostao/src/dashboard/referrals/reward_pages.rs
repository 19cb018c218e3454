//! The rewards, each with why it stands so.

use axum::extract::State;
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;
use serde::Deserialize;

use crate::app::App;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::listing::{Found, joined};
use crate::dashboard::parts::NothingYet;
use crate::dashboard::referrals::invited_pages::HOME;
use crate::dashboard::referrals::numbered::{NumberedForm, ROWS};
use crate::dashboard::referrals::view::{RewardRow, RewardsPage, StateFilter};
use crate::dashboard::referrals::words;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::Visit;
use crate::platform::error::Result;
use crate::platform::http::query::Query;
use crate::platform::ids::{ReferralId, Scope};
use crate::platform::messages::Lang;
use crate::platform::permissions::ReferralsRead;
use crate::referrals::rewards::list::RewardsQuery;
use crate::referrals::rewards::{self, Reward, Status};

/// The path of the list in its mode.
pub const REWARDS: &str = "/referrals/rewards";
/// The path of the list in the API.
const API: &str = "/api/referral/rewards";

/// Whose rewards are wanted beside the filter.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ReferralQuery {
    referral_id: Option<ReferralId>,
}

/// GET /dashboard/{mode}/referrals/rewards
pub async fn show(
    State(app): State<App>,
    seat: Seat<ReferralsRead>,
    visit: Visit,
    Query(ReferralQuery { referral_id: of }): Query<ReferralQuery>,
    Query(form): Query<NumberedForm>,
) -> Result<Response> {
    let (scope, mode, lang) = (seat.scope, seat.scope.mode, visit.lang);
    let kept: Vec<_> = of.map(|id| ("referralId", id.to_string())).into_iter().collect();
    let list_url = url(mode, REWARDS);
    let [here, api] = [&*list_url, API].map(|path| joined(path, kept.clone().into_iter()));
    let found = found(&app, scope, of, (&form, &here), lang).await;
    let (found, wrong) = Found::or_wrong(found)?;
    let status = if wrong.is_empty() { StatusCode::OK } else { StatusCode::BAD_REQUEST };
    let named = |status: &Status| (status.name(), words::reward_status(*status, lang));
    let page = RewardsPage {
        lang,
        shell: Shell::read(&app, seat.holder(), mode, &visit, Section::Referrals).await?,
        back_url: url(mode, HOME),
        list_url,
        kept,
        filter: StateFilter::new(&form, &here, (Status::ALL, named), &wrong, lang),
        found,
        api: vec![ApiCall::get(&app.settings.base_url(), &form.api_path(&api))],
    };
    visit.page(&page, status)
}

async fn found(
    app: &App,
    scope: Scope,
    of: Option<ReferralId>,
    (form, here): (&NumberedForm, &str),
    lang: Lang,
) -> Result<Found<RewardRow>> {
    let filter = RewardsQuery::new(form.page(), ROWS, form.status(Status::parse)?, of).read()?;
    let read = async move |tx: &Tx| rewards::list(tx, scope, &filter).await;
    let listed = app.scan_for(scope.merchant, read).await?;
    let nothing_yet =
        NothingYet { heading: lang.rewards_none(), note: lang.rewards_none_note(), step: None };
    let row = |(reward, name): &(Reward, String)| RewardRow {
        name: if name.is_empty() { lang.referral_nameless().to_owned() } else { name.clone() },
        what: words::kind(reward.kind, lang),
        when: lang.date_time(reward.created_at.micros()),
        state: words::reward_state(reward.status, lang),
        why: words::reward_why(reward, lang),
        amount: lang.money(reward.left().unwrap_or_default().get()),
    };
    Ok(form.found(&listed, here, row, (lang.rewards_none_match(), nothing_yet)))
}
