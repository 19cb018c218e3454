//! The pay form: what a link asks for, and the payment that it creates.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::response::Response;
use db::database::Dialect;
use db::hex::hex;
use db::time::Timestamp;
use db::tx::Tx;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use serde::Deserialize;

use crate::affiliates::clicks::visitor_api::Visitor;
use crate::app::App;
use crate::carts;
use crate::checkout::api::limit;
use crate::checkout::attempts::{CreatedPayment, coupon_held, issue_once};
use crate::checkout::card_pages::path;
use crate::checkout::card_step_pages::{CARD_PAGE_LOST, lead_to};
use crate::checkout::closed_pages::closed;
use crate::checkout::form::FormFields;
use crate::checkout::form_error_pages::FormErrors;
use crate::checkout::order_summary::{OrderSummary, available_methods, expect_provider, summarize};
use crate::checkout::pay_view::pay_page;
use crate::checkout::payment_from_form::{PaymentRequest, check};
use crate::checkout::sealed_form::Purchase;
use crate::checkout::{coupon_api, prefilled};
use crate::payment_links::stock::{self, Availability};
use crate::payment_links::{self, PaymentLink, SellerProfile};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::context::{Context, RequestContext};
use crate::platform::http::device::Device;
use crate::platform::http::gzip;
use crate::platform::http::html::{html_response, posted_to_correct, see};
use crate::platform::http::language::RequestLanguage;
use crate::platform::http::page_cache::Page;
use crate::platform::http::path::PagePath;
use crate::platform::http::query::Query;
use crate::platform::ids::Scope;
use crate::platform::messages::Lang;

/// How long a page is cached where this process makes every change.
const PAGE_CACHED: Duration = Duration::from_secs(60);
/// The same where other nodes make changes, or where every sale is a change.
const PAGE_CACHED_BRIEFLY: Duration = Duration::from_secs(1);

/// A link with what its page needs.
pub type LinkPageData = (Scope, PaymentLink, SellerProfile);

/// The query with which the page is opened.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct PageParams {
    coupon: String,
    /// The token of a cart, which restores what was typed.
    rc: String,
    /// The affiliate code of the link that the buyer followed.
    aff: String,
    /// What the page says above its form.
    notice: String,
}

/// GET /pay/{slug}
pub async fn pay(
    State(app): State<App>,
    language: RequestLanguage,
    Context(context): Context,
    visitor: Visitor,
    PagePath(slug): PagePath<String>,
    Query(opened): Query<PageParams>,
    request: HeaderMap,
) -> Result<Response> {
    let kept = record_click(&app, &slug, &visitor, &opened.aff).await?;
    let attempt = hex(&app.database.sources().random::<16>());
    let mut response = if opened.is_plain() {
        open(&app, language, &slug, &attempt, &request).await?
    } else {
        let found = find(&app, &slug).await?;
        let PageParams { coupon, rc, notice, .. } = opened;
        let typed = from_cart(&app, &found, rc).await?.unwrap_or_default();
        let posted = FormFields { attempt, coupon, ..typed };
        if posted.coupon().is_some() {
            try_coupon(&app, &context, &visitor.device, language, &found, &posted).await?
        } else {
            show_filled_in(&app, language, &found, &posted, &FormErrors::none(&notice)).await?
        }
    };
    response.headers_mut().extend(kept);
    response.headers_mut().extend(visitor.device.remember(app.database.sources().random()));
    Ok(response)
}

/// POST /pay/{slug}
pub async fn start(
    State(app): State<App>,
    language: RequestLanguage,
    Context(context): Context,
    visitor: Visitor,
    PagePath(slug): PagePath<String>,
    request: Request,
) -> Result<Response> {
    let posted: FormFields = posted_to_correct(request, &FormFields::SHOWN).await?;
    let posted = prefilled::restore(&app, &slug, posted);
    let found = find(&app, &slug).await?;
    let (scope, link, _) = &found;
    if !posted.apply.is_empty() {
        return try_coupon(&app, &context, &visitor.device, language, &found, &posted).await;
    }
    limit(&app, &context, *scope, link)?;
    coupon_api::limit_if_given(&app, &context, &visitor.device, posted.coupon())?;
    match create_payment(&app, &found, &posted, &visitor).await {
        Ok(response) => Ok(response),
        Err(error) => refuse(&app, language, &found, &posted, error).await,
    }
}

