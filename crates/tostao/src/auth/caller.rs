//! Extractors that authenticate the caller and check permissions.
//!
//! Holding a [`Caller<P>`] proves the permission `P`: there is no other way to get one, and no
//! other way for a handler to get a [`Scope`].

use std::marker::PhantomData;
use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use db::tx::Tx;
use http::{HeaderMap, header};

use crate::app::App;
use crate::audit::{Actor, ActorContext};
use crate::auth::api_key::ApiKey;
use crate::auth::elevation::{self, Elevation, Matter, NamedBy, PayeePermit, Payees};
use crate::auth::tokens;
use crate::credentials;
use crate::people::{self, Acting, Membership};
use crate::platform::error::{Error, ErrorCode, Permit, Result};
use crate::platform::http::context::{Context, KnownCaller, KnownKey, RequestContext};
use crate::platform::http::headers::{RepeatedHeader, only};
use crate::platform::http::rate_limit::AUTHENTICATED;
use crate::platform::ids::{CredentialId, MerchantId, Mode, PersonId, Scope, SessionId};
use crate::platform::masked::Documents;
use crate::platform::member_role::MemberRole;
use crate::platform::openapi::describe::Describe;
use crate::platform::openapi::operation::{Operation, Security};
use crate::platform::permissions::{
    Permission, Permissions, PersonalPermission, RequiredPermissions, RequiredPersonalPermissions,
};

const API_KEY: &str = "api-key";
const DEV_MODE: &str = "x-dev-mode";
const NO_PROOF: &str = "Send an API key or an access token as Authorization: Bearer …, or an API \
                        key as API-Key: ….";
/// Sent for every key, valid or not, so that it reveals nothing about the key.
const PERSON_ALONE: &str = "An API key cannot do this: send a member's access token, which \
                            POST /api/auth/login gives, as Authorization: Bearer ….";

/// The same at a route for administrators.
const ADMINISTRATOR_ALONE: &str = "An API key cannot do this: send an administrator's access \
                                   token, which POST /api/auth/login gives, as Authorization: \
                                   Bearer ….";

/// A caller with the permission `P`: an API key that has it, or a person whose role includes it.
#[derive(Debug)]
pub struct Caller<P> {
    pub scope: Scope,
    /// All permissions of the caller, for responses that show some fields only to some callers.
    pub permissions: Permissions,
    by: CallerIdentity,
    context: Arc<RequestContext>,
    proof: PhantomData<P>,
}

/// Who a caller is.
#[derive(Debug, Clone, Copy)]
enum CallerIdentity {
    /// A key, and whether it may withdraw yet.
    Key(KnownKey, Permit),
    Person(PersonId, MemberRole, Elevation),
}

/// The account that a valid credential belongs to, and what it may do there.
struct Authenticated {
    scope: Scope,
    permissions: Permissions,
    by: CallerIdentity,
}

/// A person with an access token whose role includes the permission `P`; an API key is not enough.
#[derive(Debug)]
pub struct SignedInCaller<P> {
    pub scope: Scope,
    pub session: SessionId,
    pub person: PersonId,
    pub role: MemberRole,
    pub elevation: Elevation,
    context: Arc<RequestContext>,
    proof: PhantomData<P>,
}

/// An administrator with an access token.
#[derive(Debug)]
pub struct Admin {
    pub scope: Scope,
    elevation: Elevation,
    context: Arc<RequestContext>,
}

/// The credential of a request.
enum RequestCredential {
    Key(ApiKey),
    Token(String),
}

impl<P: RequiredPermissions> FromRequestParts<App> for Caller<P> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        let Context(context) = Context::from_request_parts(parts, app).await?;
        let known = authenticate(app, &parts.headers, &context).await?;
        known.admit(app, &context, true)?;
        let Authenticated { scope, permissions, by } = known;
        if let Some(missing) = P::PERMISSIONS.iter().find(|needed| !permissions.contains(**needed))
        {
            return Err(match by {
                CallerIdentity::Key(..) => Error::Forbidden(*missing),
                CallerIdentity::Person(..) => Error::RoleForbidden(missing.name()),
            });
        }
        Ok(Self { scope, permissions, by, context, proof: PhantomData })
    }
}

