//! A plan's page: what it offers, and the form to subscribe.

use axum::extract::{Request, State};
use axum::response::Response;
use db::hex::hex;
use http::{HeaderName, HeaderValue, StatusCode};
use serde::Deserialize;

use crate::affiliates::clicks::visitor_api::Visitor;
use crate::app::App;
use crate::billing::checkout::RequestedMethod;
use crate::checkout::api::limit_checkout;
use crate::checkout::card_step_pages::lead_to;
use crate::checkout::closed_pages::closed;
use crate::checkout::coupon_api;
use crate::checkout::form::{FormFields, METHOD};
use crate::checkout::form_error_pages::FormErrors;
use crate::checkout::order_summary::expect_provider;
use crate::checkout::prefilled;
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::context::{Context, RequestContext};
use crate::platform::http::device::Device;
use crate::platform::http::html::{page_of, posted_to_correct};
use crate::platform::http::language::RequestLanguage;
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::ids::PlanId;
use crate::subscribing::card_pages::{Sealed, path};
use crate::subscribing::offer::{PlanPageData, find, methods, offer};
use crate::subscribing::plan_view::plan_page;
use crate::subscribing::signup_pages::Signup;
use crate::transactions::PaymentMethod;

/// The query parameters of the page.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct PageParams {
    coupon: String,
    /// The affiliate's code.
    aff: String,
    /// What the page says above its form.
    notice: String,
}

/// GET /subscribe/{planId}
pub async fn show(
    State(app): State<App>,
    language: RequestLanguage,
    Context(context): Context,
    visitor: Visitor,
    PathParam(id): PathParam<PlanId>,
    Query(PageParams { coupon, aff, notice }): Query<PageParams>,
) -> Result<Response> {
    let found = find(&app, id).await?;
    let kept = follow(&app, &found, &visitor, &aff).await;
    let attempt = hex(&app.database.sources().random::<16>());
    let posted = FormFields { attempt, coupon, ..FormFields::default() };
    let signup = Signup { posted, aff };
    let mut response = if signup.posted.coupon().is_some() {
        try_coupon(&app, &context, &visitor.device, language, &found, &signup).await?
    } else {
        draw(&app, language, &found, &signup, &FormErrors::none(&notice)).await?
    };
    response.headers_mut().extend(kept);
    response.headers_mut().extend(visitor.device.remember(app.database.sources().random()));
    Ok(response)
}

/// POST /subscribe/{planId}
pub async fn start(
    State(app): State<App>,
    language: RequestLanguage,
    Context(context): Context,
    visitor: Visitor,
    PathParam(id): PathParam<PlanId>,
    request: Request,
) -> Result<Response> {
    let signup: Signup = posted_to_correct(request, &FormFields::SHOWN).await?;
    let posted = prefilled::restore(&app, &id.to_string(), signup.posted);
    let signup = Signup { posted, ..signup };
    let found = find(&app, id).await?;
    if !signup.posted.apply.is_empty() {
        return try_coupon(&app, &context, &visitor.device, language, &found, &signup).await;
    }
    limit_checkout(&app, &context, found.scope, id)?;
    coupon_api::limit_if_given(&app, &context, &visitor.device, signup.posted.coupon())?;
    match continue_signup(&app, &found, &signup, &visitor).await {
        Ok(response) => Ok(response),
        Err(error) => refuse(&app, language, &found, &signup, error).await,
    }
}

/// Shows the form again with its errors, or the page that says why the plan takes no subscribers.
pub async fn refuse(
    app: &App,
    language: RequestLanguage,
    found: &PlanPageData,
    signup: &Signup,
    error: Error,
) -> Result<Response> {
    let close = |error| closed(language, found.scope, &found.seller, error);
    let mut refused = match FormErrors::read(error) {
        Ok(refused) => refused,
        Err(error) => return close(error),
    };
    let buyer = signup.buyer();
    let offered = offer(app, found, refused.coupon(signup.posted.coupon()), buyer.as_ref()).await;
    let offered = match offered {
        Err(Error::Refused(ErrorCode::CouponInvalid, message)) => {
            refused.add_coupon(message);
            offer(app, found, None, buyer.as_ref()).await
        }
        offered => offered,
    };
    match offered {
        Ok(offer) => {
            let page = plan_page(app, language.lang, found, &offer, signup, &refused);
            page_of(&page, refused.status, language, false)
        }
        Err(error) => close(error),
    }
}

/// Records the affiliate's URL by which a buyer came to a plan that takes subscribers; returns the
/// cookie header.
async fn follow(
    app: &App,
    found: &PlanPageData,
    visitor: &Visitor,
    code: &str,
) -> Option<(HeaderName, HeaderValue)> {
    found.plan.expect_open().ok()?;
    visitor.follow(app, found.scope, code).await
}

/// Subscribes, or continues to the card page.
async fn continue_signup(
    app: &App,
    found: &PlanPageData,
    signup: &Signup,
    visitor: &Visitor,
) -> Result<Response> {
    let refused = || Error::field(METHOD, "INVALID_VALUE", "is not offered");
    if let Some(response) = signup.made(app, found).await? {
        return Ok(response);
    }
    expect_provider(app, found.scope.mode)?;
    let method = signup.posted.method(&methods(app, found.scope.mode)).ok_or_else(refused)?;
    let checked = signup.check(app, found).await?;
    if method != PaymentMethod::CreditCard {
        return signup.subscribe(app, found, visitor, checked, RequestedMethod::Pix).await;
    }
    let sealed = Sealed::new(signup, checked.offer.due());
    Ok(lead_to(app, &visitor.device, &path(found.plan.id), &sealed))
}

/// The same page with a coupon, or with the message that it is invalid.
async fn try_coupon(
    app: &App,
    context: &RequestContext,
    device: &Device,
    language: RequestLanguage,
    found: &PlanPageData,
    signup: &Signup,
) -> Result<Response> {
    coupon_api::limit(app, context, device)?;
    match signup.posted.refuse_card_data() {
        Ok(()) => draw(app, language, found, signup, &FormErrors::default()).await,
        Err(error) => refuse(app, language, found, signup, error).await,
    }
}

async fn draw(
    app: &App,
    language: RequestLanguage,
    found: &PlanPageData,
    signup: &Signup,
    errors: &FormErrors,
) -> Result<Response> {
    if let Err(error) = expect_provider(app, found.scope.mode) {
        return refuse(app, language, found, signup, error).await;
    }
    match offer(app, found, signup.posted.coupon(), signup.buyer().as_ref()).await {
        Ok(offer) => {
            let page = plan_page(app, language.lang, found, &offer, signup, errors);
            page_of(&page, StatusCode::OK, language, false)
        }
        Err(error) => refuse(app, language, found, signup, error).await,
    }
}
