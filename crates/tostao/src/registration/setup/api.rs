//! Opening the first account through the API.

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::people::api::UserView;
use crate::people::params::RegisterBody;
use crate::platform::error::Result;
use crate::platform::http::body::PublicBody;
use crate::platform::http::context::Context;
use crate::platform::http::device::Device;
use crate::platform::http::reply::Created;
use crate::registration::setup;

/// The first account of a server.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "CreateFirstAccountRequest")]
pub struct SetUpBody {
    /// The last part of the address that the server printed when it started; it is used up.
    pub token: String,
    #[schemars(length(min = 1, max = 255))]
    pub name: String,
    #[schemars(email)]
    pub email: String,
    /// A password of 8 to 128 characters that is not blank and not among the most common passwords.
    #[schemars(length(min = 8, max = 128))]
    pub password: String,
}

/// A response with the created account.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CreateFirstAccountResponse")]
pub struct SetUpReply {
    message: &'static str,
    user: UserView,
}

/// POST /api/auth/setup
pub async fn create(
    State(app): State<App>,
    Context(context): Context,
    device: Device,
    PublicBody { value: body, .. }: PublicBody<SetUpBody>,
) -> Result<Created<SetUpReply>> {
    let SetUpBody { token, name, email, password } = body;
    let body = RegisterBody::of(name, email, password);
    let merchant = setup::open(&app, &context, &device, &token, body).await?;
    Ok(Created(SetUpReply { message: "Account created.", user: merchant.into() }))
}
