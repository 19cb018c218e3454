//! Opening an account through the API.

use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::people::api::UserView;
use crate::people::params::RegisterBody;
use crate::platform::error::Result;
use crate::platform::http::body::PublicBody;
use crate::platform::http::context::Context;
use crate::platform::http::device::Device;
use crate::platform::http::reply::Created;
use crate::registration;

/// The note for an invite code that does not exist.
const UNKNOWN_CODE: &str = "The invite code is unknown and was ignored.";

/// A response with the created account.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CreateAccountResponse")]
pub struct RegisterReply {
    message: &'static str,
    user: UserView,
    /// A warning about ignored input, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<&'static str>,
}

/// POST /api/auth/register
pub async fn register(
    State(app): State<App>,
    Context(context): Context,
    device: Device,
    PublicBody { value: body, .. }: PublicBody<RegisterBody>,
) -> Result<Created<RegisterReply>> {
    let (merchant, known) = registration::register(&app, &context, &device, body).await?;
    let warning = (!known).then_some(UNKNOWN_CODE);
    Ok(Created(RegisterReply { message: "Account created.", user: merchant.into(), warning }))
}
