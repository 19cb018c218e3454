//! The hosted pages. They work without scripts: a form is posted, the answer is a redirect.

use askama::Template;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use brazil::document::Document;
use http::StatusCode;
use ledger::cents::Cents;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::app::App;
use crate::checkout::api::{by_token, limit};
use crate::checkout::attempts::successor;
use crate::checkout::live_api;
use crate::checkout::views::{
    Closed, ClosedPage, ErrorPage, PixCode, PixPage, PixelId, RateLimitedPage, ReceiptPage,
};
use crate::error::{Error, Refusal, Result};
use crate::http::context::{Context, RequestContext};
use crate::http::error_face;
use crate::http::html::{html_response, page_of, posted, see};
use crate::http::idempotency::Ticket;
use crate::http::language::Language;
use crate::http::path::Named;
use crate::http::query::Query;
use crate::http::reply::Created;
use crate::ids::{Scope, TransactionId};
use crate::merchants;
use crate::payment_links::{self, MerchantFace, PaymentLink};
use crate::qr::Qr;
use crate::transactions::create::{NewTransaction, Picture, create};
use crate::transactions::simulate::{Outcome, Simulation, simulate as simulate_outcome};
use crate::transactions::status::Status;
use crate::transactions::terms::NO_LINK;
use crate::transactions::{Transaction, status_token};

/// The token in a buyer's address.
#[derive(Debug, Deserialize)]
pub struct Token {
    /// Without one the address names nothing.
    #[serde(default)]
    token: String,
}

/// Where a page of a payment is.
#[derive(Debug, Deserialize)]
pub struct At {
    slug: String,
    id: TransactionId,
}

/// What the page needs of a payment it made.
#[derive(Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Issued {
    pub id: TransactionId,
    pub token: String,
}

/// GET /pay/{slug}/t/{id}
pub async fn show(
    State(app): State<App>,
    language: Language,
    Named(At { slug, id }): Named<At>,
    Query(Token { token }): Query<Token>,
) -> Result<Response> {
    let (scope, transaction) = by_address(&app, &slug, id, &token).await?;
    let now = scope.at(app.now());
    let lang = language.lang;
    let merchant = merchant_name(&app, scope).await?;
    let test_mode = scope.mode.is_development();
    let code = match transaction.status {
        Status::Pending => code(&transaction, now)?,
        Status::Expired => None,
        Status::Cancelled => {
            let reason = Closed::ChargeCancelled;
            let page = ClosedPage { lang, test_mode, merchant: Some(merchant), reason };
            return page_of(&page, StatusCode::GONE, language, false);
        }
        _ => return Ok(see(&format!("/pay/{slug}/t/{id}/receipt?token={token}"))),
    };
    let page = PixPage {
        lang,
        test_mode,
        merchant,
        language_url: format!("/pay/{slug}/t/{id}?token={token}&lang={}", lang.other().tag()),
        title: title(&app, scope, &transaction).await?,
        slug,
        transaction: id.to_string(),
        token,
        amount: lang.money(transaction.amount.get()),
        expires_at: transaction
            .expires_at
            .map(|at| lang.date_time(at.micros()))
            .unwrap_or_default(),
        code,
    };
    page_of(&page, StatusCode::OK, language, false)
}

/// GET /pay/{slug}/t/{id}/receipt
pub async fn receipt(
    State(app): State<App>,
    language: Language,
    Named(At { slug, id }): Named<At>,
    Query(Token { token }): Query<Token>,
) -> Result<Response> {
    let (scope, transaction) = by_address(&app, &slug, id, &token).await?;
    let Some(paid_at) = transaction.paid_at else {
        return Ok(see(&format!("/pay/{slug}/t/{id}?token={token}")));
    };
    let link = link_of(&app, scope, &transaction).await?;
    let lang = language.lang;
    let pixel = link.as_ref().and_then(|link| PixelId::parse(link.meta_pixel_code.as_deref()?));
    let with_pixel = pixel.is_some();
    let refunded = transaction.refunded;
    let page = ReceiptPage {
        lang,
        test_mode: scope.mode.is_development(),
        merchant: merchant_name(&app, scope).await?,
        language_url: format!(
            "/pay/{slug}/t/{id}/receipt?token={token}&lang={}",
            lang.other().tag()
        ),
        title: title(&app, scope, &transaction).await?,
        amount: lang.money(transaction.paid.unwrap_or(transaction.amount).get()),
        refunded: (refunded > Cents::ZERO).then(|| lang.money(refunded.get())),
        paid_at: lang.date_time(paid_at.micros()),
        payer: transaction.customer.name.clone(),
        masked_document: transaction.customer.document.as_ref().map(Document::masked),
        transaction: id.to_string(),
        end_to_end_id: transaction.pix.as_ref().and_then(|pix| pix.end_to_end_id.clone()),
        return_url: link.and_then(|link| return_url(link.redirect_url.as_deref()?, id)),
        pixel,
    };
    page_of(&page, StatusCode::OK, language, with_pixel)
}

/// POST /pay/{slug}/t/{id}/renew
pub async fn renew(
    State(app): State<App>,
    language: Language,
    Context(context): Context,
    Named(At { slug, id }): Named<At>,
    request: Request,
) -> Result<Response> {
    let Token { token } = posted(request).await?;
    let (scope, old) = by_address(&app, &slug, id, &token).await?;
    if old.status != Status::Expired {
        return Ok(see(&format!("/pay/{slug}/t/{id}?token={token}")));
    }
    if let Some(link) = link_of(&app, scope, &old).await? {
        limit(&app, &context, scope, &link)?;
    }
    match issue(&app, scope, successor(scope, id, &slug), NewTransaction::again(&old)).await {
        Ok(issued) => Ok(see(&format!("/pay/{slug}/t/{}?token={}", issued.id, issued.token))),
        Err(error) => {
            let merchant = MerchantFace { name: merchant_name(&app, scope).await? };
            closed(language, scope, &merchant, error)
        }
    }
}

