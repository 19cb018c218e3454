//! The pay form: what a link asks for, and the payment that comes of it.

use std::time::Duration;

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Response;
use db::database::Dialect;
use db::time::Timestamp;
use http::StatusCode;
use ledger::cents::Cents;

use crate::app::{App, hex};
use crate::checkout::api::{limit, wanted};
use crate::checkout::form::Posted;
use crate::checkout::page_cache::Page;
use crate::checkout::pages::{closed, issue};
use crate::checkout::views::{Item, PayPage};
use crate::error::{Error, FieldError, Fields, Refusal, Result};
use crate::http::context::Context;
use crate::http::html::{html_response, posted, see};
use crate::http::idempotency::Ticket;
use crate::http::language::Language;
use crate::http::path::Named;
use crate::ids::Scope;
use crate::messages::Lang;
use crate::payment_links::{self, MerchantFace, PaymentLink};
use crate::transactions::Method;
use crate::transactions::create::{NewTransaction, Purpose};
use crate::transactions::intake::{self, SECONDS_TO_PAY};

/// A page is kept so long where every change passes through this process,
const PAGE_KEPT_ALONE: Duration = Duration::from_secs(60);
/// and so long where other nodes make changes too.
const PAGE_KEPT_SHARED: Duration = Duration::from_secs(1);

/// GET /pay/{slug}
pub async fn pay(
    State(app): State<App>,
    language: Language,
    Named(slug): Named<String>,
) -> Result<Response> {
    let attempt = hex(&app.database.sources().random::<16>());
    if let Some(page) = app.pages.find(&slug, language.lang, app.now()) {
        let mut response = html_response(page.with(&attempt), StatusCode::OK, false);
        response.headers_mut().extend(language.remember());
        return Ok(response);
    }
    let generation = app.pages.generation();
    let wanted = slug.clone();
    let found = app.read(async move |tx| payment_links::find_public(tx, &wanted).await).await?;
    let (scope, expires_at) = (found.0, found.1.expires_at);
    let posted = Posted { attempt, ..Posted::default() };
    let drawn = match form_page(&app, language.lang, found, &posted, &[]).await? {
        Ok(html) => html,
        Err(closed) => return Ok(closed),
    };
    let good_until = good_until(&app, scope, expires_at);
    if let Some(page) = Page::new(&drawn, &posted.attempt, scope.merchant, good_until) {
        app.pages.keep(generation, &slug, language.lang, page);
    }
    let mut response = html_response(drawn, StatusCode::OK, false);
    response.headers_mut().extend(language.remember());
    Ok(response)
}

/// How long a pay page may be shown again without asking the database.
fn good_until(app: &App, scope: Scope, expires_at: Option<Timestamp>) -> Timestamp {
    let kept = match app.database.dialect() {
        Dialect::Sqlite => PAGE_KEPT_ALONE,
        Dialect::Postgres => PAGE_KEPT_SHARED,
    };
    let latest = app.now().plus(kept);
    expires_at.map_or(latest, |at| latest.min(scope.due(at).at))
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
    let (scope, link, merchant) =
        app.read(async move |tx| payment_links::find_public(tx, &slug).await).await?;
    limit(&app, &context, scope, &link)?;
    let slug = link.slug.clone();
    let outcome = match check(&link, &posted) {
        Ok(new) => {
            let ticket = Ticket::of_form(scope, "POST /pay/{slug}", &posted.attempt, &slug);
            issue(&app, scope, ticket, new).await
        }
        Err(error) => Err(error),
    };
    match outcome {
        Ok(issued) => Ok(see(&format!("/pay/{slug}/t/{}?token={}", issued.id, issued.token))),
        Err(Error::Invalid(wrong)) => {
            let found = (scope, link, merchant);
            let drawn = form_page(&app, language.lang, found, &posted, &wrong).await?;
            Ok(drawn.map_or_else(
                |closed| closed,
                |html| html_response(html, StatusCode::UNPROCESSABLE_ENTITY, false),
            ))
        }
        Err(error) => closed(language.lang, scope, &merchant, error),
    }
}

/// The form as a page; where the link takes no payment, the page that says so instead.
async fn form_page(
    app: &App,
    lang: Lang,
    (scope, link, merchant): (Scope, PaymentLink, MerchantFace),
    posted: &Posted,
    wrong: &[FieldError],
) -> Result<Result<String, Response>> {
    let priced = link.clone();
    let quote = match expect_payable(&link) {
        Ok(()) => app.read(async move |tx| payment_links::price(tx, scope, &priced).await).await,
        Err(error) => Err(error),
    };
    let (total, items) = match quote {
        Ok(quote) => quote,
        Err(error) => return Ok(Err(closed(lang, scope, &merchant, error)?)),
    };
    let money = |cents: Cents| lang.money(cents.get());
    let item = |item: &crate::products::Item| Item {
        name: item.name.clone(),
        quantity: u32::try_from(item.quantity).unwrap_or(u32::MAX),
        price: money(item.unit_price),
        total: money(item.total().unwrap_or(Cents::ZERO)),
    };
    let page = PayPage {
        lang,
        test_mode: scope.mode.is_development(),
        merchant: merchant.name,
        language_url: format!("/pay/{}?lang={}", link.slug, lang.other().tag()),
        slug: link.slug.clone(),
        title: link.title.clone(),
        description: link.description.clone(),
        product_description: link.product_description.clone(),
        items: items.iter().map(item).collect(),
        total: money(total),
        form: posted.shown(&link, wrong, lang),
        attempt: posted.attempt.clone(),
    };
    Ok(Ok(page.render().map_err(|error| Error::Internal(error.into()))?))
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
    expect_payable(link)?;
    let mut wrong = Fields::new();
    let customer = intake::customer(&mut wrong, &posted.customer(link), wanted(link));
    let Some((customer, address)) = customer else { return Err(wrong.into_error()) };
    wrong.finish()?;
    Ok(NewTransaction {
        purpose: Purpose::Link(link.id),
        method: Method::Pix,
        customer,
        address,
        seconds_to_pay: SECONDS_TO_PAY,
        external_id: None,
        metadata: serde_json::json!({}),
    })
}
