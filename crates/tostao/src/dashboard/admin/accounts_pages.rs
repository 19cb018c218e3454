//! How far accounts come on the way to their first webhook, and the newest accounts.

use std::time::Duration;

use axum::extract::State as AppState;
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;
use serde::Deserialize;

use crate::app::App;
use crate::auth::seat::AdminSeat;
use crate::dashboard::admin::accounts_view::{AccountRow, AccountsPage, StepRow, TakenStep};
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::listing::joined;
use crate::dashboard::parts::{NothingYet, Pager, State, Tone};
use crate::dashboard::shell::{Section, Shell, admin_url};
use crate::dashboard::visit_pages::Visit;
use crate::dashboard::words;
use crate::first_steps::{self, AccountSteps, Step, Summary};
use crate::platform::error::{Error, Result};
use crate::platform::http::page::PageQuery;
use crate::platform::http::query::Query;
use crate::platform::messages::Lang;

/// The paths of what the page shows in the API.
const API: &str = "/api/admin/first-steps";
const API_LIST: &str = "/api/admin/first-steps/accounts";
/// The path of the page in its mode.
const ACCOUNTS: &str = "/accounts";
/// How many accounts a page has.
const ROWS: i64 = 25;

/// Where the list goes on.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Place {
    cursor: String,
}

/// GET /admin/{mode}/accounts
pub async fn show(
    AppState(app): AppState<App>,
    seat: AdminSeat,
    visit: Visit,
    Query(place): Query<Place>,
) -> Result<Response> {
    let (mode, lang, page) = (seat.mode, visit.lang, place.page().read()?);
    let read = async move |tx: &Tx| {
        let summary = first_steps::summary(tx, mode).await?;
        Ok::<_, Error>((summary, first_steps::list(tx, mode, page).await?))
    };
    let (summary, listed) = app.scan(read).await?;
    let (here, base_url) = (admin_url(mode, ACCOUNTS), app.settings.base_url());
    let next = page.pagination(&listed).next_cursor;
    let list = place.url(API_LIST, Some(ROWS));
    let call = |path: &str| ApiCall::of_person(&base_url, path).in_mode(mode);
    let webhook = summary.steps.iter().find(|step| step.step == Step::Webhook);
    let page = AccountsPage {
        lang,
        shell: Shell::read(&app, seat.holder, mode, &visit, Section::Accounts).await?,
        accounts: summary.accounts,
        webhook_median: webhook.and_then(|step| step.median_seconds).map(span),
        steps: steps(&summary, lang),
        rows: listed.rows.iter().map(|account| row(account, lang)).collect(),
        nothing: NothingYet {
            heading: lang.admin_none(),
            note: lang.admin_none_note(),
            step: None,
        },
        pager: Pager {
            first_url: (!place.cursor.is_empty()).then(|| here.clone()),
            next_url: next.map(|cursor| Place { cursor }.url(&here, None)),
        },
        api: [API, list.as_str()].map(call).into(),
    };
    visit.page(&page, StatusCode::OK)
}

impl Place {
    fn page(&self) -> PageQuery {
        PageQuery { limit: Some(ROWS), page: None, cursor: Some(self.cursor.clone()) }
    }

    fn url(&self, list: &str, limit: Option<i64>) -> String {
        let limit = limit.map(|limit| ("limit", limit.to_string()));
        let cursor = (!self.cursor.is_empty()).then(|| ("cursor", self.cursor.clone()));
        joined(list, limit.into_iter().chain(cursor))
    }
}

/// The sign-up, which every account has behind it, and the steps.
fn steps(summary: &Summary, lang: Lang) -> Vec<StepRow> {
    let signed_up = StepRow {
        name: lang.admin_signed_up(),
        reached: summary.accounts,
        stopped: summary.not_started,
        median: None,
    };
    let steps = summary.steps.iter().map(|step| StepRow {
        name: words::first_step(step.step, lang),
        reached: step.reached,
        stopped: step.stopped,
        median: step.median_seconds.map(span),
    });
    [signed_up].into_iter().chain(steps).collect()
}

fn row(account: &AccountSteps, lang: Lang) -> AccountRow {
    let taken = |step: &Step| {
        let took = account.steps.at(*step)?.since(account.opened_at);
        Some(TakenStep { name: words::first_step(*step, lang), took: words::span(took) })
    };
    let (tone, word) = match account.steps.furthest() {
        Some(Step::Webhook) => (Tone::Good, lang.first_step_webhook()),
        Some(step) => (Tone::Wait, words::first_step(step, lang)),
        None => (Tone::Off, lang.admin_no_step()),
    };
    AccountRow {
        name: account.name.clone(),
        email: account.email.clone(),
        signed_up: lang.date_time(account.opened_at.micros()),
        steps: Step::ALL.iter().filter_map(taken).collect(),
        furthest: State { tone, word },
    }
}

fn span(seconds: u64) -> String {
    words::span(Duration::from_secs(seconds))
}
