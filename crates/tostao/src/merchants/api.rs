//! Registering, signing in and out.

use std::net::{IpAddr, Ipv4Addr};

use db::hex::hex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use axum::extract::State;

use crate::app::App;
use crate::audit::{self, Action, Actor, ActorContext, Entry};
use crate::auth::caller::Owner;
use crate::auth::passwords;
use crate::auth::tokens::{ACCESS_SECONDS, RefreshToken, issue};
use crate::merchants::{self, Merchant, NewMerchant, RefreshOutcome, SignInSource};
use crate::platform::error::{Error, ErrorCode, FieldErrors, Result};
use crate::platform::fields;
use crate::platform::http::body::{Empty, OptionalBody, PublicBody};
use crate::platform::http::client_ip::{limit_key, network};
use crate::platform::http::context::{Context, RequestContext};
use crate::platform::http::device::Device;
use crate::platform::http::rate_limit::{LOGIN, LOGIN_ACCOUNT, LOGIN_ADDRESS, Zone};
use crate::platform::http::reply::{Message, Ok200};
use crate::platform::ids::MerchantId;
use crate::platform::role::Role;
use crate::platform::secrets::sha256;

/// The address of a command-line user.
pub const NOWHERE: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);

/// The parameters of a new account.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CreateAccountRequest")]
pub struct RegisterBody {
    #[schemars(length(min = 1, max = 255))]
    name: String,
    #[schemars(email)]
    email: String,
    /// A password of 8 to 128 characters that is not blank and not among the most common passwords.
    #[schemars(length(min = 8, max = 128))]
    password: String,
    /// The CPF or CNPJ.
    document: Option<String>,
    phone: Option<String>,
    /// The referral code of another merchant; an unknown code is ignored with a warning.
    pub invite_code: Option<String>,
}

/// The credentials for logging in.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "CreateSessionRequest")]
pub struct LoginBody {
    email: String,
    password: String,
}

/// The refresh token of a session.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RefreshSessionRequest")]
pub struct RefreshBody {
    refresh_token: String,
}

/// An account.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Account")]
pub struct UserView {
    id: MerchantId,
    name: String,
    email: String,
    role: Role,
    document: Option<String>,
    phone: Option<String>,
    created_at: db::time::Timestamp,
}

/// The tokens of a session.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SessionTokens")]
pub struct SessionTokens {
    message: &'static str,
    access_token: String,
    token_type: &'static str,
    /// Seconds until the access token expires.
    expires_in: i64,
    refresh_token: String,
    user: UserView,
}

/// A response with the account.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AccountResponse")]
pub struct AccountReply {
    user: UserView,
}

/// POST /api/auth/login
pub async fn login(
    State(app): State<App>,
    Context(context): Context,
    device: Device,
    PublicBody { value: body, .. }: PublicBody<LoginBody>,
) -> Result<Ok200<SessionTokens>> {
    let from = sign_in_source(&context, &device);
    let merchant = prove_password(&app, &context, &from, &body.email, body.password).await?;
    let account = merchant.clone();
    let by = ActorContext::request(Actor::Owner(merchant.id), &context);
    let refresh =
        app.transact(async move |tx| merchants::sign_in(tx, &by, &account, &from).await).await?;
    signed_in(&app, merchant, &refresh, "Signed in.")
}

/// Finds an account by email and password, and counts the attempt; a wrong password is also
/// counted for the audit log.
pub async fn prove_password(
    app: &App,
    context: &RequestContext,
    from: &SignInSource,
    email: &str,
    password: String,
) -> Result<Merchant> {
    let (address, typed) = (network(context.client_ip), email.to_owned());
    let email = fields::spelled(email);
    let limit = |zone: &Zone, what: &str| -> Result<()> {
        let (limits, now) = (&app.limits, app.now());
        context.note_rate(limits.check_address(zone, context.client_ip, what, now)?);
        Ok(())
    };
    limit(&LOGIN_ADDRESS, "")?;
    let wanted = from.clone();
    let found =
        app.read(async move |tx| merchants::find_to_sign_in(tx, &typed, &wanted).await).await?;
    let device =
        from.device_hash.as_ref().filter(|_| found.as_ref().is_some_and(|f| f.knows_device));
    match device {
        // Others in the same network cannot use up a known device's limit.
        Some(device) => {
            let what = format!("{} {email}", hex(device));
            context.note_rate(app.limits.check(&LOGIN, &what, app.now())?);
        }
        None => limit(&LOGIN, &email)?,
    }
    if device.is_none() && !found.as_ref().is_some_and(|found| found.knows_network) {
        context.note_rate(app.limits.check(&LOGIN_ACCOUNT, &email, app.now())?);
    }
    let merchant = found.map(|found| found.merchant);
    let hash = merchant.as_ref().map(|merchant| merchant.password_hash.clone());
    let good = app.passwords.verify(address, password, hash).await?;
    let account = merchant.as_ref().map(|merchant| merchant.id);
    merchant.filter(|_| good).ok_or_else(|| {
        app.refusals.count(account, context, app.now());
        Error::Unauthenticated(ErrorCode::InvalidCredentials)
    })
}

