//! Administrators end card charges that an acquirer leaves undecided.

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
use crate::transactions::charge::give_up;
use crate::transactions::status::Status;
use crate::transactions::terms::PaymentTerms;

/// Why a charge is ended.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct EndChargeRequest {
    /// What the acquirer says of it, and what was done there.
    #[schemars(length(min = 1, max = 500))]
    note: String,
}

/// A charge that was ended.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "EndedCharge")]
pub struct EndedChargeView {
    transaction_id: TransactionId,
    status: Status,
    /// A stable code for the failure.
    failure_reason: Option<String>,
}

/// A response with the charge.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EndedChargeResponse {
    message: &'static str,
    data: EndedChargeView,
}

/// POST /api/admin/charges/{transactionId}/end
pub async fn end(
    State(app): State<App>,
    admin: Admin,
    PathParam(id): PathParam<TransactionId>,
    once: IdempotencyHeader<WEEK>,
    body: Body<EndChargeRequest>,
) -> Result<Replayable<Ok200<EndedChargeResponse>>> {
    let note = fields::note(&body.value.note).map_err(|fault| fault.of("note"))?;
    let (terms, by) = (PaymentTerms::of(&app), admin.by());
    app.transact_once(once.key(admin.scope, &body.raw), async move |tx| {
        let failed = give_up(tx, &terms, &by, id, &note).await?;
        let data = EndedChargeView {
            transaction_id: failed.id,
            status: failed.status,
            failure_reason: failed.failure_reason,
        };
        Ok(Ok200(EndedChargeResponse { message: "Charge ended.", data }))
    })
    .await
}
