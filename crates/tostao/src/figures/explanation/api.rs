//! What a figure of the balance consists of, with the list that each line sums.

use axum::extract::State;
use db::time::Timestamp;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::auth::caller::Caller;
use crate::books::api::AccountName;
use crate::books::movements::MovementKind;
use crate::figures::explanation::{BalanceFigure, Explanation, Moved, explain};
use crate::figures::period::{Period, TIME_ZONE};
use crate::platform::error::Result;
use crate::platform::http::page::TimeRange;
use crate::platform::http::query::Query;
use crate::platform::http::reply::Ok200;
use crate::platform::permissions::WithdrawalsRead;

/// The list of the entries that a line sums.
const ENTRIES: &str = "/api/balance/entries";

/// Which figure is explained, and in which period.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ExplainQuery {
    /// The figure. Defaults to `available`.
    pub figure: Option<BalanceFigure>,
    /// The first day, such as 2026-11-01. Defaults to 29 days before `to`.
    #[schemars(extend("format" = "date"))]
    pub from: Option<String>,
    /// The last day; at most 91 days after `from`. Defaults to today.
    #[schemars(extend("format" = "date"))]
    pub to: Option<String>,
}

/// What the movements of a kind added to a figure.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "BalanceMovement")]
pub struct MovementView {
    account: AccountName,
    /// The kind of ledger movement.
    kind: String,
    /// The sum in cents; negative for what the movements took.
    amount_cents: Cents,
    /// The path of the list whose amounts sum to it; absent for a kind that this release does not
    /// know.
    #[serde(skip_serializing_if = "Option::is_none")]
    list_url: Option<String>,
}

/// What a figure of the balance consists of: the opening balance and the movements sum to the
/// closing balance.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "BalanceExplanation")]
pub struct ExplanationView {
    figure: BalanceFigure,
    /// The first day.
    #[schemars(extend("format" = "date"))]
    from: String,
    /// The last day.
    #[schemars(extend("format" = "date"))]
    to: String,
    /// The time zone whose midnights divide the days.
    time_zone: &'static str,
    /// The balance before the first day, in cents.
    opening_cents: Cents,
    movements: Vec<MovementView>,
    /// The balance after the last day, in cents; of a period that is not over the present one.
    closing_cents: Cents,
}

/// A response with an explanation.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "BalanceExplanationResponse")]
pub struct ExplanationResponse {
    success: bool,
    data: ExplanationView,
}

/// GET /api/balance/explain
pub async fn show(
    State(app): State<App>,
    caller: Caller<WithdrawalsRead>,
    Query(query): Query<ExplainQuery>,
) -> Result<Ok200<ExplanationResponse>> {
    let (scope, today) = (caller.scope, caller.scope.today(app.now()));
    let period = Period::read(query.from.as_deref(), query.to.as_deref(), today)?;
    let figure = query.figure.unwrap_or(BalanceFigure::Available);
    let read = async move |tx: &_| explain(tx, scope, figure, period).await;
    let Explanation { times, opening, moved, closing } = app.scan_for(scope.merchant, read).await?;
    let data = ExplanationView {
        figure,
        from: period.from.to_string(),
        to: period.to.to_string(),
        time_zone: TIME_ZONE,
        opening_cents: opening,
        movements: moved.into_iter().map(|moved| MovementView::new(moved, times)).collect(),
        closing_cents: closing,
    };
    Ok(Ok200(ExplanationResponse { success: true, data }))
}

impl MovementView {
    fn new(Moved { account, kind, amount }: Moved, times: TimeRange) -> Self {
        let is_known = MovementKind::parse(&kind).is_some();
        let list_url = is_known.then(|| list_url(account, &kind, times));
        Self { account, kind, amount_cents: amount, list_url }
    }
}

fn list_url(account: AccountName, kind: &str, TimeRange { from, to }: TimeRange) -> String {
    let open = TimeRange::new(None, None).to;
    let end = |to: Timestamp| if to == open { String::new() } else { format!("&createdTo={to}") };
    format!("{ENTRIES}?account={}&kind={kind}&createdFrom={from}{}", account.name(), end(to))
}
