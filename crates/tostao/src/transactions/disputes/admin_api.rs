//! Administrators resolve disputes by what the acquirer or the bank says, where it reports no end.

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
use crate::transactions::disputes::view::DisputeView;
use crate::transactions::disputes::{self, Outcome};
use crate::transactions::terms::PaymentTerms;

/// How a dispute ended.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ResolveDisputeRequest {
    outcome: Outcome,
    /// Where the decision is from.
    #[schemars(length(min = 1, max = 500))]
    note: String,
}

/// A response with a dispute.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DisputeResponse {
    message: &'static str,
    data: DisputeView,
}

/// POST /api/admin/disputes/{transactionId}/resolve
pub async fn resolve(
    State(app): State<App>,
    admin: Admin,
    PathParam(id): PathParam<TransactionId>,
    once: IdempotencyHeader<WEEK>,
    body: Body<ResolveDisputeRequest>,
) -> Result<Replayable<Ok200<DisputeResponse>>> {
    let note = fields::note(&body.value.note)?;
    let (terms, by, outcome) = (PaymentTerms::of(&app), admin.by(), body.value.outcome);
    let execution = once.permitted(admin.scope, &body.raw, admin.permit());
    app.transact_once(execution, async move |tx| {
        let resolved = disputes::resolve(tx, &terms, &by, id, (outcome, &note)).await?;
        let data = DisputeView::new(&resolved);
        Ok(Ok200(DisputeResponse { message: "Dispute resolved.", data }))
    })
    .await
}
