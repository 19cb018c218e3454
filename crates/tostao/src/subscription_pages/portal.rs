//! The subscription that a token in a URL opens.

use crate::app::App;
use crate::checkout::api::limit_checkout;
use crate::checkout::pages::seller;
use crate::checkout::portal_cookie_pages;
use crate::merchants;
use crate::merchants::look::SellerProfile;
use crate::platform::error::{Error, Result};
use crate::platform::http::context::RequestContext;
use crate::platform::ids::Scope;
use crate::subscriptions::{Subscription, find, manage_token};
use crate::transactions::status_token::GOOD_AFTER_END;

/// A subscription with the other data of its pages.
pub struct PortalContext {
    pub scope: Scope,
    pub subscription: Subscription,
    pub merchant: SellerProfile,
    pub token: String,
}

/// Opens a subscription; not found for a token that we did not issue, or whose subscription ended
/// long ago.
pub async fn open(app: &App, token: &str) -> Result<PortalContext> {
    let unknown = || Error::NotFound("Subscription");
    let named = manage_token::read(&app.secrets, token).ok_or_else(unknown)?;
    let found = app.read(async move |tx| {
        let scope = merchants::scope(tx, named.merchant, named.mode).await?;
        Ok((scope, find(tx, scope, named.id).await?))
    });
    let (scope, subscription) = found.await?;
    let now = scope.at(app.now());
    if subscription.ended_at.is_some_and(|ended_at| now.since(ended_at) > GOOD_AFTER_END) {
        return Err(unknown());
    }
    let merchant = seller(app, scope).await?;
    Ok(PortalContext { scope, subscription, merchant, token: token.to_owned() })
}

/// Opens it for a change, with a rate limit.
pub async fn open_to_change(
    app: &App,
    context: &RequestContext,
    token: &str,
) -> Result<PortalContext> {
    let own = open(app, token).await?;
    limit_checkout(app, context, own.scope, own.subscription.id)?;
    Ok(own)
}

impl PortalContext {
    /// The URL of its page.
    pub fn place(&self) -> String {
        portal_cookie_pages::portal_path(&self.token)
    }
}
