//! The list of withdrawals.

use axum::extract::State;
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;

use crate::app::App;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::balance::balance_pages::{BALANCE, withdraw};
use crate::dashboard::balance::view::{WithdrawalRow, WithdrawalsPage, WithdrawalsSum};
use crate::dashboard::balance::wording;
use crate::dashboard::listing::{Found, ListForm};
use crate::dashboard::parts::NothingYet;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::Visit;
use crate::platform::error::Result;
use crate::platform::http::query::Query;
use crate::platform::http::rate_limit::HEAVY;
use crate::platform::ids::Scope;
use crate::platform::messages::Lang;
use crate::platform::permissions::WithdrawalsRead;
use crate::platform::spreadsheet::{SpreadsheetQuery, SpreadsheetReply};
use crate::withdrawals::Withdrawal;
use crate::withdrawals::export::export as write;
use crate::withdrawals::list::{Filter, ListQuery, ListSum, list, sum};
use crate::withdrawals::status::Status;

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
    let (here, form) = (url(mode, LIST), ListForm { q: String::new(), ..form });
    let (found, sum) = match found(&app, scope, &form, &here, lang).await {
        Ok((found, sum)) => (Ok(found), sum),
        Err(error) => (Err(error), None),
    };
    let (found, wrong) = Found::or_wrong(found)?;
    let status = if wrong.is_empty() { StatusCode::OK } else { StatusCode::BAD_REQUEST };
    let named = |status: &Status| (status.name(), wording::status(*status, lang));
    let page = WithdrawalsPage {
        lang,
        shell: Shell::read(&app, seat.holder(), mode, &visit, Section::Balance).await?,
        balance_url: url(mode, BALANCE),
        withdraw: withdraw(&seat, lang),
        fields: form.fields(form.choices(Status::ALL, named), &wrong, &here, lang),
        kept: Vec::new(),
        exports: form.exports(&here),
        sum,
        found,
        api: vec![ApiCall::get(&app.settings.base_url(), &form.api_path(API))],
        list_url: here,
    };
    visit.page(&page, status)
}

/// GET /dashboard/{mode}/balance/withdrawals/export
pub async fn export(
    State(app): State<App>,
    seat: Seat<WithdrawalsRead>,
    visit: Visit,
    Query(SpreadsheetQuery { format }): Query<SpreadsheetQuery>,
    Query(form): Query<ListForm>,
) -> Result<SpreadsheetReply> {
    app.check_rate_limit(&visit.context, &HEAVY, seat.scope)?;
    let lang = visit.lang;
    let head = [
        lang.export_created(),
        lang.export_paid(),
        lang.export_state(),
        lang.export_amount(),
        lang.export_fee(),
        lang.export_refunded(),
        lang.export_key(),
        lang.export_description(),
        lang.export_bank_reference(),
        lang.export_end_to_end(),
        lang.export_id(),
    ];
    let status = move |withdrawal: &Withdrawal| wording::state(withdrawal, lang).word;
    write(&app, seat.scope, filter(&form)?, (format, head), status).await
}

fn filter(form: &ListForm) -> Result<Filter> {
    ListQuery::of_status(form.status(Status::parse)?).read(&form.page())
}

/// What the list shows, and what it sums to if it is of one state: what was paid and what was not
/// have no sum.
async fn found(
    app: &App,
    scope: Scope,
    form: &ListForm,
    here: &str,
    lang: Lang,
) -> Result<(Found<WithdrawalRow>, Option<WithdrawalsSum>)> {
    let filter = filter(form)?;
    let page = filter.page;
    let read = async move |tx: &Tx| {
        let listed = list(tx, scope, &filter).await?;
        let summed = match filter.status.filter(|_| !listed.rows.is_empty()) {
            Some(status) => Some(sum(tx, scope, status).await?),
            None => None,
        };
        Ok((listed, summed))
    };
    let (listed, summed) = app.scan_for(scope.merchant, read).await?;
    let row = |withdrawal: &Withdrawal| WithdrawalRow {
        when: lang.date_time(withdrawal.created_at.micros()),
        url: format!("{here}/{}", withdrawal.id),
        key: withdrawal.key.as_str().to_owned(),
        state: wording::state(withdrawal, lang),
        amount: lang.money(withdrawal.amount.get()),
    };
    let nothing_yet = NothingYet {
        heading: lang.withdrawals_none(),
        note: lang.withdrawals_none_note(),
        step: None,
    };
    let empty = (lang.withdrawals_none_match(), nothing_yet);
    let found = form.found(&listed, page, here, row, empty);
    Ok((found, summed.map(|summed| shown(summed, lang))))
}

fn shown(sum: ListSum, lang: Lang) -> WithdrawalsSum {
    let returned = Some(sum.returned).filter(|returned| !returned.is_zero());
    WithdrawalsSum {
        amount: lang.money(sum.amount.get()),
        returned: returned.map(|returned| lang.withdrawals_returned(lang.money(returned.get()))),
    }
}
