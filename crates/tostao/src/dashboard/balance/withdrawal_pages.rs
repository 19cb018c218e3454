//! A withdrawal: how it stands and why, and cancelling it.

use axum::extract::{Request, State};
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt::{self, AttemptForm};
use crate::dashboard::balance::list_pages::{API, LIST};
use crate::dashboard::balance::since::{API as SINCE, Since};
use crate::dashboard::balance::test_money::{Place, TestMoney};
use crate::dashboard::balance::view::WithdrawalPage;
use crate::dashboard::balance::wording;
use crate::dashboard::parts::Action;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::platform::error::Result;
use crate::platform::http::html::posted;
use crate::platform::http::path::PathParam;
use crate::platform::ids::WithdrawalId;
use crate::platform::permissions::{Permission, WithdrawalsRead, WithdrawalsWrite};
use crate::statements::since_withdrawal;
use crate::withdrawals;
use crate::withdrawals::api::ask_to_cancel;
use crate::withdrawals::status::Status;
use crate::withdrawals::terms::WithdrawalTerms;

/// GET /dashboard/{mode}/balance/withdrawals/{id}
pub async fn show(
    State(app): State<App>,
    seat: Seat<WithdrawalsRead>,
    visit: Visit,
    PathParam(id): PathParam<WithdrawalId>,
) -> Result<Response> {
    let (scope, lang, mode) = (seat.scope, visit.lang, seat.scope.mode);
    let read = async move |tx: &Tx| {
        let since = since_withdrawal::read(tx, scope, Some(id)).await?;
        Ok((withdrawals::find(tx, scope, id).await?, since))
    };
    let (withdrawal, since) = app.read(read).await?;
    let list_url = url(mode, LIST);
    let is_undecided = withdrawal.status == Status::Pending && withdrawal.processed_at.is_none();
    let cancel = if is_undecided {
        let cancel = format!("{list_url}/{id}/cancel");
        Action::needing(Permission::WithdrawalsWrite, &seat.permissions, cancel, lang)
    } else {
        Action::Refused(lang.withdrawal_too_late())
    };
    let place = Place { app: &app, scope, permissions: &seat.permissions, lang };
    let paid = withdrawal.completed_at;
    let calls = [format!("{API}/{id}"), format!("{SINCE}?withdrawalId={id}")];
    let page = WithdrawalPage {
        lang,
        shell: Shell::read(&app, seat.holder(), mode, &visit, Section::Balance).await?,
        list_url,
        heading: lang.withdrawal_of(lang.money(withdrawal.amount.get())),
        state: wording::state(&withdrawal, lang),
        why: wording::why(&withdrawal, lang),
        test_money: TestMoney::of_withdrawal(&withdrawal, &place),
        facts: wording::facts(&withdrawal, lang),
        since: Since::before(&since, mode, lang),
        receipt_url: paid.map(|_| WithdrawalTerms::of(&app).receipt_url(id)),
        cancel,
        attempt: attempt::fresh(&app, scope),
        api: calls.iter().map(|path| ApiCall::get(&app.settings.base_url(), path)).collect(),
    };
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/balance/withdrawals/{id}/cancel
pub async fn cancel(
    State(app): State<App>,
    seat: Seat<WithdrawalsWrite>,
    visit: Visit,
    PathParam(id): PathParam<WithdrawalId>,
    request: Request,
) -> Result<Response> {
    let form: AttemptForm = posted(request).await?;
    let scope = seat.scope;
    let key = attempt::key(&app, scope, &format!("{LIST}/{id}/cancel"), &form.attempt, "")?;
    ask_to_cancel(&app, Ticket::of_person(scope, key, seat.by()), seat.by(), id).await?;
    let here = url(scope.mode, &format!("{LIST}/{id}"));
    Ok(see_and_say(&app, &here, visit.lang.withdrawal_was_cancelled()))
}
