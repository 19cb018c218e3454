//! Administrators resolve refunds that stay pending.

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
use crate::transactions::refunds::resolve::{self, Outcome};
use crate::transactions::refunds::view::RefundView;
use crate::transactions::terms::PaymentTerms;

/// What an administrator must know to resolve a refund.
pub const RULES: &str = "Ends a refund that stays `PENDING` because its provider reports no end, \
    as the provider's dashboard or statement says. `COMPLETED` makes it `COMPLETED` and is for \
    cards only; a bank's lists report what was made of a PIX. `FAILED` makes it `FAILED` and \
    gives the merchant the money back. It waits until the order can no longer be carried out: 70 \
    minutes after it was sent, or a day where the provider had taken it. 409 until then, for \
    `COMPLETED` of what is no card's, and for a refund that ended otherwise. An administrator's \
    own sale is another one's to decide.";

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
    let note = fields::note(&body.value.note)?;
    let (terms, by, outcome) = (PaymentTerms::of(&app), admin.by(), body.value.outcome);
    let execution = once.permitted(admin.scope, &body.raw, admin.permit());
    app.transact_once(execution, async move |tx| {
        let resolved = resolve::resolve(tx, &terms, &by, id, (outcome, &note)).await?;
        let data = RefundView::new(&resolved);
        Ok(Ok200(ResolvedRefundResponse { message: "Refund resolved.", data }))
    })
    .await
}
