//! Another card for a subscription.
//!
//! The card's page leads to the acquirer's, which is given the URL to return to. So the token is
//! not in that URL: it is sealed for the subscriber's browser, like the data that a buyer typed.

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::billing::actions;
use crate::checkout::card_step_pages::{
    CardConfirmForm, CardQuery, card_form, card_page_of, lead_back, lead_to, notice,
    open_expired_for_page, open_for_page, seal_for_page, with_card,
};
use crate::checkout::portal_cookie_pages::portal_path;
use crate::checkout::views::card::{CardOrder, CardPage, CardPurpose};
use crate::platform::error::{Error, Result};
use crate::platform::http::context::Context;
use crate::platform::http::device::Device;
use crate::platform::http::html::{posted, see};
use crate::platform::http::language::RequestLanguage;
use crate::platform::http::path::PagePath;
use crate::platform::http::query::Query;
use crate::platform::messages::Lang;
use crate::subscription_pages::plan_view::price_text;
use crate::subscription_pages::portal::{PortalContext, open, open_to_change};
use crate::subscription_pages::portal_pages::answer;
use crate::subscription_pages::portal_view::Flash;

const PLACE: &str = "/subscription/card";

/// The subscription whose card changes.
#[derive(Debug, Serialize, Deserialize)]
struct SubscriptionToken {
    token: String,
}

/// The query of the redirect that gives a browser its cookie.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct CookieCheck {
    cookie: String,
}

/// GET /subscription/{manageToken}/card
///
/// A card page opens only with the cookie that names the browser, so one that does not keep it is
/// led back.
pub async fn begin(
    State(app): State<App>,
    device: Device,
    PagePath(token): PagePath<String>,
    Query(CookieCheck { cookie }): Query<CookieCheck>,
) -> Result<Response> {
    let own = open(&app, &token).await?;
    if own.subscription.expect_alive().is_err() {
        return Ok(see(&own.place()));
    }
    let fresh = app.database.sources().random();
    let Some(named) = device.remember(fresh, app.urls.checkout()) else {
        return Ok(lead_to(&app, &device, PLACE, &SubscriptionToken { token }));
    };
    if !cookie.is_empty() {
        return Ok(lead_back(&own.place()));
    }
    let mut response = see(&format!("{}/card?cookie=set", own.place()));
    response.headers_mut().extend([named]);
    Ok(response)
}

/// GET /subscription/card
pub async fn show(
    State(app): State<App>,
    language: RequestLanguage,
    device: Device,
    Query(query): Query<CardQuery>,
) -> Result<Response> {
    let Some(token) = token_in(&app, &device, &query.state) else {
        return lost(&app, &device, &query.state);
    };
    let own = open(&app, &token).await?;
    if own.subscription.expect_alive().is_err() {
        return Ok(see(&own.place()));
    }
    let page = page(&app, &device, language.lang, &own, &query.wrong)?;
    let page = with_card(&app, own.scope.mode, page, query.card_token).await?;
    card_page_of(&page, StatusCode::OK, language)
}

/// POST /subscription/card
pub async fn keep(
    State(app): State<App>,
    language: RequestLanguage,
    Context(context): Context,
    device: Device,
    request: Request,
) -> Result<Response> {
    let CardConfirmForm { state, card_token, .. } = posted(request).await?;
    let Some(token) = token_in(&app, &device, &state) else {
        return lost(&app, &device, &state);
    };
    let own = open_to_change(&app, &context, &token).await?;
    let (scope, id) = (own.scope, own.subscription.id);
    let kept = actions::change_card(&app, scope, id, &card_token).await;
    let problem = kept.as_ref().err().and_then(|error| notice(language.lang, error));
    if let Some((status, notice)) = problem {
        let page = page(&app, &device, language.lang, &own, "")?;
        return card_page_of(&CardPage { notice: Some(notice), ..page }, status, language);
    }
    answer(&app, language, &own, kept, Flash::Card).await
}

/// The token that was sealed for this browser, and has not expired.
fn token_in(app: &App, device: &Device, state: &str) -> Option<String> {
    let opened = open_for_page::<SubscriptionToken>(app, device, PLACE, state);
    opened.map(|opened| opened.token)
}

/// Leads back to the subscription in the browser that it was sealed for, and nowhere in another.
fn lost(app: &App, device: &Device, state: &str) -> Result<Response> {
    let expired = open_expired_for_page::<SubscriptionToken>(app, device, PLACE, state);
    let SubscriptionToken { token } = expired.ok_or(Error::NotFound("Subscription"))?;
    Ok(lead_back(&portal_path(&token)))
}

fn page(
    app: &App,
    device: &Device,
    lang: Lang,
    own: &PortalContext,
    wrong: &str,
) -> Result<CardPage> {
    let subscription = &own.subscription;
    let sealed = SubscriptionToken { token: own.token.clone() };
    let state = seal_for_page(app, device, PLACE, &sealed);
    Ok(CardPage {
        lang,
        test_mode: own.scope.mode.is_development(),
        merchant: own.merchant.clone(),
        language_url: format!("{PLACE}?state={state}&lang={}", lang.other().tag()),
        place: PLACE.to_owned(),
        order: CardOrder {
            goal: CardPurpose::Keep,
            title: subscription.plan_name.clone(),
            amount: price_text(lang, subscription.price, subscription.interval),
            parts: None,
            others: Vec::new(),
        },
        state,
        notice: None,
        step: card_form(app, own.scope.mode, lang, wrong)?,
    })
}
