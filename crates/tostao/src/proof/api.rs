//! The proof of a merchant's books.

use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::auth::caller::Caller;
use crate::auth::permissions::WithdrawalsRead;
use crate::error::Result;
use crate::http::context::Context;
use crate::http::rate_limit::HEAVY;
use crate::http::reply::Done;
use crate::proof::{self, Proof};

/// The proof of the books.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VerifyReply {
    /// Whether the books agree with themselves and with what the rows say.
    success: bool,
    data: Proof,
}

/// GET /api/ledger/verify
///
/// Recomputes every balance and every hash from the transfers, and compares the books with
/// payments, refunds, disputes, withdrawals, receivables, advances, commissions and rewards.
pub async fn verify(
    State(app): State<App>,
    Context(context): Context,
    caller: Caller<WithdrawalsRead>,
) -> Result<Done<VerifyReply>> {
    let scope = caller.scope;
    context.hold_to(&app, &HEAVY, scope)?;
    let data =
        app.scan_for(scope.merchant, async move |tx| proof::prove(tx, Some(scope)).await).await?;
    Ok(Done(VerifyReply { success: data.is_sound(), data }))
}