impl PageParams {
    /// Whether the page is the same for every buyer.
    fn is_plain(&self) -> bool {
        self.coupon.trim().is_empty() && self.rc.is_empty() && self.notice != CARD_PAGE_LOST
    }
}

/// Finds a link with what its page needs.
pub async fn find(app: &App, slug: &str) -> Result<LinkPageData> {
    let slug = slug.to_owned();
    app.read(async move |tx| payment_links::find_public(tx, &slug).await).await
}

/// Computes a form's total; the last use of a coupon may be held by the same attempt.
pub async fn order_summary(
    app: &App,
    found: &LinkPageData,
    attempt: &str,
    coupon: Option<&str>,
) -> Result<OrderSummary> {
    let (scope, link, coupon) = (found.0, found.1.clone(), coupon.map(str::to_owned));
    let held = match coupon {
        Some(_) => coupon_held(app, scope, attempt, &link.slug).await?,
        None => None,
    };
    let read =
        async move |tx: &Tx| summarize(tx, scope, &link, coupon.as_deref(), held.clone()).await;
    app.read(read).await
}

/// Shows a form again with its errors; or the page that says why the link takes no payment.
pub async fn refuse(
    app: &App,
    language: RequestLanguage,
    found: &LinkPageData,
    posted: &FormFields,
    error: Error,
) -> Result<Response> {
    let mut refused = match FormErrors::read(error) {
        Ok(refused) => refused,
        Err(error) => return closed(language, found.0, &found.2, error),
    };
    let order =
        match order_summary(app, found, &posted.attempt, refused.coupon(posted.coupon())).await {
            Err(Error::Refused(ErrorCode::CouponInvalid, message)) => {
                refused.add_coupon(message);
                order_summary(app, found, &posted.attempt, None).await
            }
            order => order,
        };
    let order = match order {
        Ok(order) => order,
        Err(error) => return closed(language, found.0, &found.2, error),
    };
    let posted = FormFields { seen: order.due.get().to_string(), ..posted.clone() };
    let html = pay_page(app, language.lang, found, &order, &posted, &refused)?;
    Ok(html_response(html, refused.status, language, false))
}

/// Records the affiliate click of a buyer who opens a usable link; returns the cookie to set.
async fn record_click(
    app: &App,
    slug: &str,
    visitor: &Visitor,
    code: &str,
) -> Result<Option<(HeaderName, HeaderValue)>> {
    if code.is_empty() {
        return Ok(None);
    }
    let (scope, link, _) = find(app, slug).await?;
    if link.expect_usable().is_err() {
        return Ok(None);
    }
    Ok(visitor.follow(app, scope, code).await)
}

/// The form, from the cache if it is still valid.
async fn open(
    app: &App,
    language: RequestLanguage,
    slug: &str,
    attempt: &str,
    request: &HeaderMap,
) -> Result<Response> {
    if let Some(page) = app.pages.find(slug, language.lang, app.now()) {
        return Ok(respond(&page, attempt, language, request));
    }
    let generation = app.pages.generation();
    let found = find(app, slug).await?;
    let (scope, link, merchant) = &found;
    let page = match render(app, language.lang, &found, attempt).await {
        Ok(page) => page,
        Err(error) => return closed(language, *scope, merchant, error),
    };
    app.pages.keep(generation, &link.slug, language.lang, page.clone());
    Ok(respond(&page, attempt, language, request))
}

/// Creates the payment, or continues with the card page; redirects there.
async fn create_payment(
    app: &App,
    found: &LinkPageData,
    posted: &FormFields,
    visitor: &Visitor,
) -> Result<Response> {
    let (scope, link, _) = found;
    let slug = &link.slug;
    expect_provider(app, scope.mode)?;
    match check(app, found, posted, visitor).await? {
        PaymentRequest::Card { total } => {
            Ok(lead_to(app, &visitor.device, &path(slug), &Purchase::new(posted, total)))
        }
        PaymentRequest::Now(new) => {
            let issued = issue_once(app, *scope, &posted.attempt, slug, &new).await?;
            let CreatedPayment { id, token } = issued;
            Ok(see(&format!("/pay/{slug}/t/{id}?token={token}")))
        }
    }
}

