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
use crate::auth::tokens;
use crate::merchants;
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::context::{Context, KnownCaller, KnownKey, RequestContext};
use crate::platform::http::headers::{RepeatedHeader, only};
use crate::platform::http::rate_limit::AUTHENTICATED;
use crate::platform::ids::{CredentialId, Mode, Scope, SessionId};
use crate::platform::openapi::describe::Describe;
use crate::platform::openapi::operation::{Operation, Security};
use crate::platform::permissions::{Permission, Permissions, RequiredPermissions};
use crate::platform::role::Role;

const API_KEY: &str = "api-key";
const DEV_MODE: &str = "x-dev-mode";
const NO_PROOF: &str = "Send an API key or an access token as Authorization: Bearer …, or an API \
                        key as API-Key: ….";
/// Sent for every key, valid or not, so that it reveals nothing about the key.
const OWNER_ALONE: &str = "An API key cannot do this: send the owner's access token, which \
                           POST /api/auth/login gives, as Authorization: Bearer ….";

/// The same at a route for administrators.
const ADMINISTRATOR_ALONE: &str = "An API key cannot do this: send an administrator's access \
                                   token, which POST /api/auth/login gives, as Authorization: \
                                   Bearer ….";

/// A caller with the permission `P`: an API key that has it, or the account's owner.
#[derive(Debug)]
pub struct Caller<P> {
    pub scope: Scope,
    /// All permissions of the caller, for responses that show some fields only to some callers.
    pub permissions: Permissions,
    /// The API key that was used; `None` for the owner.
    key: Option<CredentialId>,
    context: Arc<RequestContext>,
    proof: PhantomData<P>,
}

/// The account's owner with an access token; an API key is not enough.
#[derive(Debug)]
pub struct Owner {
    pub scope: Scope,
    pub session: SessionId,
    pub role: Role,
    context: Arc<RequestContext>,
}

/// An administrator with an access token.
#[derive(Debug)]
pub struct Admin {
    pub scope: Scope,
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
        let (scope, key, permissions) = match proof(&parts.headers)? {
            RequestCredential::Key(key) => {
                let (scope, key, permissions) = by_key(app, key, context.client_ip).await?;
                (scope, Some(key), permissions)
            }
            RequestCredential::Token(token) => {
                let owner = by_token(app, &token, &parts.headers, &context).await?;
                (owner.scope, None, Permissions::All)
            }
        };
        let caller = KnownCaller {
            merchant: scope.merchant,
            mode: scope.mode,
            key,
            is_of_mode: true,
            reads_balances: permissions.contains(Permission::WithdrawalsRead),
        };
        admit(app, &context, scope, caller)?;
        if let Some(missing) = P::PERMISSIONS.iter().find(|needed| !permissions.contains(**needed))
        {
            return Err(Error::Forbidden(*missing));
        }
        let key = key.map(|key| key.id);
        Ok(Self { scope, permissions, key, context, proof: PhantomData })
    }
}

impl FromRequestParts<App> for Owner {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        owner(parts, app, OWNER_ALONE).await
    }
}

impl FromRequestParts<App> for Admin {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        let owner = owner(parts, app, ADMINISTRATOR_ALONE).await?;
        if owner.role != Role::Admin {
            let message = "Only an administrator may do this.";
            return Err(Error::refused(ErrorCode::AdminRequired, message));
        }
        Ok(Self { scope: owner.scope, context: owner.context })
    }
}

/// Notes the caller of a request that is refused before its handler, so that it is in their log; a
/// request without a valid credential is in none.
pub async fn note_caller(
    app: &App,
    headers: &HeaderMap,
    context: &Arc<RequestContext>,
) -> Result<()> {
    let known = match proof(headers) {
        Ok(RequestCredential::Key(key)) => {
            let found = by_key(app, key, context.client_ip).await;
            found.map(|(scope, key, _)| (scope, Some(key)))
        }
        Ok(RequestCredential::Token(token)) => {
            by_token(app, &token, headers, context).await.map(|owner| (owner.scope, None))
        }
        Err(unproven) => Err(unproven),
    };
    let Ok((scope, key)) = known else { return Ok(()) };
    let caller = KnownCaller {
        merchant: scope.merchant,
        mode: scope.mode,
        key,
        is_of_mode: key.is_some(),
        reads_balances: false,
    };
    admit(app, context, scope, caller)
}

/// The owner whose access token a request has; an API key is refused with a message.
async fn owner(parts: &mut Parts, app: &App, no_key: &'static str) -> Result<Owner> {
    let Context(context) = Context::from_request_parts(parts, app).await?;
    let RequestCredential::Token(token) = proof(&parts.headers)? else {
        return Err(Error::refused(ErrorCode::Unauthorized, no_key));
    };
    let owner = by_token(app, &token, &parts.headers, &context).await?;
    let caller = KnownCaller {
        merchant: owner.scope.merchant,
        mode: owner.scope.mode,
        key: None,
        is_of_mode: false,
        reads_balances: true,
    };
    admit(app, &context, owner.scope, caller)?;
    Ok(owner)
}

impl<P> Caller<P> {
    /// The API key that was used; `None` for the owner.
    pub fn key(&self) -> Option<CredentialId> {
        self.key
    }

    /// The caller, for the audit log.
    pub fn by(&self) -> ActorContext {
        let actor = self.key.map_or(Actor::Owner(self.scope.merchant), Actor::Key);
        ActorContext::request(actor, &self.context)
    }
}

impl Owner {
    /// The caller, for the audit log.
    pub fn by(&self) -> ActorContext {
        ActorContext::request(Actor::Owner(self.scope.merchant), &self.context)
    }
}

impl Admin {
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

impl Describe for Owner {
    fn describe(operation: &mut Operation) {
        operation.security(Security::Owner);
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

/// Authenticates an API key; returns its scope and permissions.
async fn by_key(app: &App, key: ApiKey, client: IpAddr) -> Result<(Scope, KnownKey, Permissions)> {
    let last4 = key.last4().as_bytes().try_into().unwrap_or_default();
    let found = merchants::credentials::recognize(app, key, client).await?;
    let credential = found.ok_or_else(unauthorized)?;
    let key = KnownKey { id: credential.id, last4 };
    Ok((credential.scope, key, Permissions::Of(credential.permissions)))
}

async fn by_token(
    app: &App,
    token: &str,
    headers: &HeaderMap,
    context: &Arc<RequestContext>,
) -> Result<Owner> {
    let claims = tokens::verify(&app.secrets, token, app.now())?;
    let (session, mode) = (claims.sid, mode(headers));
    // Authentication errors are reported before other errors of the request.
    let looked_at = *mode.as_ref().unwrap_or(&Mode::Production);
    let read = async move |tx: &Tx| merchants::signed_in(tx, session, looked_at).await;
    let found = app.read(read).await?;
    let (scope, role) =
        found.filter(|(scope, _)| scope.merchant == claims.sub).ok_or_else(unauthorized)?;
    mode?;
    Ok(Owner { scope, session, role, context: context.clone() })
}

fn admit(app: &App, context: &RequestContext, scope: Scope, caller: KnownCaller) -> Result<()> {
    context.note_caller(caller);
    app.check_rate_limit(context, &AUTHENTICATED, scope)
}

fn unauthorized() -> Error {
    Error::Unauthenticated(ErrorCode::Unauthorized)
}
