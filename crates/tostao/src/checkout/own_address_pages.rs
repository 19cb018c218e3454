//! The way from a payment to the subscription that it pays a period of.
//!
//! People show receipts to others, so a payment's address must not open what it paid for. The
//! browser that subscribed, or that opened the subscription's page, carries the token in a cookie,
//! and only there do the payment's pages lead on.

use http::{HeaderMap, HeaderName, HeaderValue, header};

use crate::app::App;
use crate::subscriptions::manage_token;
use crate::transactions::Transaction;

const COOKIE: &str = "subscription=";

/// The page that a subscription's token opens.
pub fn place(token: &str) -> String {
    format!("/subscription/{token}")
}

/// The page of the subscription that a payment is for, if this browser has been there.
pub fn of(app: &App, request: &HeaderMap, transaction: &Transaction) -> Option<String> {
    let period = transaction.period?;
    let cookies = request.get(header::COOKIE)?.to_str().ok()?;
    let token = cookies.split(';').find_map(|cookie| cookie.trim().strip_prefix(COOKIE))?;
    let named = manage_token::read(&app.secrets, token)?;
    (named.subscription == period.subscription).then(|| place(token))
}

/// The header that makes a browser carry the token to the pages of payments.
pub fn remember(app: &App, token: &str) -> Option<(HeaderName, HeaderValue)> {
    let secure = if app.settings.checkout_url().starts_with("https:") { "; Secure" } else { "" };
    let cookie = format!("{COOKIE}{token}; Path=/pay/; SameSite=Lax; HttpOnly{secure}");
    Some((header::SET_COOKIE, HeaderValue::from_str(&cookie).ok()?))
}
