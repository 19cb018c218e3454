//! Administrators end refunds that stay pending.

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
use crate::platform::ids::RefundId;
use crate::transactions::refunds::decide::{self, Outcome};
use crate::transactions::refunds::view::RefundView;
use crate::transactions::terms::PaymentTerms;

/// How a refund ended.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ResolveRefundRequest {
    outcome: Outcome,
    /// Where the decision is from.
    #[schemars(length(min = 1, max = 500))]
    note: String,
}

/// A response with a refund.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ResolvedRefundResponse {
    message: &'static str,
    data: RefundView,
}

/// POST /api/admin/refunds/{id}/resolve
pub async fn resolve(
    State(app): State<App>,
    admin: Admin,
    PathParam(id): PathParam<RefundId>,
    once: IdempotencyHeader<WEEK>,
    body: Body<ResolveRefundRequest>,
) -> Result<Replayable<Ok200<ResolvedRefundResponse>>> {
    let note = fields::note(&body.value.note).map_err(|fault| fault.of("note"))?;
    let (terms, by, outcome) = (PaymentTerms::of(&app), admin.by(), body.value.outcome);
    app.transact_once(once.key(admin.scope, &body.raw), async move |tx| {
        let decided = decide::decide(tx, &terms, &by, id, (outcome, &note)).await?;
        let data = RefundView::new(&decided);
        Ok(Ok200(ResolvedRefundResponse { message: "Refund decided.", data }))
    })
    .await
}
