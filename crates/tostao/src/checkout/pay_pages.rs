//! The pay form: what a link asks for, and the payment that comes of it.

use std::sync::Arc;
use std::time::Duration;

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Response;
use db::database::Dialect;
use db::time::Timestamp;
use http::{HeaderMap, StatusCode};
use ledger::cents::Cents;

use crate::app::{App, hex};
use crate::checkout::api::{limit, wanted};
use crate::checkout::attempts::issue_once;
use crate::checkout::form::Posted;
use crate::checkout::page_cache::Page;
use crate::checkout::pages::{Issued, closed};
use crate::checkout::views::{Item, PayPage};
use crate::error::{Error, FieldError, Fields, Refusal, Result};
use crate::http::context::Context;
use crate::http::gzip;
use crate::http::html::{html_response, posted, see};
use crate::http::language::Language;
use crate::http::path::Named;
use crate::ids::Scope;
use crate::messages::Lang;
use crate::payment_links::stock::{self, Stock};
use crate::payment_links::{self, MerchantFace, PaymentLink};
use crate::products;
use crate::transactions::create::{Means, NewTransaction};
use crate::transactions::intake::{self, SECONDS_TO_PAY};
use crate::transactions::quote::Purpose;

/// A page is kept so long where every change passes through this process,
const PAGE_KEPT_ALONE: Duration = Duration::from_secs(60);
/// and so long where other nodes make changes too, or every sale is one.
const PAGE_KEPT_BRIEFLY: Duration = Duration::from_secs(1);

/// A link with what its page needs beside it.
type Found = (Scope, PaymentLink, MerchantFace);

/// GET /pay/{slug}
pub async fn pay(
    State(app): State<App>,
    language: Language,
    Named(slug): Named<String>,
    request: HeaderMap,
) -> Result<Response> {
    let attempt = hex(&app.database.sources().random::<16>());
    if let Some(page) = app.pages.find(&slug, language.lang, app.now()) {
        return Ok(shown(&page, &attempt, language, &request));
    }
    let generation = app.pages.generation();
    let wanted = slug.clone();
    let found = app.read(async move |tx| payment_links::find_public(tx, &wanted).await).await?;
    let (scope, link, merchant) = &found;
    let page = match draw(&app, language.lang, &found, &attempt).await {
        Ok(page) => page,
        Err(error) => return closed(language, *scope, merchant, error),
    };
    app.pages.keep(generation, &link.slug, language.lang, page.clone());
    Ok(shown(&page, &attempt, language, &request))
}

/// POST /pay/{slug}
pub async fn start(
    State(app): State<App>,
    language: Language,
    Context(context): Context,
    Named(slug): Named<String>,
    request: Request,
) -> Result<Response> {
    let posted: Posted = posted(request).await?;
    let found = app.read(async move |tx| payment_links::find_public(tx, &slug).await).await?;
    let (scope, link, merchant) = &found;
    limit(&app, &context, *scope, link)?;
    let slug = &link.slug;
    let outcome = match check(link, &posted) {
        Ok(new) => issue_once(&app, *scope, &posted.attempt, slug, &new).await,
        Err(error) => Err(error),
    };
    let refused = match outcome {
        Ok(Issued { id, token }) => return Ok(see(&format!("/pay/{slug}/t/{id}?token={token}"))),
        Err(Error::Invalid(wrong)) => match price(&app, &found).await {
            Ok(quote) => {
                let html = form_page(language.lang, &found, quote, &posted, &wrong)?;
                let status = StatusCode::UNPROCESSABLE_ENTITY;
                return Ok(html_response(html, status, language, false));
            }
            Err(error) => error,
        },
        Err(error) => error,
    };
    closed(language, *scope, merchant, refused)
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
    let quote = price(app, found).await?;
    let (scope, link) = (found.0, found.1.clone());
    let stock = app.read(async move |tx| {
        let stock = stock::look(tx, scope, &link).await?;
        stock.expect_left(&link)?;
        Ok(stock)
    });
    let good_until = good_until(app, scope, &found.1, stock.await?);
    let posted = Posted { attempt: attempt.to_owned(), ..Posted::default() };
    let html = form_page(lang, found, quote, &posted, &[])?;
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

/// What a buyer pays now and for what; an error where the link takes no payment.
async fn price(app: &App, (scope, link, _): &Found) -> Result<(Cents, Vec<products::Item>)> {
    expect_payable(link)?;
    let (scope, link) = (*scope, link.clone());
    app.read(async move |tx| payment_links::price(tx, scope, &link).await).await
}

fn form_page(
    lang: Lang,
    (scope, link, merchant): &Found,
    (total, items): (Cents, Vec<products::Item>),
    posted: &Posted,
    wrong: &[FieldError],
) -> Result<String> {
    let money = |cents: Cents| lang.money(cents.get());
    let item = |item: &products::Item| Item {
        name: item.name.clone(),
        quantity: u32::try_from(item.quantity).unwrap_or(u32::MAX),
        price: money(item.unit_price),
        total: money(item.total().unwrap_or(Cents::ZERO)),
    };
    let page = PayPage {
        lang,
        test_mode: scope.mode.is_development(),
        merchant: merchant.name.clone(),
        language_url: format!("/pay/{}?lang={}", link.slug, lang.other().tag()),
        slug: link.slug.clone(),
        title: link.title.clone(),
        description: link.description.clone(),
        product_description: link.product_description.clone(),
        items: items.iter().map(item).collect(),
        total: money(total),
        form: posted.shown(link, wrong, lang),
        attempt: posted.attempt.clone(),
    };
    page.render().map_err(|error| Error::Internal(error.into()))
}

/// The form offers PIX alone, so a link that does not take it has none to show.
fn expect_payable(link: &PaymentLink) -> Result<()> {
    link.expect_usable()?;
    if link.settings.pix_enabled {
        return Ok(());
    }
    Err(Error::refused(Refusal::PaymentMethodDisabled, "This link does not take PIX."))
}

fn check(link: &PaymentLink, posted: &Posted) -> Result<NewTransaction> {
    posted.refuse_card_data()?;
    expect_payable(link)?;
    let mut wrong = Fields::new();
    let customer = intake::customer(&mut wrong, &posted.customer(link), wanted(link));
    let Some((customer, address)) = customer else { return Err(wrong.into_error()) };
    wrong.finish()?;
    Ok(NewTransaction {
        purpose: Purpose::Link(link.id),
        means: Means::Pix { seconds_to_pay: SECONDS_TO_PAY },
        customer,
        address,
        coupon_code: None,
        external_id: None,
        metadata: serde_json::json!({}),
    })
}
