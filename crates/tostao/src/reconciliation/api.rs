//! The verification of a merchant's ledger.

use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::auth::caller::Caller;
use crate::platform::error::Result;
use crate::platform::http::context::Context;
use crate::platform::http::rate_limit::HEAVY;
use crate::platform::http::reply::Ok200;
use crate::platform::permissions::WithdrawalsRead;
use crate::reconciliation::{self, LedgerVerification, proofs};

/// A response with the result of a ledger verification.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LedgerVerificationResponse")]
pub struct VerifyReply {
    /// Whether the ledger is consistent with itself and with the stored records, and all of it was
    /// verified.
    success: bool,
    data: LedgerVerification,
}

/// GET /api/ledger/verify
///
/// Recomputes every balance and every hash from the transfers, and compares the books with
/// payments, refunds, disputes, withdrawals, receivables, advances, commissions and rewards. Of
/// books that are too large for a request, it verifies what followed the last proof; a job verifies
/// all of them, and the response says how far it is.
pub async fn verify(
    State(app): State<App>,
    Context(context): Context,
    caller: Caller<WithdrawalsRead>,
) -> Result<Ok200<VerifyReply>> {
    let scope = caller.scope;
    app.check_rate_limit(&context, &HEAVY, scope)?;
    let data = app
        .scan_for(scope.merchant, async move |tx| reconciliation::verify_bounded(tx, scope).await)
        .await?;
    if !data.complete {
        proofs::jobs::begin(&app, scope).await?;
    }
    Ok(Ok200(VerifyReply { success: data.is_sound(), data }))
}
