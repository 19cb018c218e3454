//! Who may change a subscription: a key with the permission, its owner, or its buyer.
//!
//! A buyer has no key. His proof is the `manageToken` that subscribing gave him, sent as the header
//! `X-Manage-Token` or as the field of the body; it opens this one subscription. A key is looked at
//! first, so that a wrong one is told as such.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use http::header::AUTHORIZATION;
use serde_json::json;

use crate::app::App;
use crate::auth::caller::Caller;
use crate::auth::permissions::SubscriptionsWrite;
use crate::checkout::api::hold_off;
use crate::error::{Error, Refusal, Result};
use crate::http::context::Context;
use crate::ids::{Scope, SubscriptionId};
use crate::merchants;
use crate::openapi::describe::Describe;
use crate::openapi::operation::Operation;
use crate::subscriptions::manage_token;

const HEADER: &str = "x-manage-token";
const API_KEY: &str = "api-key";
const NO_PROOF: &str = "Send an API key or an access token as Authorization: Bearer …, an API key \
                        as API-Key: …, or the subscription's token as X-Manage-Token: ….";

/// Somebody who says that he may change a subscription.
pub struct Holder {
    context: Context,
    proof: Proof,
}

enum Proof {
    Caller(Scope),
    Token(String),
    /// Perhaps the body has one.
    None,
}

impl FromRequestParts<App> for Holder {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        let context = Context::from_request_parts(parts, app).await?;
        let keyed = [AUTHORIZATION.as_str(), API_KEY];
        if keyed.iter().any(|name| parts.headers.contains_key(*name)) {
            let caller = Caller::<SubscriptionsWrite>::from_request_parts(parts, app).await?;
            return Ok(Self { context, proof: Proof::Caller(caller.scope) });
        }
        let token = parts.headers.get(HEADER).and_then(|value| value.to_str().ok());
        let proof = token.map_or(Proof::None, |token| Proof::Token(token.to_owned()));
        Ok(Self { context, proof })
    }
}

impl Describe for Holder {
    fn describe(operation: &mut Operation) {
        Caller::<SubscriptionsWrite>::describe(operation);
        let description = "The subscription's `manageToken`, instead of a key.";
        operation.header("X-Manage-Token", description, &json!({ "type": "string" }));
    }
}

impl Holder {
    /// The scope in which he may change this subscription; `sent` is the token of the body.
    pub async fn scope(&self, app: &App, id: SubscriptionId, sent: Option<&str>) -> Result<Scope> {
        let token = match (&self.proof, sent) {
            (Proof::Caller(scope), _) => return Ok(*scope),
            (Proof::Token(token), _) => token.as_str(),
            (Proof::None, Some(token)) => token,
            (Proof::None, None) => return Err(Error::refused(Refusal::Unauthorized, NO_PROOF)),
        };
        let named =
            manage_token::read(&app.secrets, token).filter(|named| named.subscription == id);
        let named = named.ok_or(Error::Unauthenticated(Refusal::Unauthorized))?;
        let scope = app
            .read(async move |tx| merchants::scope(tx, named.merchant, named.mode).await)
            .await?;
        hold_off(app, &self.context.0, scope, id)?;
        Ok(scope)
    }
}
