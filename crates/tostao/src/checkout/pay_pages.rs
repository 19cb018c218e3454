//! The pay form: what a link asks for, and the payment that comes of it.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::response::Response;
use db::database::Dialect;
use db::time::Timestamp;
use http::{HeaderMap, StatusCode};
use serde::Deserialize;

use crate::affiliates::clicks::visitor_api::Visitor;
use crate::app::{App, hex};
use crate::checkout::api::limit;
use crate::checkout::attempts::{Issued, issue_once};
use crate::checkout::bill::{Bill, bill, offered};
use crate::checkout::closed_pages::closed;
use crate::checkout::form::{COUPON, INSTALLMENTS, Posted};
use crate::checkout::order::{Order, check};
use crate::checkout::page_cache::Page;
use crate::checkout::pay_view::pay_page;
use crate::checkout::{coupon_api, sealed};
use crate::error::{Error, FieldError, Refusal, Result};
use crate::http::context::{Context, RequestContext};
use crate::http::device::Device;
use crate::http::gzip;
use crate::http::html::{html_response, posted, see};
use crate::http::language::Language;
use crate::http::path::Named;
use crate::http::query::Query;
use crate::ids::Scope;
use crate::messages::Lang;
use crate::payment_links::stock::{self, Stock};
use crate::payment_links::{self, MerchantFace, PaymentLink};

/// A page is kept so long where every change passes through this process,
const PAGE_KEPT_ALONE: Duration = Duration::from_secs(60);
/// and so long where other nodes make changes too, or every sale is one.
const PAGE_KEPT_BRIEFLY: Duration = Duration::from_secs(1);

/// A link with what its page needs beside it.
pub type Found = (Scope, PaymentLink, MerchantFace);

/// With what the page is opened.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Opened {
    coupon: String,
    /// The code of the affiliate by whose address the buyer came.
    aff: String,
}

/// GET /pay/{slug}
pub async fn pay(
    State(app): State<App>,
    language: Language,
    Context(context): Context,
    visitor: Visitor,
    Named(slug): Named<String>,
    Query(Opened { coupon, aff }): Query<Opened>,
    request: HeaderMap,
) -> Result<Response> {
    let kept = follow(&app, &slug, &visitor, &aff).await?;
    let attempt = hex(&app.database.sources().random::<16>());
    let mut response = if coupon.trim().is_empty() {
        open(&app, language, &slug, &attempt, &request).await?
    } else {
        let found = find(&app, &slug).await?;
        let posted = Posted { attempt, coupon, ..Posted::default() };
        try_coupon(&app, &context, &visitor.device, language, &found, &posted).await?
    };
    response.headers_mut().extend(kept);
    Ok(response)
}

/// POST /pay/{slug}
pub async fn start(
    State(app): State<App>,
    language: Language,
    Context(context): Context,
    visitor: Visitor,
    Named(slug): Named<String>,
    request: Request,
) -> Result<Response> {
    let posted: Posted = posted(request).await?;
    let found = find(&app, &slug).await?;
    let (scope, link, _) = &found;
    if !posted.apply.is_empty() {
        return try_coupon(&app, &context, &visitor.device, language, &found, &posted).await;
    }
    limit(&app, &context, *scope, link)?;
    match buy(&app, &found, &posted, &visitor).await {
        Ok(place) => Ok(see(&place)),
        Err(error) => refuse(&app, language, &found, &posted, error).await,
    }
}

/// Finds a link with what its page needs.
pub async fn find(app: &App, slug: &str) -> Result<Found> {
    let slug = slug.to_owned();
    app.read(async move |tx| payment_links::find_public(tx, &slug).await).await
}

/// Works out what a form comes to.
pub async fn bill_of(app: &App, found: &Found, coupon: Option<&str>) -> Result<Bill> {
    let (scope, link, coupon) = (found.0, found.1.clone(), coupon.map(str::to_owned));
    app.read(async move |tx| bill(tx, scope, &link, coupon.as_deref()).await).await
}

/// Shows a form again with what is wrong with it; or the page that says why it takes no payment.
pub async fn refuse(
    app: &App,
    language: Language,
    found: &Found,
    posted: &Posted,
    error: Error,
) -> Result<Response> {
    let (mut posted, mut status) = (posted.clone(), StatusCode::UNPROCESSABLE_ENTITY);
    let (mut wrong, mut changed) = (Vec::new(), false);
    match error {
        Error::Invalid(fields) => wrong = fields,
        Error::Refused(Refusal::CouponInvalid, message) => {
            wrong.push(FieldError { field: COUPON.into(), code: "INVALID", message });
        }
        Error::Refused(Refusal::InstallmentsNotAllowed, message) => {
            wrong.push(FieldError { field: INSTALLMENTS.into(), code: "INVALID", message });
        }
        // What he was told is no longer so.
        Error::Refused(Refusal::ConcurrentUpdate, _) => {
            (status, changed) = (StatusCode::CONFLICT, true);
        }
        error => return closed(language, found.0, &found.2, error),
    }
    let coupon = posted.coupon().filter(|_| wrong.iter().all(|wrong| wrong.field != COUPON));
    let bill = match bill_of(app, found, coupon).await {
        Err(Error::Refused(Refusal::CouponInvalid, message)) => {
            wrong.push(FieldError { field: COUPON.into(), code: "INVALID", message });
            bill_of(app, found, None).await
        }
        bill => bill,
    };
    match bill {
        Ok(bill) => {
            posted.seen = bill.due.get().to_string();
            let html = pay_page(app, language.lang, found, &bill, &posted, &wrong, changed)?;
            Ok(html_response(html, status, language, false))
        }
        Err(error) => closed(language, found.0, &found.2, error),
    }
}

