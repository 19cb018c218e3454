//! Verification of accounts by administrators.

use axum::extract::State;
use db::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::audit::decision::Decision;
use crate::audit::{self, Action, Entry};
use crate::auth::caller::Admin;
use crate::idempotency::{IdempotencyHeader, Replayable};
use crate::platform::error::Result;
use crate::platform::http::body::OptionalBody;
use crate::platform::http::path::PathParam;
use crate::platform::http::reply::Ok200;
use crate::platform::ids::MerchantId;
use crate::registration::{unverify, verify};

/// Whether the merchant's identity is verified.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(rename = "UpdateMerchantVerificationRequest")]
pub struct VerifyBody {
    /// Whether the merchant is verified. Defaults to true.
    verified: bool,
}

/// The verification of a merchant.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "MerchantVerification")]
pub struct VerifiedView {
    id: MerchantId,
    /// When the merchant was verified; null if not verified.
    verified_at: Option<Timestamp>,
}

/// A response with the merchant's verification.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MerchantVerificationResponse")]
pub struct VerifiedReply {
    message: &'static str,
    data: VerifiedView,
}

impl Default for VerifyBody {
    fn default() -> Self {
        Self { verified: true }
    }
}

/// POST /api/admin/merchants/{id}/verify
pub async fn verify_merchant(
    State(app): State<App>,
    admin: Admin,
    PathParam(id): PathParam<MerchantId>,
    once: IdempotencyHeader,
    body: OptionalBody<VerifyBody>,
) -> Result<Replayable<Ok200<VerifiedReply>>> {
    let (verified, by) = (body.value.verified, admin.by());
    Decision::about(id, &by, app.now())?;
    let execution = once.permitted(admin.scope, &body.raw, admin.permit());
    app.transact_once(execution, async move |tx| {
        let (message, verified_at) = if verified {
            ("Merchant verified.", Some(verify(tx, id).await?))
        } else {
            unverify(tx, id).await?;
            ("Verification withdrawn.", None)
        };
        let done = if verified { Action::MerchantVerified } else { Action::MerchantUnverified };
        audit::record(tx, &by, Entry::new(done, id)).await?;
        Ok(Ok200(VerifiedReply { message, data: VerifiedView { id, verified_at } }))
    })
    .await
}
