//! Extracts a visitor's earlier clicks from their cookie, and sets the cookie for a new one.

use std::net::IpAddr;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use db::hex::hex;
use http::{HeaderMap, HeaderName, HeaderValue, header};

use crate::affiliates::attribution::{AttributionBasis, AttributionCandidates};
use crate::affiliates::clicks::cookie::{self, CookieContent};
use crate::affiliates::clicks::{Click, find_click, record};
use crate::affiliates::links::code;
use crate::app::App;
use crate::platform::error::{Error, Result};
use crate::platform::http::client_ip::limit_key;
use crate::platform::http::context::Context;
use crate::platform::http::device::Device;
use crate::platform::http::headers::cookies;
use crate::platform::http::rate_limit::AFFILIATE_CLICK;
use crate::platform::ids::Scope;
use crate::platform::openapi::describe::Describe;
use crate::platform::openapi::operation::Operation;
use crate::platform::secrets::{Purpose, Secrets};

const COOKIE: &str = "affiliate=";
/// The longest time for which any click may count; each program's own limit is applied at the
/// sale.
const KEPT_SECONDS: u32 = 365 * 24 * 3600;
/// Length of the keyed hash that identifies a visitor.
const NAMED: usize = 16;

/// A visitor who may have come by an affiliate's URL.
#[derive(Debug, Clone)]
pub struct Visitor {
    /// For the rate limits that count devices.
    pub device: Device,
    /// What their cookie holds, if we wrote it.
    kept: Option<CookieContent>,
    /// What their browser calls itself.
    agent: String,
    address: IpAddr,
}

impl FromRequestParts<App> for Visitor {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        let Context(context) = Context::from_request_parts(parts, app).await?;
        let address = context.client_ip;
        let Ok(device) = Device::from_request_parts(parts, app).await;
        let given = cookies(&parts.headers, COOKIE).next();
        let kept = given.and_then(|value| cookie::read(&app.secrets, value));
        let agent = text(&parts.headers, &header::USER_AGENT);
        Ok(Self { device, kept, agent, address })
    }
}

impl Describe for Visitor {
    fn describe(_: &mut Operation) {}
}

impl Visitor {
    /// The address that the visitor's browser calls from.
    pub fn address(&self) -> IpAddr {
        self.address
    }

    /// Records a visit by an affiliate's URL; returns the header that sets the cookie.
    ///
    /// The page is shown in any case, so nothing here is refused.
    pub async fn follow(
        &self,
        app: &App,
        scope: Scope,
        text: &str,
    ) -> Option<(HeaderName, HeaderValue)> {
        code::parse(text)?;
        match self.take_in(app, scope, text.to_owned()).await {
            Ok(click) => self.remember(app, click?),
            Err(error) => {
                tracing::warn!(%error, "a click on an affiliate's URL was lost");
                None
            }
        }
    }

    /// The basis of the attribution: the given code, or the stored clicks.
    pub fn attribution(&self, given: Option<&str>) -> Option<AttributionBasis> {
        self.claims(given).map(AttributionBasis::Sale)
    }

    /// The same, for a later decision.
    pub fn claims(&self, given: Option<&str>) -> Option<AttributionCandidates> {
        let kept = self.kept.as_ref().map(|kept| kept.clicks.clone());
        AttributionCandidates::new(given, kept.unwrap_or_default())
    }

    /// What their cookie holds or will hold. A visitor without one is identified by their device,
    /// else by IP address and user agent.
    fn content(&self, secrets: &Secrets) -> CookieContent {
        if let Some(kept) = &self.kept {
            return kept.clone();
        }
        let by_agent = || format!("{}\n{}", limit_key(self.address), self.agent);
        let known_by = self.device.0.clone().unwrap_or_else(by_agent);
        let name = secrets.sign(Purpose::AffiliateClicks, known_by.as_bytes());
        CookieContent { visitor: hex(&name[..NAMED]), clicks: Vec::new() }
    }

    /// Counts the click, unless one IP address sends more than people could.
    async fn take_in(&self, app: &App, scope: Scope, text: String) -> Result<Option<Click>> {
        if app.limits.check_address(&AFFILIATE_CLICK, self.address, "", app.now()).is_err() {
            return app.read(async move |tx| find_click(tx, scope, &text).await).await;
        }
        let CookieContent { visitor, .. } = self.content(&app.secrets);
        app.transact(async move |tx| record(tx, scope, &text, &visitor).await).await
    }

    fn remember(&self, app: &App, click: Click) -> Option<(HeaderName, HeaderValue)> {
        let value = cookie::write(&app.secrets, &self.content(&app.secrets).with(click));
        let secure = app.urls.checkout().starts_with("https://");
        let secure = if secure { "; Secure" } else { "" };
        let kept = format!("Max-Age={KEPT_SECONDS}; Path=/; SameSite=Lax; HttpOnly{secure}");
        let value = HeaderValue::from_str(&format!("{COOKIE}{value}; {kept}")).ok()?;
        Some((header::SET_COOKIE, value))
    }
}

fn text(headers: &HeaderMap, name: &HeaderName) -> String {
    let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    values.collect::<Vec<_>>().join(";")
}
