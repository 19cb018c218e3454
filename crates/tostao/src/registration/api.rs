//! Opening an account through the API.

use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::people::api::{RegisterBody, UserView, check};
use crate::platform::config::Registration;
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::body::PublicBody;
use crate::platform::http::client_ip::network;
use crate::platform::http::context::Context;
use crate::platform::http::device::Device;
use crate::platform::http::rate_limit::REGISTER;
use crate::platform::http::reply::Created;
use crate::platform::role::Role;
use crate::referrals::terms::ReferralTerms;
use crate::registration::open;

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
    let address = network(context.client_ip);
    if app.settings.registration == Registration::Closed {
        let message = "Registration is closed on this server.";
        return Err(Error::refused(ErrorCode::RegistrationClosed, message));
    }
    context.note_rate(app.limits.check_address(&REGISTER, context.client_ip, "", app.now())?);
    let code = body.invite_code.clone().filter(|code| !code.trim().is_empty());
    let new = check(&app, body, Role::Merchant, address, device.0.as_deref()).await?;
    let terms = ReferralTerms::of(&app);
    let opened =
        app.transact(async move |tx| open(tx, &terms, &new, code.as_deref()).await).await?;
    let (merchant, known) = opened;
    let warning = (!known).then_some(UNKNOWN_CODE);
    Ok(Created(RegisterReply { message: "Account created.", user: merchant.into(), warning }))
}
