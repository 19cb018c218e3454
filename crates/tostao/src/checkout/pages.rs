//! The pages of a payment. They work without scripts: a form is posted, the response is a redirect.

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use brazil::document::Document;
use brazil::installments::Plan;
use documents::qr::Qr;
use http::{HeaderMap, StatusCode};
use ledger::cents::Cents;
use serde::Deserialize;
use url::{Url, form_urlencoded};

use crate::app::App;
use crate::checkout::api::{by_token, limit};
use crate::checkout::attempts::{is_coupon_lost, issue_after};
use crate::checkout::boleto_document_pages::boleto_document;
use crate::checkout::card_pages::card_path;
use crate::checkout::card_step_pages::{declined, lead_to};
use crate::checkout::closed_pages::closed_with;
use crate::checkout::form::FormFields;
use crate::checkout::form_pages::form_path;
use crate::checkout::order_summary::available_methods;
use crate::checkout::pay_pages::LinkPageData;
use crate::checkout::pay_view::plan_text;
use crate::checkout::portal_cookie_pages;
use crate::checkout::redirect_pages::other_language;
use crate::checkout::sealed_form::SealedForm;
use crate::checkout::status_stream_api;
use crate::checkout::views::charge::{
    BoletoPage, BoletoState, Charge, FailedPage, PaymentPaths, PixCode, PixPage, ProcessingPage,
    Subscription,
};
use crate::checkout::views::{PixelId, ReceiptPage, UnavailablePage, UnavailableReason};
use crate::merchants::look::SellerProfile;
use crate::merchants::{self, Merchant};
use crate::payment_links::{self, PaymentLink};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::context::Context;
use crate::platform::http::device::Device;
use crate::platform::http::html::{page_of, posted, see};
use crate::platform::http::language::RequestLanguage;
use crate::platform::http::path::PagePath;
use crate::platform::http::query::Query;
use crate::platform::ids::{Scope, TransactionId};
use crate::platform::messages::Lang;
use crate::transactions::request::NewTransaction;
use crate::transactions::simulate::{SimulatedOutcome, Simulation, simulate as simulate_outcome};
use crate::transactions::status::Status;
use crate::transactions::status_token::retry_attempt_id;
use crate::transactions::terms::NO_LINK;
use crate::transactions::{Method, PaymentMethod, Transaction};

/// The token in a buyer's URL.
#[derive(Debug, Deserialize)]
pub struct Token {
    /// Empty if the URL has none; then no payment is found.
    #[serde(default)]
    pub token: String,
}

/// The path of a payment's page.
#[derive(Debug, Deserialize)]
pub struct PaymentPath {
    pub slug: String,
    pub id: TransactionId,
}

/// GET /pay/{slug}/t/{id}
pub async fn show(
    State(app): State<App>,
    language: RequestLanguage,
    PagePath(PaymentPath { slug, id }): PagePath<PaymentPath>,
    Query(Token { token }): Query<Token>,
    request: HeaderMap,
) -> Result<Response> {
    let (scope, transaction) = by_url(&app, &slug, id, &token).await?;
    let lang = language.lang;
    let place = PaymentPaths { slug, transaction: id.to_string(), token };
    let language_url = format!("{}&lang={}", place.address_with_token(""), lang.other().tag());
    let test_mode = scope.mode.is_development();
    let charge = charge(&app, scope, lang, &transaction, place, &request).await?;
    match transaction.status {
        Status::Pending | Status::Expired | Status::Failed if transaction.boleto.is_some() => {
            let boleto = boleto_state(&app, scope, lang, &transaction).await?;
            let page = BoletoPage { lang, test_mode, language_url, charge, boleto };
            page_of(&page, StatusCode::OK, language, false)
        }
        Status::Pending | Status::Expired => {
            let now = scope.at(app.now());
            let code =
                if transaction.status == Status::Pending { code(&transaction, now)? } else { None };
            let expires_at = transaction.expires_at.map(|at| lang.date_time(at.micros()));
            let expires_at = expires_at.unwrap_or_default();
            let page = PixPage { lang, test_mode, language_url, charge, expires_at, code };
            page_of(&page, StatusCode::OK, language, false)
        }
        Status::Processing => {
            let page = ProcessingPage { lang, test_mode, language_url, charge };
            page_of(&page, StatusCode::OK, language, false)
        }
        Status::Failed => {
            let reason = declined(lang, transaction.decline_code.map_or("", |code| code.name()));
            let link = link_of(&app, scope, &transaction).await?;
            let available_methods =
                link.map(|link| available_methods(&app, scope.mode, &link)).unwrap_or_default();
            let has_link = !available_methods.is_empty();
            let takes_pix = available_methods.contains(&PaymentMethod::Pix);
            let page =
                FailedPage { lang, test_mode, language_url, charge, reason, has_link, takes_pix };
            page_of(&page, StatusCode::OK, language, false)
        }
        Status::Cancelled => {
            let (merchant, reason) = (Some(charge.merchant), UnavailableReason::ChargeCancelled);
            let reference = None;
            let page =
                UnavailablePage { lang, test_mode, merchant, language_url, reason, reference };
            page_of(&page, StatusCode::GONE, language, false)
        }
        _ => Ok(see(&charge.place.address_with_token("/receipt"))),
    }
}

