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
use crate::dashboard::visit_pages::Visit;
use crate::platform::error::Result;
use crate::platform::http::query::Query;
use crate::platform::ids::Mode;
use crate::platform::messages::Lang;
use crate::platform::permissions::WithdrawalsRead;
use crate::receivables::Receivable;
use crate::receivables::list::{ListPosition, ListQuery, Status, due};

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
    let read = async move |tx: &Tx| due(tx, scope, &filter).await;
    let (rows, next) = app.scan_for(scope.merchant, read).await?;
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
        rows: rows.iter().map(|part| row(part, mode, lang)).collect(),
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

fn row(part: &Receivable, mode: Mode, lang: Lang) -> ReceivableRow {
    ReceivableRow {
        due: lang.date(sao_paulo_date(part.due_at.micros())),
        installment: lang.receivable_installment(part.installment),
        payment_url: url(mode, &format!("/transactions/{}", part.transaction)),
        is_pledged: part.pledge.is_some(),
        net: lang.money(part.net().get()),
    }
}
