//! What settles when.

use axum::extract::State;
use axum::response::Response;
use brazil::calendar::sao_paulo_date;
use db::tx::Tx;
use http::StatusCode;
use serde::Deserialize;

use crate::app::App;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::balance::balance_pages::BALANCE;
use crate::dashboard::balance::view::{ReceivableRow, ReceivablesPage};
use crate::dashboard::listing::joined;
use crate::dashboard::parts::{NothingYet, Pager};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::transactions::sold::Sold;
use crate::dashboard::visit_pages::Visit;
use crate::dashboard::words;
use crate::platform::error::Result;
use crate::platform::http::query::Query;
use crate::platform::ids::Mode;
use crate::platform::messages::Lang;
use crate::platform::permissions::{Permission, WithdrawalsRead};
use crate::receivables::Receivable;
use crate::receivables::list::{ListPosition, ListQuery, Status, due, sum_pending};
use crate::transactions::{self, Transaction};

const LIST: &str = "/balance/receivables";
/// How many rows a page has.
const ROWS: i64 = 50;

/// Where the list goes on.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ReceivablesQuery {
    cursor: Option<String>,
}

/// GET /dashboard/{mode}/balance/receivables
pub async fn show(
    State(app): State<App>,
    seat: Seat<WithdrawalsRead>,
    visit: Visit,
    Query(query): Query<ReceivablesQuery>,
) -> Result<Response> {
    let (scope, lang, mode) = (seat.scope, visit.lang, seat.scope.mode);
    let filter = ListQuery::of(Status::Pending, ROWS, query.cursor.clone()).read()?;
    let read = async move |tx: &Tx| {
        let (rows, next) = due(tx, scope, &filter).await?;
        let paid = rows.iter().map(|part| part.transaction).collect();
        let payments = transactions::find_all(tx, scope, paid).await?;
        let sold = Sold::read(tx, scope, payments.values()).await?;
        Ok((rows, next, payments, sold, sum_pending(tx, scope).await?))
    };
    let (rows, next, payments, sold, sum) = app.scan_for(scope.merchant, read).await?;
    let shows_buyers = seat.permissions.contains(Permission::CustomersRead);
    let shown = |part: &Receivable| {
        let payment = payments.get(&part.transaction).map(|payment| {
            let buyer = shows_buyers.then_some(payment.customer.name.as_str());
            name(payment, buyer, &sold, lang)
        });
        row(part, payment.unwrap_or_default(), mode, lang)
    };
    let here = url(mode, LIST);
    let fields = [
        ("status", Some(Status::Pending.name().to_owned())),
        ("limit", Some(ROWS.to_string())),
        ("cursor", query.cursor.clone()),
    ];
    let fields = fields.into_iter().filter_map(|(name, value)| Some((name, value?)));
    let api = joined("/api/balance/receivables", fields);
    let next = next.as_ref().map(ListPosition::cursor);
    let page = ReceivablesPage {
        lang,
        shell: Shell::read(&app, seat.holder(), mode, &visit, Section::Balance).await?,
        balance_url: url(mode, BALANCE),
        sum: lang.money(sum.get()),
        rows: rows.iter().map(shown).collect(),
        nothing: NothingYet {
            heading: lang.receivables_none(),
            note: lang.receivables_none_note(),
            step: None,
        },
        pager: Pager {
            first_url: query.cursor.is_some().then(|| here.clone()),
            next_url: next.map(|next| joined(&here, [("cursor", next)].into_iter())),
        },
        api: vec![ApiCall::get(&app.settings.base_url(), &api)],
    };
    visit.page(&page, StatusCode::OK)
}

/// Who bought, as far as the role may know it, and what; how it was paid, if neither is known.
fn name(payment: &Transaction, buyer: Option<&str>, sold: &Sold, lang: Lang) -> String {
    let what = sold.name(payment);
    let known = [buyer, what.as_deref()].into_iter().flatten().filter(|text| !text.is_empty());
    let known = known.collect::<Vec<_>>().join(" · ");
    if known.is_empty() { words::method(payment, lang) } else { known }
}

fn row(part: &Receivable, payment: String, mode: Mode, lang: Lang) -> ReceivableRow {
    ReceivableRow {
        due: lang.date(sao_paulo_date(part.due_at.micros())),
        payment,
        installment: lang.receivable_installment(part.installment),
        payment_url: url(mode, &format!("/transactions/{}", part.transaction)),
        is_pledged: part.pledge.is_some(),
        net: lang.money(part.net().get()),
    }
}
