//! Changing the password, and listing and ending sessions.

use axum::extract::State;
use db::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::auth::caller::SignedInCaller;
use crate::auth::passwords;
use crate::auth::tokens::RefreshToken;
use crate::people::sessions::{self, SessionKind, SessionRecord};
use crate::people::sign_in::{prove_password, sign_in_source};
use crate::people::{self, Acting, SignedIn};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::body::Body;
use crate::platform::http::client_ip::network;
use crate::platform::http::context::{Context, RequestContext};
use crate::platform::http::device::Device;
use crate::platform::http::language::RequestLanguage;
use crate::platform::http::path::PathParam;
use crate::platform::http::reply::{Message, Ok200};
use crate::platform::ids::{MerchantId, PersonId, SessionId};
use crate::platform::messages::Lang;
use crate::platform::permissions::NoPermission;

/// The current and the new password.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ChangePasswordRequest")]
pub struct PasswordBody {
    /// The current password. A wrong password counts as a failed sign-in attempt.
    pub current_password: String,
    /// A password of 8 to 128 characters that is not blank and not among the most common passwords.
    #[schemars(length(min = 8, max = 128))]
    pub new_password: String,
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
    kind: SessionKind,
    /// The account that the session works in.
    account_id: MerchantId,
    /// The network of the sign-in: an IPv4 address, or the /64 network of an IPv6 address. Null if
    /// it was not recorded.
    network: Option<String>,
    /// What the browser of the sign-in calls itself. Null if it was not recorded.
    user_agent: Option<String>,
    /// The IP address of the sign-in. Null if it was not recorded, and for sessions of the API.
    client_address: Option<String>,
    created_at: Timestamp,
    /// When the session was created, last refreshed or, to the minute, last used by a browser.
    last_used_at: Timestamp,
    /// When the session expires unless refreshed or, by a browser, used.
    expires_at: Timestamp,
    /// Whether this is the session of the request.
    current: bool,
}

/// The sessions of a person.
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
    RequestLanguage { lang, .. }: RequestLanguage,
    caller: SignedInCaller<NoPermission>,
    Body { value: body, .. }: Body<PasswordBody>,
) -> Result<Ok200<PasswordReply>> {
    let acting = caller.acting();
    let token = ask_to_change_password(&app, (&context, &device), lang, acting, body).await?;
    let (message, refresh_token) =
        ("Password changed. All other sessions have ended.", token.expose());
    Ok(Ok200(PasswordReply { message, refresh_token }))
}

/// Changes a person's password: the way in of programs and of people.
pub async fn ask_to_change_password(
    app: &App,
    (context, device): (&RequestContext, &Device),
    lang: Lang,
    Acting { who, session, by }: Acting,
    PasswordBody { current_password, new_password }: PasswordBody,
) -> Result<RefreshToken> {
    passwords::check(&new_password).map_err(|fault| fault.of("newPassword"))?;
    let proved = prove_own_password(app, context, device, who, current_password).await?;
    let salt = app.database.sources().random();
    let hash = app.passwords.hash(network(context.client_ip), new_password, salt).await?;
    let unit = async move |tx: &_| {
        sessions::change_password(tx, &by, &proved, (&hash, lang), session).await
    };
    app.transact(unit).await
}

/// Verifies the password of the session's person; a wrong one counts as an attempt to sign in.
pub async fn prove_own_password(
    app: &App,
    context: &RequestContext,
    device: &Device,
    (merchant, id): (MerchantId, PersonId),
    password: String,
) -> Result<SignedIn> {
    let person = match app.read(async move |tx| people::find(tx, id).await).await {
        // They may have been removed since the request was let in.
        Err(Error::NotFound(_)) => return Err(Error::Unauthenticated(ErrorCode::Unauthorized)),
        found => found?,
    };
    let from = sign_in_source(context, device);
    let typed = (person.email.as_str(), Some(merchant));
    let proved = prove_password(app, context, &from, typed, password).await?;
    // The person may have been removed meanwhile, and their email may belong to another one.
    if proved.person.id == id {
        Ok(proved)
    } else {
        Err(Error::Unauthenticated(ErrorCode::Unauthorized))
    }
}

/// GET /api/auth/sessions
pub async fn list(
    State(app): State<App>,
    caller: SignedInCaller<NoPermission>,
) -> Result<Ok200<SessionList>> {
    let (_, person) = caller.who();
    let listed = app.read(async move |tx| sessions::list(tx, person).await).await?;
    let data = listed.into_iter().map(|session| view(session, caller.session)).collect();
    Ok(Ok200(SessionList { message: "Sessions.", data }))
}

/// DELETE /api/auth/sessions/{id}
pub async fn end(
    State(app): State<App>,
    caller: SignedInCaller<NoPermission>,
    PathParam(id): PathParam<SessionId>,
) -> Result<Ok200<Message>> {
    ask_to_end(&app, caller.acting(), id).await?;
    Ok(Ok200(Message { message: "Session ended." }))
}

/// Ends a session of a person: the way in of programs and of people.
pub async fn ask_to_end(app: &App, Acting { who, by, .. }: Acting, id: SessionId) -> Result<()> {
    app.transact(async move |tx| sessions::end(tx, &by, who, id).await).await
}

/// DELETE /api/auth/sessions
pub async fn end_others(
    State(app): State<App>,
    caller: SignedInCaller<NoPermission>,
) -> Result<Ok200<Message>> {
    ask_to_end_others(&app, caller.acting()).await?;
    Ok(Ok200(Message { message: "All other sessions have ended." }))
}

/// Ends all other sessions of a person: the way in of programs and of people.
pub async fn ask_to_end_others(app: &App, Acting { who, session, by }: Acting) -> Result<()> {
    app.transact(async move |tx| sessions::end_others(tx, &by, who, session).await).await
}

fn view(session: SessionRecord, current: SessionId) -> SessionView {
    SessionView {
        current: session.id == current,
        id: session.id,
        kind: session.kind,
        account_id: session.merchant,
        network: session.network,
        user_agent: session.agent,
        client_address: session.address,
        created_at: session.created_at,
        last_used_at: session.used_at,
        expires_at: session.expires_at,
    }
}
