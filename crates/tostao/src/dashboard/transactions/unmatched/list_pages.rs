//! The list of money that waits for a decision.

use axum::extract::State;
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;

use crate::app::App;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::listing::ListForm;
use crate::dashboard::parts::NothingYet;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::transactions::list_pages::LIST;
use crate::dashboard::transactions::unmatched::paths::{UNMATCHED, decide_path};
use crate::dashboard::transactions::unmatched::view::{ListPage, Row};
use crate::dashboard::visit_pages::Visit;
use crate::platform::error::Result;
use crate::platform::http::query::Query;
use crate::platform::ids::{Mode, TransactionId};
use crate::platform::messages::Lang;
use crate::platform::permissions::TransactionsRead;
use crate::transactions::unmatched::{Reason, UnmatchedPayment, waiting};

/// The path of the list in the API.
const API: &str = "/api/v1/unmatched-payments";

/// GET /dashboard/{mode}/transactions/unmatched
pub async fn show(
    State(app): State<App>,
    seat: Seat<TransactionsRead>,
    visit: Visit,
    Query(form): Query<ListForm>,
) -> Result<Response> {
    let (scope, lang, (form, page)) = (seat.scope, visit.lang, form.unfiltered()?);
    let here = url(scope.mode, UNMATCHED);
    let unit = async move |tx: &Tx| waiting(tx, scope, page).await;
    let listed = app.scan_for(scope.merchant, unit).await?;
    let back = (url(scope.mode, LIST), lang.payments_title());
    let nothing = NothingYet {
        heading: lang.set_aside_none(),
        note: lang.set_aside_none_note(),
        step: Some(back.clone()),
    };
    let row = |(of, money): &(TransactionId, UnmatchedPayment)| row(*of, money, scope.mode, lang);
    let page = ListPage {
        lang,
        shell: Shell::read(&app, seat.holder(), scope.mode, &visit, Section::Transactions).await?,
        back,
        found: form.found(&listed, page, &here, row, (lang.set_aside_none(), nothing)),
        api: vec![ApiCall::get(&app.settings.base_url(), &form.api_path(API))],
    };
    visit.page(&page, StatusCode::OK)
}

fn row(of: TransactionId, money: &UnmatchedPayment, mode: Mode, lang: Lang) -> Row {
    Row {
        when: lang.date_time(money.received_at.micros()),
        reason: reason(money.reason, lang),
        amount: lang.money(money.amount.get()),
        url: url(mode, &decide_path(of, money.id)),
    }
}

/// Why money was set aside.
pub fn reason(reason: Reason, lang: Lang) -> &'static str {
    match reason {
        Reason::PaidTwice => lang.home_unmatched_twice(),
        Reason::TooMuch => lang.home_unmatched_more(),
        Reason::TooLittle => lang.home_unmatched_less(),
    }
}