/// POST /pay/{slug}/t/{id}/simulate
pub async fn simulate(
    State(app): State<App>,
    Named(At { slug, id }): Named<At>,
    request: Request,
) -> Result<Response> {
    let Token { token } = posted(request).await?;
    let (scope, _) = by_address(&app, &slug, id, &token).await?;
    let scope = merchants::clock_api::development(scope)?;
    let simulation = Simulation {
        outcome: Outcome::Paid,
        amount: None,
        calls: 1,
        delay: std::time::Duration::ZERO,
    };
    simulate_outcome(&app, scope, id, simulation).await?;
    Ok(see(&format!("/pay/{slug}/t/{id}?token={token}")))
}

/// GET /pay/{slug}/t/{id}/events
pub async fn events(
    State(app): State<App>,
    Named(At { slug, id }): Named<At>,
    Query(Token { token }): Query<Token>,
) -> Result<Response> {
    let (scope, transaction) = by_address(&app, &slug, id, &token).await?;
    Ok(live_api::stream(&app, scope, &transaction).into_response())
}

/// An error as a page.
pub fn error_page(error: &Error, context: &RequestContext, language: Language) -> Response {
    let lang = language.lang;
    let closed = |reason| ClosedPage { lang, test_mode: false, merchant: None, reason };
    let html = match (error, closed_reason(error)) {
        (Error::TooMany { retry_after_seconds, .. }, _) => {
            let retry_after_seconds = *retry_after_seconds;
            let retry_url = context.path.clone();
            RateLimitedPage { lang, retry_after_seconds, retry_url }.render()
        }
        (_, Some(reason)) => closed(reason).render(),
        _ => ErrorPage { lang, request_id: context.request_id.clone() }.render(),
    };
    html_response(html.unwrap_or_default(), error_face::status(error), language, false)
}

fn closed_reason(error: &Error) -> Option<Closed> {
    match error.refusal() {
        Refusal::NotFound => Some(Closed::NotFound),
        Refusal::PaymentLinkExpired => Some(Closed::LinkExpired),
        Refusal::PaymentLinkInactive
        | Refusal::ProductInactive
        | Refusal::PaymentMethodDisabled => Some(Closed::LinkInactive),
        Refusal::OutOfStock => Some(Closed::SoldOut),
        Refusal::ChargeRefused => Some(Closed::ChargeRefused),
        _ => None,
    }
}

/// A page that says why the link takes no payment; any other error stays an error.
pub fn closed(
    language: Language,
    scope: Scope,
    merchant: &MerchantFace,
    error: Error,
) -> Result<Response> {
    let Some(reason) = closed_reason(&error) else { return Err(error) };
    let page = ClosedPage {
        lang: language.lang,
        test_mode: scope.mode.is_development(),
        merchant: Some(merchant.name.clone()),
        reason,
    };
    page_of(&page, error_face::status(&error), language, false)
}

/// Issues a payment for a page.
pub async fn issue(
    app: &App,
    scope: Scope,
    ticket: Option<Ticket>,
    new: NewTransaction,
) -> Result<Issued> {
    // The page draws its code when it is shown, so nothing is prepared here.
    let answer = create(app, scope, ticket, new, Picture::None, |terms, scope, transaction, _| {
        let token = status_token::write(&terms.secrets, scope, transaction.id);
        Ok(Created(Issued { id: transaction.id, token }))
    });
    answer.await?.read()
}

/// Finds the payment that an address names: its token opens it, and its link is the right one.
async fn by_address(
    app: &App,
    slug: &str,
    id: TransactionId,
    token: &str,
) -> Result<(Scope, Transaction)> {
    let (scope, transaction) = by_token(app, id, token).await?;
    if transaction.link.as_ref().map_or(NO_LINK, |link| &link.slug) != slug {
        return Err(Error::NotFound("Transaction"));
    }
    Ok((scope, transaction))
}

fn code(transaction: &Transaction, now: db::time::Timestamp) -> Result<Option<PixCode>> {
    let Some(pix) = &transaction.pix else { return Ok(None) };
    Ok(Some(PixCode {
        br_code: pix.code.clone(),
        qr: Qr::encode(&pix.code)?,
        seconds_left: transaction.expires_at.map_or(0, |at| at.since(now).as_secs()),
    }))
}

async fn link_of(app: &App, scope: Scope, of: &Transaction) -> Result<Option<PaymentLink>> {
    let Some(id) = of.link.as_ref().map(|link| link.id) else { return Ok(None) };
    match app.read(async move |tx| payment_links::find(tx, scope, id).await).await {
        Ok(link) => Ok(Some(link)),
        Err(Error::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

async fn title(app: &App, scope: Scope, transaction: &Transaction) -> Result<String> {
    match link_of(app, scope, transaction).await? {
        Some(link) => Ok(link.title),
        None => match transaction.items.first() {
            Some(item) => Ok(item.name.clone()),
            None => merchant_name(app, scope).await,
        },
    }
}

async fn merchant_name(app: &App, scope: Scope) -> Result<String> {
    let id = scope.merchant;
    app.read(async move |tx| Ok(merchants::find(tx, id).await?.name)).await
}

fn return_url(redirect: &str, id: TransactionId) -> Option<String> {
    let mut url = Url::parse(redirect).ok()?;
    url.query_pairs_mut().append_pair("transaction_id", &id.to_string());
    Some(url.into())
}