impl<P: RequiredPersonalPermissions> FromRequestParts<App> for SignedInCaller<P> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        let (context, session, member) = person(parts, app, PERSON_ALONE).await?;
        let Membership { scope, person, role, elevation, .. } = member;
        if let Some(missing) = P::PERMISSIONS.iter().find(|needed| !role.may(**needed)) {
            return Err(Error::RoleForbidden(missing.name()));
        }
        Ok(Self { scope, session, person, role, elevation, context, proof: PhantomData })
    }
}

impl FromRequestParts<App> for Admin {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        let (context, _, member) = person(parts, app, ADMINISTRATOR_ALONE).await?;
        if !member.is_administrator() {
            let message = "Only an administrator may do this.";
            return Err(Error::refused(ErrorCode::AdminRequired, message));
        }
        Ok(Self { scope: member.scope, elevation: member.elevation, context })
    }
}

/// Notes the caller of a request that is refused before its handler, so that it is in their log; a
/// request without a valid credential is in none.
pub async fn note_caller(
    app: &App,
    headers: &HeaderMap,
    context: &Arc<RequestContext>,
) -> Result<()> {
    match authenticate(app, headers, context).await {
        Ok(known) => {
            let is_of_mode = matches!(known.by, CallerIdentity::Key(..));
            known.admit(app, context, is_of_mode)
        }
        Err(_) => Ok(()),
    }
}

/// The person whose access token a request has; an API key is refused with a message.
async fn person(
    parts: &mut Parts,
    app: &App,
    no_key: &'static str,
) -> Result<(Arc<RequestContext>, SessionId, Membership)> {
    let Context(context) = Context::from_request_parts(parts, app).await?;
    let RequestCredential::Token(token) = proof(&parts.headers)? else {
        return Err(Error::refused(ErrorCode::Unauthorized, no_key));
    };
    let (session, member) = by_token(app, &token, &parts.headers).await?;
    Authenticated::from(&member).admit(app, &context, false)?;
    Ok((context, session, member))
}

impl<P> Caller<P> {
    /// The API key that was used; `None` for a person.
    pub fn key(&self) -> Option<CredentialId> {
        match self.by {
            CallerIdentity::Key(key, _) => Some(key.id),
            CallerIdentity::Person(..) => None,
        }
    }

    /// The person; `None` for an API key.
    pub fn person(&self) -> Option<PersonId> {
        match self.by {
            CallerIdentity::Key(..) => None,
            CallerIdentity::Person(person, ..) => Some(person),
        }
    }

    /// Whether the caller is a person who may do what no key may.
    pub fn may(&self, what: PersonalPermission) -> bool {
        matches!(self.by, CallerIdentity::Person(_, role, _) if role.may(what))
    }

    /// How the caller sees the documents of buyers: keys see them whole, people as their role does.
    pub fn documents(&self) -> Documents {
        match self.by {
            CallerIdentity::Key(..) => Documents::Whole,
            CallerIdentity::Person(_, role, _) => role.documents(),
        }
    }

    /// Whether the caller is the person who opened the account.
    pub fn opened_account(&self) -> bool {
        let account = self.scope.merchant;
        matches!(self.by, CallerIdentity::Person(person, ..) if people::opened(person, account))
    }

    /// Whether the caller may do something in their mode; keys are asked for no proof, and withdraw
    /// once they are old enough.
    pub fn permit(&self, matter: fn(Mode) -> Matter) -> Permit {
        match (self.by, matter(self.scope.mode)) {
            (CallerIdentity::Person(_, _, elevation), matter) => elevation.permit(matter),
            (CallerIdentity::Key(_, withdraws), Matter::Withdrawal(_)) => withdraws,
            (CallerIdentity::Key(..), _) => Ok(()),
        }
    }