/// GET /pay/{slug}/t/{id}/receipt
pub async fn receipt(
    State(app): State<App>,
    language: RequestLanguage,
    PagePath(PaymentPath { slug, id }): PagePath<PaymentPath>,
    Query(Token { token }): Query<Token>,
    request: HeaderMap,
) -> Result<Response> {
    let (scope, transaction) = by_url(&app, &slug, id, &token).await?;
    let Some(paid_at) = transaction.paid_at else {
        return Ok(see(&format!("/pay/{slug}/t/{id}?token={token}")));
    };
    let link = link_of(&app, scope, &transaction).await?;
    let lang = language.lang;
    let pixel = link.as_ref().and_then(|link| PixelId::parse(link.meta_pixel_code.as_deref()?));
    let with_pixel = pixel.is_some();
    let some = |cents: Cents| (cents > Cents::ZERO).then(|| lang.money(cents.get()));
    let page = ReceiptPage {
        lang,
        test_mode: scope.mode.is_development(),
        merchant: seller(&app, scope).await?,
        language_url: format!(
            "/pay/{slug}/t/{id}/receipt?token={token}&lang={}",
            lang.other().tag()
        ),
        title: title(&app, scope, &transaction).await?,
        amount: lang.money(transaction.paid.unwrap_or(transaction.amount).get()),
        discount: some(transaction.discount),
        coupon: transaction.coupon_code.clone(),
        refunded: some(transaction.refunded),
        paid_at: lang.date_time(paid_at.micros()),
        method: paid_with(lang, &transaction),
        parts: installments_text(lang, &transaction),
        payer: transaction.customer.name.clone(),
        masked_document: transaction.customer.document.as_ref().map(Document::masked),
        transaction: id.to_string(),
        end_to_end_id: transaction.pix.as_ref().and_then(|pix| pix.end_to_end_id.clone()),
        subscription_url: portal_cookie_pages::portal_of(&app, &request, &transaction),
        return_url: link.and_then(|link| return_url(link.redirect_url.as_deref()?, id)),
        pixel,
    };
    page_of(&page, StatusCode::OK, language, with_pixel)
}

/// POST /pay/{slug}/t/{id}/renew
pub async fn renew(
    State(app): State<App>,
    language: RequestLanguage,
    Context(context): Context,
    PagePath(PaymentPath { slug, id }): PagePath<PaymentPath>,
    request: Request,
) -> Result<Response> {
    let Token { token } = posted(request).await?;
    let (scope, old) = by_url(&app, &slug, id, &token).await?;
    // A payment of a subscription is renewed by its billing, never from this page.
    let renewable = old.period.is_none() && matches!(old.status, Status::Expired | Status::Failed);
    if !renewable {
        return Ok(see(&format!("/pay/{slug}/t/{id}?token={token}")));
    }
    if let Some(link) = link_of(&app, scope, &old).await? {
        limit(&app, &context, scope, &link)?;
    }
    let new = NewTransaction::again(&old, scope.today(app.now()));
    match issue_after(&app, scope, id, &slug, &new).await {
        Ok(issued) => Ok(see(&format!("/pay/{slug}/t/{}?token={}", issued.id, issued.token))),
        // The coupon is no longer valid. Without a link there is no form, and its page says so.
        Err(Error::Refused(ErrorCode::CouponInvalid, _)) if old.link.is_none() => {
            Ok(see(&format!("/pay/{slug}/t/{id}?token={token}")))
        }
        // The link's form shows the error where the buyer can change the coupon.
        Err(Error::Refused(ErrorCode::CouponInvalid, _)) => {
            let coupon = old.coupon_code.unwrap_or_default();
            let coupon: String = form_urlencoded::byte_serialize(coupon.as_bytes()).collect();
            Ok(see(&format!("/pay/{slug}?coupon={coupon}")))
        }
        // Another bank may want what the first one did not: the form asks for it.
        Err(Error::Invalid(_)) if old.link.is_some() => Ok(see(&format!("/pay/{slug}"))),
        Err(error) => {
            let merchant = seller(&app, scope).await?;
            let language_url = other_language(&slug, &token, language.lang);
            closed_with(language, scope, &merchant, error, language_url)
        }
    }
}

/// POST /pay/{slug}/t/{id}/retry
pub async fn retry(
    State(app): State<App>,
    device: Device,
    PagePath(PaymentPath { slug, id }): PagePath<PaymentPath>,
    request: Request,
) -> Result<Response> {
    let Token { token } = posted(request).await?;
    let (scope, old) = by_url(&app, &slug, id, &token).await?;
    if old.status != Status::Failed || link_of(&app, scope, &old).await?.is_none() {
        return Ok(see(&format!("/pay/{slug}/t/{id}?token={token}")));
    }
    let posted = FormFields::from_payment(&old, retry_attempt_id(&app.secrets, id));
    Ok(lead_to(
        &app,
        &device,
        &card_path(&form_path::<LinkPageData>(&slug)),
        &SealedForm::new(&posted, old.amount),
    ))
}

