//! The code and its address, what was earned, and the accounts that were invited.

use axum::extract::State;
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;
use ledger::cents::Cents;

use crate::app::App;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt;
use crate::dashboard::form::Field;
use crate::dashboard::links::link_pages::qr;
use crate::dashboard::listing::{Found, choices, joined};
use crate::dashboard::parts::{Action, Figure, NothingYet};
use crate::dashboard::referrals::moved_pages::MOVED;
use crate::dashboard::referrals::numbered::{NumberedForm, ROWS};
use crate::dashboard::referrals::reward_pages::REWARDS;
use crate::dashboard::referrals::view::{Invitation, InvitedPage, InvitedRow, StateFilter};
use crate::dashboard::referrals::withdraw_pages::FORM;
use crate::dashboard::referrals::words;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::Visit;
use crate::platform::error::{FieldError, Result};
use crate::platform::http::query::Query;
use crate::platform::ids::Mode;
use crate::platform::messages::Lang;
use crate::platform::permissions::{Permission, ReferralsRead};
use crate::referrals::list::HistoryQuery;
use crate::referrals::rewards::Status as RewardStatus;
use crate::referrals::terms::ReferralTerms;
use crate::referrals::{self, Referral, Stats, Status};

/// The path of the section in its mode.
pub const HOME: &str = "/referrals";
/// The paths of what it shows in the API.
const API: &str = "/api/referral/history";
const STATS: &str = "/api/referral/stats";
const CODE: &str = "/api/referral/code";

/// GET /dashboard/{mode}/referrals
pub async fn show(
    State(app): State<App>,
    seat: Seat<ReferralsRead>,
    visit: Visit,
    Query(form): Query<NumberedForm>,
) -> Result<Response> {
    let (scope, mode, lang) = (seat.scope, seat.scope.mode, visit.lang);
    let here = url(mode, HOME);
    let read = async move |tx: &Tx| {
        let code = referrals::find_code(tx, scope.merchant).await?;
        Ok((code, referrals::stats(tx, scope).await?))
    };
    let (code, stats) = app.scan_for(scope.merchant, read).await?;
    let (found, wrong) = Found::or_wrong(found(&app, &seat, &form, &here, lang).await)?;
    let answer = if wrong.is_empty() { StatusCode::OK } else { StatusCode::BAD_REQUEST };
    let named = |status: &Status| (status.name(), words::status(*status, lang));
    let changing = |path: &str| {
        Action::needing(Permission::ReferralsWrite, &seat.permissions, url(mode, path), lang)
    };
    let base_url = app.settings.base_url();
    let invitation = match code {
        Some(code) => {
            let address = referrals::code_url(&base_url, &code);
            Invitation::Made { qr: qr(&address)?, code, url: address }
        }
        None => Invitation::None(changing(&format!("{HOME}/code"))),
    };
    let mut calls = vec![form.api_path(API), STATS.to_owned()];
    // The API makes a code where there is none, which a page does by a form alone.
    if matches!(invitation, Invitation::Made { .. }) {
        calls.push(CODE.to_owned());
    }
    let page = InvitedPage {
        lang,
        shell: Shell::read(&app, seat.holder(), mode, &visit, Section::Referrals).await?,
        invitation,
        attempt: attempt::fresh(&app, scope),
        terms: words::terms(ReferralTerms::of(&app), lang),
        withdraw: changing(FORM),
        figures: figures(&stats, mode, lang),
        filter: StateFilter::new(&form, &here, (Status::ALL, named), &wrong, lang),
        list_url: here,
        kept: Vec::new(),
        found,
        api: calls.iter().map(|path| ApiCall::get(&base_url, path)).collect(),
    };
    visit.page(&page, answer)
}

async fn found(
    app: &App,
    seat: &Seat<ReferralsRead>,
    form: &NumberedForm,
    here: &str,
    lang: Lang,
) -> Result<Found<InvitedRow>> {
    let (scope, mode) = (seat.scope, seat.scope.mode);
    let filter = HistoryQuery::new(form.page(), ROWS, form.status(Status::parse)?).read()?;
    let read = async move |tx: &Tx| referrals::list(tx, scope, &filter).await;
    let listed = app.scan_for(scope.merchant, read).await?;
    let nothing_yet =
        NothingYet { heading: lang.referrals_none(), note: lang.referrals_none_note(), step: None };
    let row = |referral: &Referral| row(referral, mode, lang);
    Ok(form.found(&listed, here, row, (lang.referrals_none_match(), nothing_yet)))
}

fn row(of: &Referral, mode: Mode, lang: Lang) -> InvitedRow {
    let name = &of.referred_name;
    let own = [("referralId", of.id.to_string())];
    InvitedRow {
        name: if name.is_empty() { lang.referral_nameless().to_owned() } else { name.clone() },
        when: lang.date_time(of.created_at.micros()),
        state: words::state(of.status, lang),
        why: words::why(of, lang),
        earned: lang.money(of.earned().get()),
        rewards_url: joined(&url(mode, REWARDS), own.into_iter()),
    }
}

/// What was earned; each amount opens the list that it is the sum of.
fn figures(stats: &Stats, mode: Mode, lang: Lang) -> Vec<Figure> {
    let rewards = url(mode, REWARDS);
    let of = |status: RewardStatus| NumberedForm::with_status(&rewards, status.name());
    let figure = |label, note: &'static str, amount: Cents, list_url| Figure {
        label,
        value: lang.money(amount.get()),
        note: note.into(),
        list_url,
    };
    vec![
        figure(lang.rewards_available(), lang.rewards_available_note(), stats.available, None),
        figure(
            lang.rewards_released(),
            lang.rewards_released_note(),
            stats.released_rewards,
            Some(of(RewardStatus::Available)),
        ),
        figure(
            lang.rewards_moved(),
            lang.rewards_moved_note(),
            stats.withdrawn,
            Some(url(mode, MOVED)),
        ),
        figure(
            lang.rewards_pending(),
            lang.rewards_pending_note(),
            stats.pending_rewards,
            Some(of(RewardStatus::Pending)),
        ),
    ]
}

impl StateFilter {
    /// The filter as it was sent, of a list with these states.
    pub fn new<S>(
        form: &NumberedForm,
        here: &str,
        (all, named): (&[S], impl Fn(&S) -> (&'static str, &'static str)),
        wrong: &[FieldError],
        lang: Lang,
    ) -> Self {
        let status = Field::judged("status", &form.status, wrong, lang);
        Self {
            statuses: choices(&form.status, all, named),
            wrong: status.wrong("status", lang.payments_state()).into_iter().collect(),
            all_url: (!form.status.is_empty()).then(|| here.to_owned()),
        }
    }
}
