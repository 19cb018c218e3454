//! The first page of a mode.

use axum::extract::State;
use axum::response::Response;
use db::tx::Tx;
use futures_util::future::join;
use http::StatusCode;

use crate::app::App;
use crate::auth::seat::Seat;
use crate::books;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::home::view::{HomePage, Newest, PaymentRow};
use crate::dashboard::home::{attention, checklist};
use crate::dashboard::parts::{Figure, NothingYet, Part};
use crate::dashboard::shell::{Section, Shell};
use crate::dashboard::visit_pages::Visit;
use crate::dashboard::words;
use crate::platform::error::Result;
use crate::platform::http::page::PageQuery;
use crate::platform::ids::Scope;
use crate::platform::messages::Lang;
use crate::platform::permissions::{NoPermission, Permission};
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
    let (steps, waiting) =
        join(checklist::read(&app, scope, lang), attention::read(&app, scope, permissions, lang))
            .await;
    let may_read = |needed| permissions.contains(needed);
    let balances = if may_read(Permission::WithdrawalsRead) {
        Some(Part::of(balances(&app, scope, lang).await, context))
    } else {
        None
    };
    let newest = if may_read(Permission::TransactionsRead) {
        let shows_buyers = may_read(Permission::CustomersRead);
        Some(Part::of(newest(&app, scope, shows_buyers, lang).await, context))
    } else {
        None
    };
    let base_url = app.settings.base_url();
    let api = ["/api/withdraws/balance", "/api/v1/transactions?limit=5"];
    let page = HomePage {
        lang,
        shell,
        checklist: Part::of(steps, context).read().flatten(),
        balances,
        attention: Part::of(waiting, context),
        newest,
        api: api.iter().map(|path| ApiCall::get(&base_url, path)).collect(),
    };
    visit.page(&page, StatusCode::OK)
}

async fn balances(app: &App, scope: Scope, lang: Lang) -> Result<Vec<Figure>> {
    let read = app.read(async move |tx: &Tx| books::holdings(tx, scope).await).await?;
    let figure = |label, cents, note| {
        let value = lang.money(cents);
        Figure { label, value, note, list_url: None }
    };
    Ok(vec![
        figure(lang.home_available(), read.available.get(), lang.home_available_note()),
        figure(lang.home_pending(), read.pending.get(), lang.home_pending_note()),
        figure(lang.home_held(), read.held()?.get(), lang.home_held_note()),
    ])
}

async fn newest(app: &App, scope: Scope, shows_buyers: bool, lang: Lang) -> Result<Newest> {
    let page = PageQuery { limit: Some(NEWEST), ..PageQuery::default() };
    let (filter, counting) = (ListQuery::default().read(&page)?, app.clone());
    let unit = async move |tx: &Tx| list(tx, scope, &filter, &counting.payment_counts).await;
    let rows = app.scan_for(scope.merchant, unit).await?.rows;
    if rows.is_empty() {
        let is_test = scope.mode.is_development();
        return Ok(Newest::Nothing(NothingYet {
            heading: lang.home_no_sale(),
            note: if is_test {
                lang.home_no_sale_note()
            } else {
                lang.home_no_sale_note_production()
            },
            step: Some(("/docs/api/payment-links".to_owned(), lang.home_how())),
        }));
    }
    let row = |transaction| row(transaction, shows_buyers, lang);
    Ok(Newest::Rows(rows.iter().map(row).collect()))
}

fn row(transaction: &Transaction, shows_buyers: bool, lang: Lang) -> PaymentRow {
    let item = transaction.items.first().map(|item| item.name.clone());
    let described = item.or_else(|| transaction.description.clone());
    let link = || transaction.link.as_ref().map(|link| link.slug.clone());
    PaymentRow {
        when: lang.date_time(transaction.created_at.micros()),
        who: shows_buyers.then(|| transaction.customer.name.clone()),
        what: described.or_else(link).unwrap_or_default(),
        method: words::method(transaction, lang),
        state: words::payment(transaction.status, lang),
        amount: lang.money(transaction.amount.get()),
    }
}