    /// Whether the caller may name the PIX key that money goes back to: as far as they may
    /// withdraw, because the key may be their own.
    pub fn permit_payee(&self) -> PayeePermit {
        match self.by {
            CallerIdentity::Person(_, _, elevation) => {
                elevation.permit_payee(self.scope.mode, &self.permissions)
            }
            CallerIdentity::Key(_, permit) => PayeePermit { permit, named_by: NamedBy::ApiKey },
        }
    }

    /// Which PIX keys the caller withdraws real money to; keys withdraw to any.
    pub fn payees(&self) -> Payees {
        match self.by {
            CallerIdentity::Person(_, _, elevation) => elevation.payees(),
            CallerIdentity::Key(..) => Payees::Any,
        }
    }

    /// The person, for the audit log; `None` for an API key, whose requests are in the request log.
    pub fn by_person(&self) -> Option<ActorContext> {
        self.person().map(|_| self.by())
    }

    /// The caller, for the audit log.
    pub fn by(&self) -> ActorContext {
        let actor = match self.by {
            CallerIdentity::Key(key, _) => Actor::Key(key.id),
            CallerIdentity::Person(person, ..) => people::actor(self.scope.merchant, person),
        };
        ActorContext::request(actor, &self.context)
    }
}

impl<P> SignedInCaller<P> {
    /// The account and the person.
    pub fn who(&self) -> (MerchantId, PersonId) {
        (self.scope.merchant, self.person)
    }

    /// Whether the person may do something, as far as their session shows who they are.
    pub fn permit(&self, matter: Matter) -> Permit {
        self.elevation.permit(matter)
    }

    /// The person in their session.
    pub fn acting(&self) -> Acting {
        Acting { who: self.who(), session: self.session, by: self.by() }
    }

    /// The caller, for the audit log.
    pub fn by(&self) -> ActorContext {
        ActorContext::request(people::actor(self.scope.merchant, self.person), &self.context)
    }
}

impl Admin {
    /// Whether the administrator may decide: one with a second step needs an elevated session.
    pub fn permit(&self) -> Permit {
        self.elevation.permit(Matter::Administration)
    }

    /// Refuses one who may not decide, where no earlier response could be sent again.
    pub fn expect_permit(&self) -> Result<()> {
        elevation::expect(self.permit())
    }

    /// The caller, for the audit log.
    pub fn by(&self) -> ActorContext {
        ActorContext::request(Actor::Administrator(self.scope.merchant), &self.context)
    }
}

impl<P: RequiredPermissions> Describe for Caller<P> {
    fn describe(operation: &mut Operation) {
        operation.security(Security::Permissions(P::PERMISSIONS));
    }
}

impl<P: RequiredPersonalPermissions> Describe for SignedInCaller<P> {
    fn describe(operation: &mut Operation) {
        operation.security(Security::Person(P::PERMISSIONS));
    }
}

impl Describe for Admin {
    fn describe(operation: &mut Operation) {
        operation.security(Security::Admin);
    }
}

/// Finds the only credential; two that differ are refused, and so is a repeated header.
fn proof(headers: &HeaderMap) -> Result<RequestCredential> {
    let text = |name: &str| only(headers, name).map_err(|RepeatedHeader| unauthorized());
    let bearer = text(header::AUTHORIZATION.as_str())?
        .map(|value| bearer(value).ok_or_else(unauthorized))
        .transpose()?;
    let given = match (text(API_KEY)?, bearer) {
        (Some(key), Some(bearer)) if key != bearer => return Err(unauthorized()),
        (Some(key), _) => {
            return ApiKey::parse(key).map(RequestCredential::Key).ok_or_else(unauthorized);
        }
        (None, Some(bearer)) => bearer,
        (None, None) => return Err(Error::refused(ErrorCode::Unauthorized, NO_PROOF)),
    };
    if ApiKey::is_meant(given) {
        ApiKey::parse(given).map(RequestCredential::Key).ok_or_else(unauthorized)
    } else {
        Ok(RequestCredential::Token(given.to_owned()))
    }
}

