//! Registering, signing in and out.

use std::net::{IpAddr, Ipv4Addr};

use db::hex::hex;
use db::tx::Tx;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use axum::extract::State;

use crate::app::App;
use crate::audit::{self, Action, Actor, ActorContext, Entry};
use crate::auth::caller::SignedInCaller;
use crate::auth::passwords;
use crate::auth::tokens::{ACCESS_SECONDS, RefreshToken, TokenHolder, issue};
use crate::merchants::{self, Merchant, NewMerchant};
use crate::people::second_step;
use crate::people::second_step::api::counted;
use crate::people::sessions::{self, RefreshOutcome, SignInSource};
use crate::people::{self, SignedIn};
use crate::platform::error::{Error, ErrorCode, FieldErrors, Result};
use crate::platform::fields;
use crate::platform::http::body::{Empty, OptionalBody, PublicBody};
use crate::platform::http::client_ip::{limit_key, network};
use crate::platform::http::context::{Context, RequestContext};
use crate::platform::http::device::Device;
use crate::platform::http::language::RequestLanguage;
use crate::platform::http::rate_limit::{LOGIN, LOGIN_ACCOUNT, LOGIN_ADDRESS, Zone};
use crate::platform::http::reply::{Message, Ok200};
use crate::platform::ids::{MerchantId, PersonId};
use crate::platform::member_role::MemberRole;
use crate::platform::permissions::NoPermission;
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
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CreateSessionRequest")]
pub struct LoginBody {
    email: String,
    password: String,
    /// A code of the authenticator app or a backup code, for a person who has a second step. It is
    /// looked at once the password is right.
    code: Option<String>,
    /// The account to work in, for a person who is a member of several. Defaults to their own, or
    /// else to the one that they joined first.
    account_id: Option<MerchantId>,
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

/// The person who is signed in.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SignedInPerson")]
pub struct PersonView {
    /// The ID of the person, which for the owner who opened the account is the account's.
    id: PersonId,
    name: String,
    email: String,
    /// The person's role in the account.
    role: MemberRole,
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
    /// The account.
    user: UserView,
    person: PersonView,
}

/// A response with the account.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AccountResponse")]
pub struct AccountReply {
    /// The account.
    user: UserView,
    person: PersonView,
}

/// POST /api/auth/login
pub async fn login(
    State(app): State<App>,
    Context(context): Context,
    device: Device,
    RequestLanguage { lang, .. }: RequestLanguage,
    PublicBody { value: body, .. }: PublicBody<LoginBody>,
) -> Result<Ok200<SessionTokens>> {
    let from = sign_in_source(&context, &device);
    let typed = (body.email.as_str(), body.account_id);
    let who = prove_password(&app, &context, &from, typed, body.password).await?;
    let (person, by, secrets) = (who.clone(), who.by(&context), app.secrets.clone());
    let unit = async move |tx: &Tx| {
        let code = body.code.as_deref();
        let verified = second_step::verify(tx, &secrets, person.person.id, code).await?;
        // A wrong code is counted, so the unit is committed.
        Ok(match verified.admits() {
            Ok(passed) => Ok(sessions::sign_in(tx, &by, &person, passed, &from, lang).await?),
            Err(refusal) => Err(refusal),
        })
    };
    let outcome = app.transact(unit).await?;
    let refresh = counted(&app, &context, who.merchant.id, outcome)?;
    signed_in(&app, who, &refresh, "Signed in.")
}

/// Finds a person by email and password, in one of their accounts, and counts the attempt; a wrong
/// password is also counted for the audit log.
pub async fn prove_password(
    app: &App,
    context: &RequestContext,
    from: &SignInSource,
    (email, account): (&str, Option<MerchantId>),
    password: String,
) -> Result<SignedIn> {
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
        app.read(async move |tx| sessions::find_to_sign_in(tx, &typed, account, &wanted).await);
    let found = found.await?;
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
    let who = found.map(|found| found.who);
    let hash = who.as_ref().map(|who| who.person.password_hash.clone());
    let good = app.passwords.verify(address, password, hash).await?;
    let account = who.as_ref().map(|who| who.merchant.id);
    who.filter(|_| good).ok_or_else(|| {
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
    match app.transact(async move |tx| sessions::refresh(tx, &by, &token).await).await? {
        RefreshOutcome::Rotated(next, who) => signed_in(&app, *who, &next, "Session renewed."),
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
    caller: SignedInCaller<NoPermission>,
    _: OptionalBody<Empty>,
) -> Result<Ok200<Message>> {
    let (who, session, by) = (caller.who(), caller.session, caller.by());
    app.transact(async move |tx| sessions::sign_out(tx, &by, who, session).await).await?;
    Ok(Ok200(Message { message: "Signed out." }))
}

/// GET /api/auth/me
pub async fn me(
    State(app): State<App>,
    caller: SignedInCaller<NoPermission>,
) -> Result<Ok200<AccountReply>> {
    let (merchant, person) = caller.who();
    let found = app.read(async move |tx| {
        Ok((merchants::find(tx, merchant).await?, people::find(tx, person).await?))
    });
    let (merchant, person) = found.await?;
    let who = SignedIn { person, merchant, role: caller.role };
    let person = PersonView::of(&who);
    Ok(Ok200(AccountReply { user: who.merchant.into(), person }))
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
        let merchant = people::open(tx, &new).await?;
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

/// The tokens of a person who has just signed in or renewed their session.
pub fn signed_in(
    app: &App,
    who: SignedIn,
    refresh: &RefreshToken,
    message: &'static str,
) -> Result<Ok200<SessionTokens>> {
    let holder = TokenHolder {
        merchant: who.merchant.id,
        role: who.merchant.role,
        person: who.person.id,
        session: refresh.session,
    };
    let now = app.now();
    let jti = app.database.sources().new_id(now);
    Ok(Ok200(SessionTokens {
        message,
        access_token: issue(&app.secrets, holder, jti, now)?,
        token_type: "Bearer",
        expires_in: ACCESS_SECONDS,
        refresh_token: refresh.expose(),
        person: PersonView::of(&who),
        user: who.merchant.into(),
    }))
}

impl PersonView {
    fn of(who: &SignedIn) -> Self {
        Self {
            id: who.person.id,
            name: who.person.name.clone(),
            email: who.person.email.clone(),
            role: who.role,
        }
    }
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
