//! Changing the password, and listing and ending sessions.

use axum::extract::State;
use db::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::auth::caller::Owner;
use crate::auth::passwords;
use crate::merchants::api::{prove_password, sign_in_source};
use crate::merchants::{self, Merchant, SessionRecord};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::body::Body;
use crate::platform::http::client_ip::network;
use crate::platform::http::context::{Context, RequestContext};
use crate::platform::http::device::Device;
use crate::platform::http::path::PathParam;
use crate::platform::http::reply::{Message, Ok200};
use crate::platform::ids::SessionId;

/// The current and the new password.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ChangePasswordRequest")]
pub struct PasswordBody {
    /// The current password. A wrong password counts as a failed sign-in attempt.
    current_password: String,
    /// A password of 8 to 128 characters that is not blank and not among the most common passwords.
    #[schemars(length(min = 8, max = 128))]
    new_password: String,
}

/// The confirmation of the new password.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ChangePasswordResponse")]
pub struct PasswordReply {
    message: &'static str,
    /// The new refresh token of this session; using an earlier one revokes the session.
    refresh_token: String,
}

/// An active session.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Session")]
pub struct SessionView {
    id: SessionId,
    /// The network of the sign-in: an IPv4 address, or the /64 network of an IPv6 address. Null if
    /// it was not recorded.
    network: Option<String>,
    created_at: Timestamp,
    /// When the session was created or last refreshed.
    last_used_at: Timestamp,
    /// When the session expires unless refreshed.
    expires_at: Timestamp,
    /// Whether this is the session of the request.
    current: bool,
}

/// The sessions of an account.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SessionList {
    message: &'static str,
    /// The sessions, newest first, at most 100.
    data: Vec<SessionView>,
}

/// POST /api/auth/password
pub async fn change_password(
    State(app): State<App>,
    Context(context): Context,
    device: Device,
    owner: Owner,
    Body { value: body, .. }: Body<PasswordBody>,
) -> Result<Ok200<PasswordReply>> {
    passwords::check(&body.new_password).map_err(|fault| fault.of("newPassword"))?;
    let proved = prove_own_password(&app, &context, &device, &owner, body.current_password).await?;
    let salt = app.database.sources().random();
    let address = network(context.client_ip);
    let hash = app.passwords.hash(address, body.new_password, salt).await?;
    let (session, by) = (owner.session, owner.by());
    let unit =
        async move |tx: &_| merchants::change_password(tx, &by, &proved, &hash, session).await;
    let refresh_token = app.transact(unit).await?.expose();
    let message = "Password changed. All other sessions have ended.";
    Ok(Ok200(PasswordReply { message, refresh_token }))
}

/// Verifies the password of the session's account; a wrong one counts as an attempt to sign in.
pub async fn prove_own_password(
    app: &App,
    context: &RequestContext,
    device: &Device,
    owner: &Owner,
    password: String,
) -> Result<Merchant> {
    let id = owner.scope.merchant;
    let merchant = app.read(async move |tx| merchants::find(tx, id).await).await?;
    let from = sign_in_source(context, device);
    let proved = prove_password(app, context, &from, &merchant.email, password).await?;
    // The account may have been closed meanwhile, and its email may belong to another one.
    if proved.id == id { Ok(proved) } else { Err(Error::Unauthenticated(ErrorCode::Unauthorized)) }
}

/// GET /api/auth/sessions
pub async fn list(State(app): State<App>, owner: Owner) -> Result<Ok200<SessionList>> {
    let id = owner.scope.merchant;
    let sessions = app.read(async move |tx| merchants::sessions(tx, id).await).await?;
    let data = sessions.into_iter().map(|session| view(session, owner.session)).collect();
    Ok(Ok200(SessionList { message: "Sessions.", data }))
}

/// DELETE /api/auth/sessions/{id}
pub async fn end(
    State(app): State<App>,
    owner: Owner,
    PathParam(id): PathParam<SessionId>,
) -> Result<Ok200<Message>> {
    let (merchant, by) = (owner.scope.merchant, owner.by());
    app.transact(async move |tx| merchants::end_session(tx, &by, merchant, id).await).await?;
    Ok(Ok200(Message { message: "Session ended." }))
}

/// DELETE /api/auth/sessions
pub async fn end_others(State(app): State<App>, owner: Owner) -> Result<Ok200<Message>> {
    let (merchant, session, by) = (owner.scope.merchant, owner.session, owner.by());
    app.transact(async move |tx| merchants::end_other_sessions(tx, &by, merchant, session).await)
        .await?;
    Ok(Ok200(Message { message: "All other sessions have ended." }))
}

fn view(session: SessionRecord, current: SessionId) -> SessionView {
    SessionView {
        current: session.id == current,
        id: session.id,
        network: session.network,
        created_at: session.created_at,
        last_used_at: session.used_at,
        expires_at: session.expires_at,
    }
}