/// The origin of a request, as far as sign-in distinguishes origins.
pub fn sign_in_source(context: &RequestContext, device: &Device) -> SignInSource {
    SignInSource { network: limit_key(context.client_ip), device_hash: device.hash() }
}

/// POST /api/auth/refresh
pub async fn refresh(
    State(app): State<App>,
    Context(context): Context,
    PublicBody { value: body, .. }: PublicBody<RefreshBody>,
) -> Result<Ok200<SessionTokens>> {
    let refused = || {
        let message = "The refresh token is no longer valid. Sign in again.";
        Error::refused(ErrorCode::Unauthorized, message)
    };
    let token = RefreshToken::parse(&body.refresh_token).ok_or_else(refused)?;
    let (address, session) = (context.client_ip, token.session.to_string());
    context.note_rate(app.limits.check_address(&LOGIN, address, &session, app.now())?);
    let by = ActorContext::request(Actor::Anonymous, &context);
    match app.transact(async move |tx| merchants::refresh(tx, &by, &token).await).await? {
        RefreshOutcome::Rotated(next, merchant) => {
            signed_in(&app, *merchant, &next, "Session renewed.")
        }
        RefreshOutcome::Reused => {
            tracing::warn!("a refresh token was used twice; its session was ended");
            Err(refused())
        }
        RefreshOutcome::Unknown => Err(refused()),
    }
}

/// POST /api/auth/logout
pub async fn logout(
    State(app): State<App>,
    owner: Owner,
    _: OptionalBody<Empty>,
) -> Result<Ok200<Message>> {
    let (merchant, session, by) = (owner.scope.merchant, owner.session, owner.by());
    app.transact(async move |tx| merchants::sign_out(tx, &by, merchant, session).await).await?;
    Ok(Ok200(Message { message: "Signed out." }))
}

/// GET /api/auth/me
pub async fn me(State(app): State<App>, owner: Owner) -> Result<Ok200<AccountReply>> {
    let id = owner.scope.merchant;
    let merchant = app.read(async move |tx| merchants::find(tx, id).await).await?;
    Ok(Ok200(AccountReply { user: merchant.into() }))
}

/// Opens an account from the command line, with the same rules.
pub async fn open_account(
    app: &App,
    name: &str,
    email: &str,
    password: &str,
    role: Role,
) -> Result<Merchant> {
    let body = RegisterBody {
        name: name.to_owned(),
        email: email.to_owned(),
        password: password.to_owned(),
        document: None,
        phone: None,
        invite_code: None,
    };
    let new = check(app, body, role, NOWHERE, None).await?;
    app.transact(async move |tx| {
        let merchant = merchants::register(tx, &new).await?;
        if role == Role::Admin {
            let entry = Entry::new(Action::AdministratorCreated, merchant.id);
            audit::record(tx, &ActorContext::command_line(), entry).await?;
        }
        Ok(merchant)
    })
    .await
}

/// Validates the opening of an account.
pub async fn check(
    app: &App,
    body: RegisterBody,
    role: Role,
    address: IpAddr,
    device: Option<&str>,
) -> Result<NewMerchant> {
    let mut wrong = FieldErrors::new();
    let name = wrong.read("name", fields::name(&body.name, 1, 255));
    let email = wrong.read("email", fields::email(&body.email));
    let document = body.document.as_deref().map(fields::document).transpose();
    let document = wrong.read("document", document);
    let phone = wrong.read("phone", body.phone.as_deref().map(fields::phone).transpose());
    wrong.read("password", passwords::check(&body.password));
    let (Some(name), Some(email), Some(document), Some(phone)) = (name, email, document, phone)
    else {
        return Err(wrong.into_error());
    };
    wrong.finish()?;
    let salt = app.database.sources().random();
    let password_hash = app.passwords.hash(address, body.password, salt).await?;
    let device_hash = device.map(|name| sha256(name.as_bytes()).to_vec());
    Ok(NewMerchant { name, email, password_hash, document, phone, role, device_hash })
}

fn signed_in(
    app: &App,
    merchant: Merchant,
    refresh: &RefreshToken,
    message: &'static str,
) -> Result<Ok200<SessionTokens>> {
    let who = (merchant.id, merchant.role, refresh.session);
    let now = app.now();
    let jti = app.database.sources().new_id(now);
    Ok(Ok200(SessionTokens {
        message,
        access_token: issue(&app.secrets, who, jti, now)?,
        token_type: "Bearer",
        expires_in: ACCESS_SECONDS,
        refresh_token: refresh.expose(),
        user: merchant.into(),
    }))
}

impl From<Merchant> for UserView {
    fn from(merchant: Merchant) -> Self {
        Self {
            id: merchant.id,
            name: merchant.name,
            email: merchant.email,
            role: merchant.role,
            document: merchant.document.map(|document| document.formatted()),
            phone: merchant.phone,
            created_at: merchant.created_at,
        }
    }
}
