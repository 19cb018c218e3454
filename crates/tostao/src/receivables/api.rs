//! Receivables through the API.

use axum::extract::State;
use brazil::calendar::sao_paulo_date;
use db::time::Timestamp;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::auth::caller::Caller;
use crate::platform::error::Result;
use crate::platform::http::query::Query;
use crate::platform::http::reply::Ok200;
use crate::platform::ids::{AdvanceId, ReceivableId, TransactionId};
use crate::platform::permissions::WithdrawalsRead;
use crate::receivables::Receivable;
use crate::receivables::list::{ListPosition, ListQuery, Status, due};

/// A part of a payment with its own settlement date.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Receivable")]
pub struct ReceivableView {
    id: ReceivableId,
    /// The transaction of the receivable.
    transaction_id: TransactionId,
    /// The installment number, from 1.
    #[schemars(range(min = 1))]
    installment: i64,
    status: Status,
    /// The settlement date in São Paulo.
    #[schemars(extend("format" = "date"))]
    due_date: String,
    /// The gross amount in cents.
    amount_cents: Cents,
    /// The share of the payment's fee, in cents.
    fee_cents: Cents,
    /// The amount reversed by refunds and disputes, in cents.
    taken_cents: Cents,
    /// The net amount in cents, after fees and reversals.
    net_amount: Cents,
    /// Whether part of the receivable is pledged to an advance.
    pledged: bool,
    /// The pledged amount in cents.
    pledged_cents: Cents,
    /// The advance that the receivable secures.
    advance_id: Option<AdvanceId>,
    settled_at: Option<Timestamp>,
}

/// A page of receivables, soonest due first.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReceivableList {
    success: bool,
    data: Vec<ReceivableView>,
    /// The cursor of the next page; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

/// GET /api/balance/receivables
pub async fn list(
    State(app): State<App>,
    caller: Caller<WithdrawalsRead>,
    Query(query): Query<ListQuery>,
) -> Result<Ok200<ReceivableList>> {
    let (scope, filter) = (caller.scope, query.read()?);
    let (rows, next) =
        app.scan_for(scope.merchant, async move |tx| due(tx, scope, &filter).await).await?;
    let data = rows.iter().map(ReceivableView::new).collect();
    let next_cursor = next.as_ref().map(ListPosition::cursor);
    Ok(Ok200(ReceivableList { success: true, data, next_cursor }))
}

impl ReceivableView {
    fn new(part: &Receivable) -> Self {
        Self {
            id: part.id,
            transaction_id: part.transaction,
            installment: part.installment,
            status: if part.settled_at.is_some() { Status::Settled } else { Status::Pending },
            due_date: sao_paulo_date(part.due_at.micros()).to_string(),
            amount_cents: part.amount,
            fee_cents: part.fee,
            taken_cents: part.taken,
            net_amount: part.net(),
            pledged: part.pledge.is_some(),
            pledged_cents: part.pledged(),
            advance_id: part.pledge.map(|pledge| pledge.to),
            settled_at: part.settled_at,
        }
    }
}
