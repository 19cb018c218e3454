//! What came to the available balance since a withdrawal, in the API.

use axum::extract::State;
use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::auth::caller::Caller;
use crate::platform::error::Result;
use crate::platform::http::query::Query;
use crate::platform::http::reply::Ok200;
use crate::platform::ids::WithdrawalId;
use crate::platform::permissions::WithdrawalsRead;
use crate::statements::api::ENTRIES;
use crate::statements::since_withdrawal::{self, SinceWithdrawal};

/// What the sum is.
pub const WHAT_IS_SUMMED: &str = "Counted from the entry in which the earlier withdrawal was \
    requested, whatever became of it: money of one that failed came back since then, and is in the \
    sum.";

/// Up to where it is counted.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SinceQuery {
    /// What came between this withdrawal and the one before it. By default what came since the
    /// last withdrawal.
    pub withdrawal_id: Option<WithdrawalId>,
}

/// What came to the available balance since a withdrawal.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "BalanceSinceWithdrawal")]
pub struct SinceView {
    /// The withdrawal that it is counted from; null for the first entry of the account.
    previous_withdrawal_id: Option<WithdrawalId>,
    previous_requested_at: Option<Timestamp>,
    /// The balance right after that withdrawal was requested, in cents.
    opening_cents: Cents,
    /// What came since, less what was taken, in cents.
    sum_cents: Cents,
    /// The balance right before the withdrawal of the query, or now, in cents.
    closing_cents: Cents,
    /// The path of the list whose amounts sum to it.
    list_url: String,
}

/// A response with what came since a withdrawal.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "BalanceSinceWithdrawalResponse")]
pub struct SinceReply {
    success: bool,
    data: SinceView,
}

/// GET /api/balance/since-withdrawal
pub async fn show(
    State(app): State<App>,
    caller: Caller<WithdrawalsRead>,
    Query(SinceQuery { withdrawal_id }): Query<SinceQuery>,
) -> Result<Ok200<SinceReply>> {
    let scope = caller.scope;
    let read = async move |tx: &Tx| since_withdrawal::read(tx, scope, withdrawal_id).await;
    let since = app.read(read).await?;
    Ok(Ok200(SinceReply { success: true, data: since.into() }))
}

impl From<SinceWithdrawal> for SinceView {
    fn from(since: SinceWithdrawal) -> Self {
        let (first, next) = (since.sequences.start, since.sequences.end);
        let list_url = format!("{ENTRIES}?sequenceFrom={first}&sequenceTo={next}");
        Self {
            previous_withdrawal_id: since.previous.map(|previous| previous.id),
            previous_requested_at: since.previous.map(|previous| previous.requested_at),
            opening_cents: since.opening,
            sum_cents: since.sum,
            closing_cents: since.closing,
            list_url,
        }
    }
}
