//! What administrators say about accounts.

use axum::extract::State;
use db::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::audit::decided::Decided;
use crate::audit::{self, Action, Entry};
use crate::auth::caller::Admin;
use crate::error::Result;
use crate::http::body::OptionalBody;
use crate::http::idempotency::{Once, Replayable};
use crate::http::path::At;
use crate::http::reply::Done;
use crate::ids::MerchantId;
use crate::registration::{unverify, verify};

/// Whether an account's owner is who they say.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct VerifyBody {
    /// `true` if not given; `false` withdraws a verification.
    verified: bool,
}

/// An account as administrators see it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VerifiedView {
    id: MerchantId,
    /// When its owner was verified; null if they are not.
    verified_at: Option<Timestamp>,
}

/// One account.
#[derive(Debug, Serialize, JsonSchema)]
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
    At(id): At<MerchantId>,
    once: Once,
    body: OptionalBody<VerifyBody>,
) -> Result<Replayable<Done<VerifiedReply>>> {
    let (verified, by) = (body.value.verified, admin.by());
    Decided::about(id, &by, app.now())?;
    app.transact_once(once.ticket(admin.scope, &body.raw), async move |tx| {
        let (message, verified_at) = if verified {
            ("Merchant verified.", Some(verify(tx, id).await?))
        } else {
            unverify(tx, id).await?;
            ("Verification withdrawn.", None)
        };
        let done = if verified { Action::MerchantVerified } else { Action::MerchantUnverified };
        audit::record(tx, &by, Entry::new(done, id)).await?;
        Ok(Done(VerifiedReply { message, data: VerifiedView { id, verified_at } }))
    })
    .await
}