/// The same page with a coupon, or with the error that it is invalid.
async fn try_coupon(
    app: &App,
    context: &RequestContext,
    device: &Device,
    language: RequestLanguage,
    found: &LinkPageData,
    posted: &FormFields,
) -> Result<Response> {
    coupon_api::limit(app, context, device)?;
    if let Err(error) = posted.refuse_card_data() {
        return refuse(app, language, found, posted, error).await;
    }
    match order_summary(app, found, &posted.attempt, posted.coupon()).await {
        Ok(order) => {
            let none = FormErrors::default();
            let html = pay_page(app, language.lang, found, &order, posted, &none)?;
            Ok(html_response(html, StatusCode::OK, language, false))
        }
        Err(error) => refuse(app, language, found, posted, error).await,
    }
}

/// What a buyer had typed before leaving; `None` for a token that is invalid or too old.
async fn from_cart(app: &App, found: &LinkPageData, token: String) -> Result<Option<FormFields>> {
    let (scope, link, secrets) = (found.0, found.1.id, app.secrets.clone());
    let Some(id) = carts::id_in_token(&secrets, scope, &token) else { return Ok(None) };
    let cart = app.read(async move |tx| carts::resume(tx, scope, link, id).await);
    let typed = cart.await?.as_ref().map(FormFields::from_cart);
    Ok(typed.map(|typed| prefilled::keep(app, &found.1.slug, typed)))
}

/// The form with what was typed before, and a notice.
async fn show_filled_in(
    app: &App,
    language: RequestLanguage,
    found: &LinkPageData,
    posted: &FormFields,
    errors: &FormErrors,
) -> Result<Response> {
    let lang = language.lang;
    match render_with(app, lang, found, posted, errors).await {
        Ok((html, _)) => Ok(html_response(html, StatusCode::OK, language, false)),
        Err(error) => closed(language, found.0, &found.2, error),
    }
}

/// A cached page as a response to one request.
fn respond(page: &Page, attempt: &str, language: RequestLanguage, request: &HeaderMap) -> Response {
    if !gzip::is_accepted(request) {
        return html_response(page.with(attempt), StatusCode::OK, language, false);
    }
    let mut response =
        html_response(page.compressed_with(attempt), StatusCode::OK, language, false);
    gzip::mark(&mut response);
    response
}

/// Renders the form of a link that can be paid now.
async fn render(app: &App, lang: Lang, found: &LinkPageData, attempt: &str) -> Result<Arc<Page>> {
    let posted = FormFields { attempt: attempt.to_owned(), ..FormFields::default() };
    let none = FormErrors::default();
    let (html, valid_until) = render_with(app, lang, found, &posted, &none).await?;
    let page = Page::new(&html, attempt, found.0.merchant, valid_until);
    let nowhere = || Error::Internal(anyhow::anyhow!("the form does not name its attempt"));
    page.map(Arc::new).ok_or_else(nowhere)
}

/// Renders the form with what was typed; also returns until when the page is valid.
async fn render_with(
    app: &App,
    lang: Lang,
    found: &LinkPageData,
    posted: &FormFields,
    errors: &FormErrors,
) -> Result<(String, Timestamp)> {
    let order = order_summary(app, found, &posted.attempt, None).await?;
    expect_provider(app, found.0.mode)?;
    if available_methods(app, found.0.mode, &found.1).is_empty() {
        let message = "This link cannot be paid here.";
        return Err(Error::refused(ErrorCode::PaymentMethodDisabled, message));
    }
    let (scope, link) = (found.0, found.1.clone());
    let stock = app.read(async move |tx| {
        let stock = stock::availability(tx, scope, &link).await?;
        stock.expect_left(&link)?;
        Ok(stock)
    });
    let valid_until = valid_until(app, scope, &found.1, stock.await?);
    Ok((pay_page(app, lang, found, &order, posted, errors)?, valid_until))
}

/// How long a pay page may be served from the cache.
fn valid_until(app: &App, scope: Scope, link: &PaymentLink, stock: Availability) -> Timestamp {
    let kept = match (app.database.dialect(), stock) {
        (Dialect::Sqlite, Availability::Unlimited) => PAGE_CACHED,
        _ => PAGE_CACHED_BRIEFLY,
    };
    let latest = app.now().plus(kept);
    link.expires_at.map_or(latest, |at| latest.min(scope.due(at).at))
}
