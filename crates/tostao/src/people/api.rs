//! Registering, signing in and out.

use std::net::{IpAddr, Ipv4Addr};

use db::tx::Tx;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use axum::extract::State;

use crate::app::App;
use crate::audit::{self, Action, Actor, ActorContext, Entry};
use crate::auth::caller::SignedInCaller;
use crate::auth::tokens::{ACCESS_SECONDS, RefreshToken, TokenHolder, issue};
use crate::merchants::look::api::LookView;
use crate::merchants::{self, Merchant};
use crate::people::params::{RegisterBody, check};
use crate::people::second_step;
use crate::people::sessions::{self, RefreshOutcome};
use crate::people::sign_in::{counted, prove_password, sign_in_source};
use crate::people::{self, SignedIn};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::body::{Empty, OptionalBody, PublicBody};
use crate::platform::http::context::Context;
use crate::platform::http::device::Device;
use crate::platform::http::language::RequestLanguage;
use crate::platform::http::rate_limit::LOGIN;
use crate::platform::http::reply::{Message, Ok200};
use crate::platform::ids::{MerchantId, PersonId};
use crate::platform::member_role::MemberRole;
use crate::platform::permissions::NoPermission;
use crate::platform::role::Role;

/// The address of a command-line user.
pub const NOWHERE: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);

/// The credentials for logging in.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CreateSessionRequest")]
pub struct LoginBody {
    email: String,
    password: String,
    /// A code of the authenticator app or a backup code, for a person who has a second step. It is
    /// looked at once the password is right.
    #[serde(alias = "totp")]
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
    /// What buyers see beside the name.
    look: LookView,
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

/// An account that a person works in.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AccountMembership")]
pub struct MembershipView {
    id: MerchantId,
    name: String,
    /// The person's role in the account.
    role: MemberRole,
    /// When the person joined the account.
    since: db::time::Timestamp,
    /// Whether this is the account of the request.
    current: bool,
}

/// The accounts of a person.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AccountList")]
pub struct AccountList {
    message: &'static str,
    /// The person's own account first, then by when they joined.
    data: Vec<MembershipView>,
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
    let request = context.clone();
    let unit = async move |tx: &Tx| {
        let (code, how) = (body.code.as_deref(), (&*secrets, lang));
        let whose = (person.merchant.id, person.person.id);
        Ok(match second_step::pass(tx, how, &request, whose, code).await? {
            Ok(passed) => Ok(sessions::sign_in(tx, &by, &person, passed, &from, lang).await?),
            Err(refusal) => Err(refusal),
        })
    };
    let outcome = app.transact(unit).await?;
    let refresh = counted(&app, &context, who.merchant.id, outcome)?;
    signed_in(&app, who, &refresh, "Signed in.")
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
    Ok(Ok200(AccountReply::new(who)))
}

/// GET /api/auth/accounts
///
/// `accountId` at the sign-in chooses one of them.
pub async fn list(
    State(app): State<App>,
    caller: SignedInCaller<NoPermission>,
) -> Result<Ok200<AccountList>> {
    let (current, person) = caller.who();
    let accounts = app.read(async move |tx| people::accounts(tx, person).await).await?;
    let view = |account: people::Account| MembershipView {
        current: account.id == current,
        id: account.id,
        name: account.name,
        role: account.role,
        since: account.since,
    };
    let data = accounts.into_iter().map(view).collect();
    Ok(Ok200(AccountList { message: "Accounts.", data }))
}

/// Opens an account from the command line, with the same rules.
pub async fn open_account(
    app: &App,
    name: &str,
    email: &str,
    password: &str,
    role: Role,
) -> Result<Merchant> {
    let body = RegisterBody::of(name.to_owned(), email.to_owned(), password.to_owned());
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

impl AccountReply {
    /// Shows a person and their account.
    pub fn new(who: SignedIn) -> Self {
        let person = PersonView::of(&who);
        Self { user: who.merchant.into(), person }
    }
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
            look: merchant.look.into(),
        }
    }
}