/// POST /pay/{slug}/t/{id}/simulate
pub async fn simulate(
    State(app): State<App>,
    PagePath(PaymentPath { slug, id }): PagePath<PaymentPath>,
    request: Request,
) -> Result<Response> {
    let Token { token } = posted(request).await?;
    let (scope, _) = by_url(&app, &slug, id, &token).await?;
    let scope = scope.expect_development()?;
    let simulation = Simulation {
        outcome: SimulatedOutcome::Paid,
        amount: None,
        calls: 1,
        delay: std::time::Duration::ZERO,
    };
    simulate_outcome(&app, scope, id, simulation, None).await?;
    Ok(see(&format!("/pay/{slug}/t/{id}?token={token}")))
}

/// GET /pay/{slug}/t/{id}/events
pub async fn events(
    State(app): State<App>,
    Context(context): Context,
    PagePath(PaymentPath { slug, id }): PagePath<PaymentPath>,
    Query(Token { token }): Query<Token>,
) -> Result<Response> {
    let place = app.buyer_streams.place(context.client_ip)?;
    let (scope, transaction) = by_url(&app, &slug, id, &token).await?;
    Ok(status_stream_api::stream(&app, scope, &transaction, place).into_response())
}

/// Finds the payment that a URL names: its token opens it, and its link matches.
pub async fn by_url(
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

/// What a buyer can do about the boleto of an unpaid payment.
async fn boleto_state(
    app: &App,
    scope: Scope,
    lang: Lang,
    transaction: &Transaction,
) -> Result<BoletoState> {
    match transaction.status {
        Status::Failed => Ok(BoletoState::NotMade),
        Status::Pending => {
            let made = boleto_document(app, scope, lang, transaction).await?;
            let payable = made.map(|boleto| BoletoState::Payable(Box::new(boleto)));
            Ok(payable.unwrap_or(BoletoState::BeingMade))
        }
        _ => Ok(BoletoState::Expired),
    }
}

async fn link_of(app: &App, scope: Scope, of: &Transaction) -> Result<Option<PaymentLink>> {
    let Some(id) = of.link.as_ref().map(|link| link.id) else { return Ok(None) };
    match app.read(async move |tx| payment_links::find(tx, scope, id).await).await {
        Ok(link) => Ok(Some(link)),
        Err(Error::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// What every page of a payment shows.
async fn charge(
    app: &App,
    scope: Scope,
    lang: Lang,
    transaction: &Transaction,
    place: PaymentPaths,
    request: &HeaderMap,
) -> Result<Charge> {
    let subscription = transaction.period.map(|_| Subscription {
        address: portal_cookie_pages::portal_of(app, request, transaction),
    });
    Ok(Charge {
        merchant: seller(app, scope).await?,
        place,
        title: title(app, scope, transaction).await?,
        amount: lang.money(transaction.amount.get()),
        subscription,
        is_coupon_lost: is_coupon_lost(app, scope, transaction).await?,
    })
}

/// The method of a payment, as its receipt names it.
fn paid_with(lang: Lang, transaction: &Transaction) -> String {
    match (&transaction.card, transaction.method) {
        (Some(card), _) => lang.card_ending(card.brand.shown(), &card.last4),
        (None, Method::Pix) => lang.pix().to_owned(),
        (None, Method::Boleto) => lang.boleto().to_owned(),
        (None, Method::CreditCard) => lang.card().to_owned(),
        (None, Method::Free) => lang.nothing_to_pay().to_owned(),
    }
}

/// The number of card installments; `None` for one.
fn installments_text(lang: Lang, transaction: &Transaction) -> Option<String> {
    let count = u8::try_from(transaction.installments).ok().filter(|count| *count > 1)?;
    let amount = transaction.amount.get();
    let rest = amount / i64::from(count);
    let plan = Plan {
        count,
        first_cents: amount - rest * i64::from(count - 1),
        other_cents: rest,
        total_cents: amount,
        interest_cents: transaction.interest.get(),
    };
    Some(plan_text(lang, &plan))
}

pub async fn title(app: &App, scope: Scope, transaction: &Transaction) -> Result<String> {
    if let Some(link) = link_of(app, scope, transaction).await? {
        return Ok(link.title);
    }
    let item = transaction.items.first().map(|item| item.name.clone());
    match item.or_else(|| transaction.description.clone()) {
        Some(name) => Ok(name),
        None => Ok(seller(app, scope).await?.name),
    }
}

/// What a buyer sees of a merchant.
pub async fn seller(app: &App, scope: Scope) -> Result<SellerProfile> {
    let id = scope.merchant;
    let Merchant { name, look, .. } =
        app.read(async move |tx| merchants::find(tx, id).await).await?;
    Ok(SellerProfile { name, look })
}

fn return_url(redirect: &str, id: TransactionId) -> Option<String> {
    let mut url = Url::parse(redirect).ok()?;
    url.query_pairs_mut().append_pair("transaction_id", &id.to_string());
    Some(url.into())
}
