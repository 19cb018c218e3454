//! Administrators resolve card charges that an acquirer leaves undecided.

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::auth::caller::Admin;
use crate::idempotency::{IdempotencyHeader, Replayable, WEEK};
use crate::platform::error::Result;
use crate::platform::fields;
use crate::platform::http::body::Body;
use crate::platform::http::path::PathParam;
use crate::platform::http::reply::Ok200;
use crate::platform::ids::TransactionId;
use crate::transactions::charge::{self, Outcome};
use crate::transactions::status::Status;
use crate::transactions::terms::PaymentTerms;

/// What an administrator must know to resolve a charge.
pub const RULES: &str = "Ends a card charge that stays `PROCESSING` because its acquirer reports \
    no end, or captured another amount. Refund at the acquirer what it captured before. `FAILED` \
    is the only outcome: the transaction becomes `FAILED`, and no charge is resolved as paid. \
    409 in the first ten minutes, when it may still be on its way, and for a transaction that is \
    not `PROCESSING`. An administrator's own sale is another one's to decide.";

/// How a charge is resolved.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ResolveChargeRequest {
    outcome: Outcome,
    /// What the acquirer says of it, and what was done there.
    #[schemars(length(min = 1, max = 500))]
    note: String,
}

/// A charge that was resolved.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ResolvedCharge")]
pub struct ResolvedChargeView {
    transaction_id: TransactionId,
    status: Status,
    /// A stable code for the failure.
    failure_reason: Option<String>,
}

/// A response with the charge.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ResolvedChargeResponse {
    message: &'static str,
    data: ResolvedChargeView,
}

/// POST /api/admin/charges/{transactionId}/resolve
pub async fn resolve(
    State(app): State<App>,
    admin: Admin,
    PathParam(id): PathParam<TransactionId>,
    once: IdempotencyHeader<WEEK>,
    body: Body<ResolveChargeRequest>,
) -> Result<Replayable<Ok200<ResolvedChargeResponse>>> {
    let note = fields::note(&body.value.note)?;
    let (terms, by, outcome) = (PaymentTerms::of(&app), admin.by(), body.value.outcome);
    let execution = once.permitted(admin.scope, &body.raw, admin.permit());
    app.transact_once(execution, async move |tx| {
        let resolved = charge::resolve(tx, &terms, &by, id, (outcome, &note)).await?;
        let data = ResolvedChargeView {
            transaction_id: resolved.id,
            status: resolved.status,
            failure_reason: resolved.failure_reason,
        };
        Ok(Ok200(ResolvedChargeResponse { message: "Charge resolved.", data }))
    })
    .await
}
