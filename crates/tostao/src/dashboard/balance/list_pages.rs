//! The list of withdrawals.

use axum::extract::State;
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;

use crate::app::App;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::balance::balance_pages::{BALANCE, withdraw};
use crate::dashboard::balance::view::{WithdrawalRow, WithdrawalsPage};
use crate::dashboard::balance::wording;
use crate::dashboard::listing::ListForm;
use crate::dashboard::parts::{NothingYet, Pager};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::Visit;
use crate::platform::error::Result;
use crate::platform::http::query::Query;
use crate::platform::permissions::WithdrawalsRead;
use crate::withdrawals::Withdrawal;
use crate::withdrawals::list::{ListQuery, list};

/// The path of the list in its mode.
pub const LIST: &str = "/balance/withdrawals";
/// The same list in the API.
pub const API: &str = "/api/withdraws";

/// GET /dashboard/{mode}/balance/withdrawals
pub async fn show(
    State(app): State<App>,
    seat: Seat<WithdrawalsRead>,
    visit: Visit,
    Query(form): Query<ListForm>,
) -> Result<Response> {
    let (scope, lang, mode) = (seat.scope, visit.lang, seat.scope.mode);
    let filter = ListQuery::default().read(&form.page())?;
    let page = filter.page;
    let read = async move |tx: &Tx| list(tx, scope, &filter).await;
    let listed = app.scan_for(scope.merchant, read).await?;
    let here = url(mode, LIST);
    let row = |withdrawal: &Withdrawal| WithdrawalRow {
        when: lang.date_time(withdrawal.created_at.micros()),
        url: format!("{here}/{}", withdrawal.id),
        key: withdrawal.key.as_str().to_owned(),
        state: wording::state(withdrawal, lang),
        amount: lang.money(withdrawal.amount.get()),
    };
    let page = WithdrawalsPage {
        lang,
        shell: Shell::read(&app, seat.holder(), mode, &visit, Section::Balance).await?,
        balance_url: url(mode, BALANCE),
        withdraw: withdraw(&seat, lang),
        rows: listed.rows.iter().map(row).collect(),
        nothing: NothingYet {
            heading: lang.withdrawals_none(),
            note: lang.withdrawals_none_note(),
            step: None,
        },
        pager: Pager {
            first_url: (!form.cursor.is_empty()).then(|| here.clone()),
            next_url: page.pagination(&listed).next_cursor.map(|cursor| {
                let next = ListForm { cursor, ..ListForm::default() };
                next.url(&here)
            }),
        },
        api: vec![ApiCall::get(&app.settings.base_url(), &form.api_path(API))],
    };
    visit.page(&page, StatusCode::OK)
}