/// The credential after the scheme's name, which is case-insensitive.
fn bearer(value: &str) -> Option<&str> {
    let (scheme, proof) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(proof.trim())
}

/// The mode that an owner works in; any other value is refused, because the other mode is the last
/// thing that the caller wants.
fn mode(headers: &HeaderMap) -> Result<Mode> {
    let given = only(headers, DEV_MODE).map(|text| text.map(|text| text.trim().to_lowercase()));
    match given.as_ref().map(|text| text.as_deref()) {
        Ok(Some("true" | "1")) => Ok(Mode::Development),
        Ok(None | Some("false" | "0")) => Ok(Mode::Production),
        _ => Err(Error::field("X-Dev-Mode", "INVALID_VALUE", "must be true or false")),
    }
}

/// Authenticates a request by its credential.
async fn authenticate(
    app: &App,
    headers: &HeaderMap,
    context: &RequestContext,
) -> Result<Authenticated> {
    match proof(headers)? {
        RequestCredential::Key(key) => by_key(app, key, context.client_ip).await,
        RequestCredential::Token(token) => {
            let (_, member) = by_token(app, &token, headers).await?;
            Ok(Authenticated::from(&member))
        }
    }
}

impl From<&Membership> for Authenticated {
    fn from(member: &Membership) -> Self {
        Self {
            scope: member.scope,
            permissions: member.role.permissions(member.scope.mode),
            by: CallerIdentity::Person(member.person, member.role, member.elevation),
        }
    }
}

impl Authenticated {
    /// Notes the caller for the request log, and counts the request; `is_of_mode` says whether the
    /// route is about what is in the mode.
    fn admit(&self, app: &App, context: &RequestContext, is_of_mode: bool) -> Result<()> {
        context.note_caller(KnownCaller {
            merchant: self.scope.merchant,
            mode: self.scope.mode,
            key: match self.by {
                CallerIdentity::Key(key, _) => Some(key),
                CallerIdentity::Person(..) => None,
            },
            is_of_mode,
            reads_balances: self.permissions.contains(Permission::WithdrawalsRead),
            reads_customers: self.permissions.contains(Permission::CustomersRead),
        });
        app.check_rate_limit(context, &AUTHENTICATED, self.scope)
    }
}

/// Authenticates an API key.
async fn by_key(app: &App, key: ApiKey, client: IpAddr) -> Result<Authenticated> {
    let last4 = key.last4().as_bytes().try_into().unwrap_or_default();
    let found = credentials::recognize(app, key, client).await?;
    let credential = found.ok_or_else(unauthorized)?;
    let withdraws = credential.permit_to_withdraw(app.now());
    let key = KnownKey { id: credential.id, last4 };
    Ok(Authenticated {
        scope: credential.scope,
        permissions: Permissions::Of(credential.permissions),
        by: CallerIdentity::Key(key, withdraws),
    })
}

/// Authenticates an access token; returns its session and what its person is in the account.
async fn by_token(app: &App, token: &str, headers: &HeaderMap) -> Result<(SessionId, Membership)> {
    let claims = tokens::verify(&app.secrets, token, app.now())?;
    let (session, mode) = (claims.sid, mode(headers));
    // Authentication errors are reported before other errors of the request.
    let looked_at = *mode.as_ref().unwrap_or(&Mode::Production);
    let read = async move |tx: &Tx| people::membership(tx, session, looked_at).await;
    let found = app.read(read).await?;
    let person = claims.per.unwrap_or_else(|| people::owner_of(claims.sub));
    let member = found
        .filter(|member| member.scope.merchant == claims.sub && member.person == person)
        .ok_or_else(unauthorized)?;
    mode?;
    Ok((session, member))
}

fn unauthorized() -> Error {
    Error::Unauthenticated(ErrorCode::Unauthorized)
}
