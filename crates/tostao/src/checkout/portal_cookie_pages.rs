//! Links from a payment to the subscription that it pays a period of.
//!
//! Buyers show receipts to others, so a payment's URL must not open the subscription. The browser
//! that subscribed, or that opened the subscription's portal, has the token in a cookie, and only
//! there do the payment's pages link to it.

use http::{HeaderMap, HeaderName, HeaderValue, header};

use crate::app::App;
use crate::platform::http::headers::cookies;
use crate::subscriptions::manage_token;
use crate::transactions::Transaction;

const COOKIE: &str = "subscription=";

/// The page that a subscription's token opens.
pub fn portal_path(token: &str) -> String {
    format!("/subscription/{token}")
}

/// The portal of the subscription that a payment is for, if this browser has opened it before.
pub fn portal_of(app: &App, request: &HeaderMap, transaction: &Transaction) -> Option<String> {
    let period = transaction.period?;
    let token = cookies(request, COOKIE).next()?;
    let named = manage_token::read(&app.secrets, token)?;
    (named.id == period.subscription).then(|| portal_path(token))
}

/// The cookie with the token for the pages of payments.
pub fn set_cookie(app: &App, token: &str) -> Option<(HeaderName, HeaderValue)> {
    let secure = if app.urls.checkout().starts_with("https:") { "; Secure" } else { "" };
    let cookie = format!("{COOKIE}{token}; Path=/pay/; SameSite=Lax; HttpOnly{secure}");
    Some((header::SET_COOKIE, HeaderValue::from_str(&cookie).ok()?))
}
