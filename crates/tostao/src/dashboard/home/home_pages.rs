//! The first page of a mode.

use axum::extract::State;
use axum::response::Response;
use db::tx::Tx;
use futures_util::future::join;
use http::StatusCode;

use crate::app::App;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::balance::balance_pages::{figures, read_figures};
use crate::dashboard::figures::part;
use crate::dashboard::home::no_sale::no_sale;
use crate::dashboard::home::view::{HomePage, Newest, PaymentRow};
use crate::dashboard::home::{attention, checklist};
use crate::dashboard::parts::{Figure, Part};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::transactions::list_pages::LIST;
use crate::dashboard::transactions::sold::Sold;
use crate::dashboard::visit_pages::Visit;
use crate::dashboard::words;
use crate::figures::FiguresPermissions;
use crate::platform::error::Result;
use crate::platform::http::page::PageQuery;
use crate::platform::ids::Scope;
use crate::platform::messages::Lang;
use crate::platform::permissions::{NoPermission, Permission, Permissions, RequiredPermissions};
use crate::transactions::Transaction;
use crate::transactions::list::{ListQuery, list};

const NEWEST: i64 = 5;

/// GET /dashboard/{mode}
pub async fn show(
    State(app): State<App>,
    seat: Seat<NoPermission>,
    visit: Visit,
) -> Result<Response> {
    let (scope, lang) = (seat.scope, visit.lang);
    let (permissions, context) = (&seat.permissions, &visit.context);
    let shell = Shell::read(&app, seat.holder(), scope.mode, &visit, Section::Home).await?;
    let (steps, waiting) = join(
        checklist::read(&app, scope, seat.role, lang),
        attention::read(&app, scope, permissions, lang),
    )
    .await;
    let may_read = |needed| permissions.contains(needed);
    let balances = if may_read(Permission::WithdrawalsRead) {
        Some(Part::of(balances(&app, scope, lang).await, context))
    } else {
        None
    };
    let newest = if may_read(Permission::TransactionsRead) {
        Some(Part::of(newest(&app, scope, permissions, lang).await, context))
    } else {
        None
    };
    let sales = if FiguresPermissions::PERMISSIONS.iter().all(|needed| may_read(*needed)) {
        Some(Part::of(part::read(&app, scope, lang).await, context))
    } else {
        None
    };
    let base_url = app.settings.base_url();
    let api = ["/api/withdraws/balance", "/api/figures", "/api/v1/transactions?limit=5"];
    let page = HomePage {
        lang,
        shell,
        takes_payments: app.providers.takes_payments(scope.mode),
        checklist: Part::of(steps, context).read().flatten(),
        balances,
        sales,
        attention: Part::of(waiting, context),
        newest,
        list_url: url(scope.mode, LIST),
        api: api.iter().map(|path| ApiCall::get(&base_url, path)).collect(),
    };
    visit.page(&page, StatusCode::OK)
}

async fn balances(app: &App, scope: Scope, lang: Lang) -> Result<Vec<Figure>> {
    let today = scope.today(app.now());
    let held = app.read(async move |tx: &Tx| read_figures(tx, scope, today).await).await?;
    figures(&held, scope.mode, lang)
}

async fn newest(app: &App, scope: Scope, permissions: &Permissions, lang: Lang) -> Result<Newest> {
    let page = PageQuery { limit: Some(NEWEST), ..PageQuery::default() };
    let (filter, counting) = (ListQuery::default().read(&page)?, app.clone());
    let unit = async move |tx: &Tx| {
        let rows = list(tx, scope, &filter, &counting.payment_counts).await?.rows;
        Ok((Sold::read(tx, scope, &rows).await?, rows))
    };
    let (sold, rows) = app.scan_for(scope.merchant, unit).await?;
    if rows.is_empty() {
        return Ok(Newest::Nothing(no_sale(scope.mode, permissions, lang)));
    }
    let shows_buyers = permissions.contains(Permission::CustomersRead);
    let list_url = url(scope.mode, LIST);
    let row = |payment: &Transaction| PaymentRow {
        when: lang.date_time(payment.created_at.micros()),
        who: shows_buyers.then(|| payment.customer.name.clone()),
        what: sold.name(payment).unwrap_or_default(),
        method: words::method(payment, lang),
        state: words::payment(payment.status, lang),
        amount: lang.money(payment.amount.get()),
        url: format!("{list_url}/{}", payment.id),
    };
    Ok(Newest::Rows(rows.iter().map(row).collect()))
}