/// Takes in by whose address a buyer came to a link that can be paid; answers what he is to keep.
async fn follow(app: &App, slug: &str, visitor: &Visitor, code: &str) -> Result<HeaderMap> {
    if code.is_empty() {
        return Ok(HeaderMap::new());
    }
    let (scope, link, _) = find(app, slug).await?;
    if link.expect_usable().is_err() {
        return Ok(HeaderMap::new());
    }
    Ok(visitor.follow(app, scope, code).await)
}

/// The form, as it was last drawn if that is still good.
async fn open(
    app: &App,
    language: Language,
    slug: &str,
    attempt: &str,
    request: &HeaderMap,
) -> Result<Response> {
    if let Some(page) = app.pages.find(slug, language.lang, app.now()) {
        return Ok(shown(&page, attempt, language, request));
    }
    let generation = app.pages.generation();
    let found = find(app, slug).await?;
    let (scope, link, merchant) = &found;
    let page = match draw(app, language.lang, &found, attempt).await {
        Ok(page) => page,
        Err(error) => return closed(language, *scope, merchant, error),
    };
    app.pages.keep(generation, &link.slug, language.lang, page.clone());
    Ok(shown(&page, attempt, language, request))
}

/// Makes the payment, or goes on to the page for the card; answers where to go.
async fn buy(app: &App, found: &Found, posted: &Posted, visitor: &Visitor) -> Result<String> {
    let (scope, link, _) = found;
    let slug = &link.slug;
    match check(app, found, posted, visitor).await? {
        Order::Card { total } => {
            let state = sealed::seal(app, slug, posted, total);
            Ok(format!("/pay/{slug}/card?state={state}"))
        }
        Order::Now(new) => {
            let issued = issue_once(app, *scope, &posted.attempt, slug, &new).await?;
            let Issued { id, token } = issued;
            Ok(format!("/pay/{slug}/t/{id}?token={token}"))
        }
    }
}

/// The same page with a coupon, or with the news that it is not good.
async fn try_coupon(
    app: &App,
    context: &RequestContext,
    device: &Device,
    language: Language,
    found: &Found,
    posted: &Posted,
) -> Result<Response> {
    coupon_api::limit(app, context, device)?;
    if let Err(error) = posted.refuse_card_data() {
        return refuse(app, language, found, posted, error).await;
    }
    match bill_of(app, found, posted.coupon()).await {
        Ok(bill) => {
            let html = pay_page(app, language.lang, found, &bill, posted, &[], false)?;
            Ok(html_response(html, StatusCode::OK, language, false))
        }
        Err(error) => refuse(app, language, found, posted, error).await,
    }
}

/// A kept page as the answer to one reader.
fn shown(page: &Page, attempt: &str, language: Language, request: &HeaderMap) -> Response {
    if !gzip::is_accepted(request) {
        return html_response(page.with(attempt), StatusCode::OK, language, false);
    }
    let mut response =
        html_response(page.compressed_with(attempt), StatusCode::OK, language, false);
    gzip::mark(&mut response);
    response
}

/// Draws the form of a link that can be paid now.
async fn draw(app: &App, lang: Lang, found: &Found, attempt: &str) -> Result<Arc<Page>> {
    let bill = bill_of(app, found, None).await?;
    if offered(app, found.0.mode, &found.1).is_empty() {
        let message = "This link takes no payment here.";
        return Err(Error::refused(Refusal::PaymentMethodDisabled, message));
    }
    let (scope, link) = (found.0, found.1.clone());
    let stock = app.read(async move |tx| {
        let stock = stock::look(tx, scope, &link).await?;
        stock.expect_left(&link)?;
        Ok(stock)
    });
    let good_until = good_until(app, scope, &found.1, stock.await?);
    let posted = Posted { attempt: attempt.to_owned(), ..Posted::default() };
    let html = pay_page(app, lang, found, &bill, &posted, &[], false)?;
    let page = Page::new(&html, attempt, scope.merchant, good_until);
    let nowhere = || Error::Internal(anyhow::anyhow!("the form does not name its showing"));
    page.map(Arc::new).ok_or_else(nowhere)
}

/// How long a pay page may be shown again without asking the database.
fn good_until(app: &App, scope: Scope, link: &PaymentLink, stock: Stock) -> Timestamp {
    let kept = match (app.database.dialect(), stock) {
        (Dialect::Sqlite, Stock::Endless) => PAGE_KEPT_ALONE,
        _ => PAGE_KEPT_BRIEFLY,
    };
    let latest = app.now().plus(kept);
    link.expires_at.map_or(latest, |at| latest.min(scope.due(at).at))
}
