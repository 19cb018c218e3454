//! Authorizes changes of a subscription: a key with the permission, its owner, or its buyer.
//!
//! A buyer has no API key. Their credential is the `manageToken` from the subscription's creation,
//! sent as the header `X-Manage-Token` or as the field of the body; it opens this one subscription.
//! A key is checked first, so that a wrong one is reported as such; two credentials count as none.
//!
//! The body is read before the sender is authenticated, because the credential may be in it. Other
//! errors in it are reported only after authentication.

use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use bytes::Bytes;
use http::header::AUTHORIZATION;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::app::App;
use crate::auth::caller::Caller;
use crate::checkout::api::limit_checkout;
use crate::idempotency::{IdempotencyHeader, IdempotencyKey};
use crate::merchants;
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::body::{BODY_BYTES_MAX, expect_json, parse, read};
use crate::platform::http::context::Context;
use crate::platform::http::headers::{RepeatedHeader, only};
use crate::platform::ids::{Scope, SubscriptionId};
use crate::platform::openapi::describe::Describe;
use crate::platform::openapi::operation::Operation;
use crate::platform::permissions::SubscriptionsWrite;
use crate::subscriptions::manage_token;

const HEADER: &str = "x-manage-token";
const API_KEY: &str = "api-key";
const NO_CREDENTIALS: &str = "Send an API key or an access token as Authorization: Bearer …, an \
                              API key as API-Key: …, or the subscription's token as \
                              X-Manage-Token: ….";

/// A request that claims to be allowed to change a subscription.
pub struct SubscriptionCredential {
    context: Context,
    credential: Credential,
}

enum Credential {
    Caller(Scope),
    Token(String),
    /// The body may have one.
    None,
}

/// An authorized request to change a subscription.
pub struct SubscriptionAccess {
    pub scope: Scope,
    /// The subscription, if the sender is its buyer.
    buyer_of: Option<SubscriptionId>,
}

/// A body that may hold a buyer's token; unless `REQUIRED`, it may be omitted.
pub struct BodyWithManageToken<T, const REQUIRED: bool = false> {
    /// The buyer's token, which can be read in a body of any shape.
    pub manage_token: Option<String>,
    /// The parsed body; its error is reported only to authorized senders.
    pub value: Result<T>,
    pub raw: Bytes,
}

impl FromRequestParts<App> for SubscriptionCredential {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        let context = Context::from_request_parts(parts, app).await?;
        let keyed = [AUTHORIZATION.as_str(), API_KEY];
        let token = only(&parts.headers, HEADER).map_err(|RepeatedHeader| unauthorized())?;
        let token = token.map(str::to_owned);
        if keyed.iter().any(|name| parts.headers.contains_key(*name)) {
            let caller = Caller::<SubscriptionsWrite>::from_request_parts(parts, app).await?;
            if token.is_some() {
                return Err(unauthorized());
            }
            return Ok(Self { context, credential: Credential::Caller(caller.scope) });
        }
        Ok(Self { context, credential: token.map_or(Credential::None, Credential::Token) })
    }
}

impl<T, const REQUIRED: bool> FromRequest<App> for BodyWithManageToken<T, REQUIRED>
where
    T: DeserializeOwned + Default,
{
    type Rejection = Error;

    async fn from_request(request: Request, _: &App) -> Result<Self> {
        let kind = expect_json(request.headers());
        let raw = read(request, BODY_BYTES_MAX).await?;
        if raw.is_empty() && !REQUIRED {
            return Ok(Self { manage_token: None, value: Ok(T::default()), raw });
        }
        let body = kind.is_ok().then(|| serde_json::from_slice::<Value>(&raw).ok()).flatten();
        let manage_token = body.and_then(|body| body["manageToken"].as_str().map(str::to_owned));
        Ok(Self { manage_token, value: kind.and_then(|()| parse(&raw)), raw })
    }
}

impl<T: JsonSchema, const REQUIRED: bool> Describe for BodyWithManageToken<T, REQUIRED> {
    fn describe(operation: &mut Operation) {
        operation.body::<T>(REQUIRED);
    }
}

impl Describe for SubscriptionCredential {
    fn describe(operation: &mut Operation) {
        Caller::<SubscriptionsWrite>::describe(operation);
        let description = "The subscription's `manageToken`, instead of an API key.";
        operation.header("X-Manage-Token", description, &json!({ "type": "string" }));
    }
}

impl SubscriptionAccess {
    /// Combines the idempotency key of a request with its sender.
    pub fn key<const DAYS: u32>(
        &self,
        once: &IdempotencyHeader<DAYS>,
        body: &Bytes,
    ) -> Option<IdempotencyKey> {
        match self.buyer_of {
            Some(subscription) => once.key_of_holder(self.scope, subscription.0, body),
            None => once.key(self.scope, body),
        }
    }
}

impl SubscriptionCredential {
    /// Authorizes a change of this subscription; `sent` is the token of the body.
    pub async fn authorize(
        &self,
        app: &App,
        id: SubscriptionId,
        sent: Option<&str>,
    ) -> Result<SubscriptionAccess> {
        let token = match (&self.credential, sent) {
            (Credential::Caller(scope), None) => {
                return Ok(SubscriptionAccess { scope: *scope, buyer_of: None });
            }
            (Credential::Caller(_), Some(_)) => return Err(unauthorized()),
            (Credential::Token(token), Some(sent)) if token != sent => return Err(unauthorized()),
            (Credential::Token(token), _) => token.as_str(),
            (Credential::None, Some(token)) => token,
            (Credential::None, None) => {
                return Err(Error::refused(ErrorCode::Unauthorized, NO_CREDENTIALS));
            }
        };
        let named = manage_token::read(&app.secrets, token).filter(|named| named.id == id);
        let named = named.ok_or_else(unauthorized)?;
        let scope = app
            .read(async move |tx| merchants::scope(tx, named.merchant, named.mode).await)
            .await?;
        limit_checkout(app, &self.context.0, scope, id)?;
        Ok(SubscriptionAccess { scope, buyer_of: Some(id) })
    }
}

fn unauthorized() -> Error {
    Error::Unauthenticated(ErrorCode::Unauthorized)
}
