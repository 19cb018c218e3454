//! The extractors that prove who is calling and what he may do.
//!
//! Holding a [`Caller<P>`] is the proof of the permission `P`: there is no other way to get one,
//! and no other way for a handler to get a [`Scope`].

use std::marker::PhantomData;
use std::net::IpAddr;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use http::{HeaderMap, header};

use crate::app::App;
use crate::auth::api_key::ApiKey;
use crate::auth::permissions::{Needs, Permission};
use crate::auth::tokens;
use crate::error::{Error, Refusal, Result};
use crate::http::context::Context;
use crate::http::rate_limit::AUTHENTICATED;
use crate::ids::{MerchantId, Mode, Scope, SessionId};
use crate::merchants::{self, Role};
use crate::openapi::describe::Describe;
use crate::openapi::operation::{Operation, Security};

const API_KEY: &str = "api-key";
const DEV_MODE: &str = "x-dev-mode";
const NO_PROOF: &str = "Send an API key or an access token as Authorization: Bearer …, or an API \
                        key as API-Key: ….";
/// Said to every key, good or not, so that it tells nothing about one.
const OWNER_ALONE: &str = "An API key cannot do this: send the owner's access token, which \
                           POST /api/auth/login gives, as Authorization: Bearer ….";

/// Somebody with the permission `P`: an API key that has it, or the owner himself.
#[derive(Debug)]
pub struct Caller<P> {
    pub scope: Scope,
    proof: PhantomData<P>,
}

/// The owner, signed in; a key is not enough.
#[derive(Debug)]
pub struct Owner {
    pub scope: Scope,
    pub session: SessionId,
    pub role: Role,
}

/// An administrator, signed in.
#[derive(Debug)]
pub struct Admin {
    pub scope: Scope,
}

/// What the request carries to prove itself.
enum Proof {
    Key(ApiKey),
    Token(String),
}

impl<P: Needs> FromRequestParts<App> for Caller<P> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        let Context(context) = Context::from_request_parts(parts, app).await?;
        let (scope, missing) = match proof(&parts.headers)? {
            Proof::Key(key) => by_key(app, key, context.client_ip, P::PERMISSIONS).await?,
            Proof::Token(token) => (by_token(app, &token, &parts.headers).await?.scope, None),
        };
        admit(app, &context, scope.merchant)?;
        if let Some(missing) = missing {
            return Err(Error::Forbidden(missing));
        }
        Ok(Self { scope, proof: PhantomData })
    }
}

impl FromRequestParts<App> for Owner {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        let Context(context) = Context::from_request_parts(parts, app).await?;
        let Proof::Token(token) = proof(&parts.headers)? else {
            return Err(Error::refused(Refusal::Unauthorized, OWNER_ALONE));
        };
        let owner = by_token(app, &token, &parts.headers).await?;
        admit(app, &context, owner.scope.merchant)?;
        Ok(owner)
    }
}

impl FromRequestParts<App> for Admin {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        let owner = Owner::from_request_parts(parts, app).await?;
        if owner.role != Role::Admin {
            let message = "Only an administrator may do this.";
            return Err(Error::refused(Refusal::AdminRequired, message));
        }
        Ok(Self { scope: owner.scope })
    }
}

impl<P: Needs> Describe for Caller<P> {
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

/// Finds the one proof; two that differ are none.
fn proof(headers: &HeaderMap) -> Result<Proof> {
    let text = |name: &str| match headers.get(name) {
        None => Ok(None),
        Some(value) => value.to_str().map(Some).map_err(|_| unauthorized()),
    };
    let bearer = text(header::AUTHORIZATION.as_str())?
        .map(|value| value.strip_prefix("Bearer ").map(str::trim).ok_or_else(unauthorized))
        .transpose()?;
    let given = match (text(API_KEY)?, bearer) {
        (Some(key), Some(bearer)) if key != bearer => return Err(unauthorized()),
        (Some(key), _) => return ApiKey::parse(key).map(Proof::Key).ok_or_else(unauthorized),
        (None, Some(bearer)) => bearer,
        (None, None) => return Err(Error::refused(Refusal::Unauthorized, NO_PROOF)),
    };
    if ApiKey::is_meant(given) {
        ApiKey::parse(given).map(Proof::Key).ok_or_else(unauthorized)
    } else {
        Ok(Proof::Token(given.to_owned()))
    }
}

/// Recognises a key; tells the first permission that it lacks, if it lacks one.
async fn by_key(
    app: &App,
    key: ApiKey,
    client: IpAddr,
    needed: &[Permission],
) -> Result<(Scope, Option<Permission>)> {
    let found = merchants::credentials::recognise(app, key, client).await?;
    let credential = found.ok_or_else(unauthorized)?;
    let lacks = |permission: &&Permission| !credential.permissions.contains(permission);
    Ok((credential.scope, needed.iter().find(lacks).copied()))
}

async fn by_token(app: &App, token: &str, headers: &HeaderMap) -> Result<Owner> {
    let claims = tokens::read(&app.secrets, token, app.now())?;
    let development = headers.get(DEV_MODE).is_some_and(|value| value == "true");
    let mode = if development { Mode::Development } else { Mode::Production };
    let session = claims.sid;
    let found = app.read(async move |tx| merchants::signed_in(tx, session, mode).await).await?;
    let (scope, role) =
        found.filter(|(scope, _)| scope.merchant == claims.sub).ok_or_else(unauthorized)?;
    Ok(Owner { scope, session, role })
}

fn admit(
    app: &App,
    context: &crate::http::context::RequestContext,
    merchant: MerchantId,
) -> Result<()> {
    context.note_merchant(merchant);
    let rate = app.limits.check(&AUTHENTICATED, &merchant.to_string(), app.now())?;
    context.note_rate(rate);
    Ok(())
}

fn unauthorized() -> Error {
    Error::Unauthenticated(Refusal::Unauthorized)
}
