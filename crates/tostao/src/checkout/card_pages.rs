//! Paying by card: a page whose form leads to the acquirer's tokeniser, and what comes back.
//!
//! ```text
//! GET card ──card──▶ tokeniser ──token──▶ GET card (to be confirmed) ──▶ POST card ──▶ payment
//!    └── with scripts: the token comes to the same page, which goes on by itself ──────┘
//! ```
//!
//! No field of a card is ever posted here. What the buyer typed before travels sealed.

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;

use crate::affiliates::clicks::visitor_api::Visitor;
use crate::app::App;
use crate::checkout::api::limit;
use crate::checkout::attempts::issue_once;
use crate::checkout::bill::{Bill, offered};
use crate::checkout::closed_pages::closed;
use crate::checkout::order::{new, price_changed};
use crate::checkout::pay_pages::{Found, bill_of, find, refuse};
use crate::checkout::pay_view::spoken;
use crate::checkout::sealed::{self, Purchase};
use crate::checkout::views::Field;
use crate::checkout::views::card::{CardForm, CardPage, Notice, Step};
use crate::error::{Error, Refusal, Result};
use crate::http::context::Context;
use crate::http::html::{page_of, posted, see};
use crate::http::language::Language;
use crate::http::path::Named;
use crate::http::query::Query;
use crate::messages::Lang;
use crate::transactions::{Method, PaymentMethod};

/// What the address of the card's page holds.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct CardQuery {
    state: String,
    /// What stands for the card, once the tokeniser has seen it.
    #[serde(rename = "cardToken")]
    card_token: String,
    /// What the tokeniser refused, like `number.INVALID_CARD_NUMBER`, separated by commas.
    wrong: String,
}

/// What the page posts.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Confirmed {
    state: String,
    #[serde(rename = "cardToken")]
    card_token: String,
    /// Another method, if the buyer would rather not use a card.
    method: String,
}

/// GET /pay/{slug}/card
pub async fn show(
    State(app): State<App>,
    language: Language,
    Named(slug): Named<String>,
    Query(query): Query<CardQuery>,
) -> Result<Response> {
    let Some(purchase) = sealed::open(&app, &slug, &query.state) else {
        return Ok(see(&format!("/pay/{slug}")));
    };
    let found = find(&app, &slug).await?;
    let bill = match bill_of(&app, &found, purchase.posted.coupon()).await {
        Ok(bill) => bill,
        Err(error) => return refuse(&app, language, &found, &purchase.posted, error).await,
    };
    let page = page(&app, language.lang, &found, &bill, &purchase, &query.wrong)?;
    if query.card_token.is_empty() {
        return page_of(&page, StatusCode::OK, language, false);
    }
    let provider = app.providers.card(found.0.mode)?;
    let face = provider.look(&query.card_token).await;
    let page = match face.map_err(|error| Error::Unavailable(error.to_string()))? {
        Some(face) => {
            let (brand, last4) = (face.brand.shown(), face.last4);
            CardPage { step: Step::Confirm { token: query.card_token, brand, last4 }, ..page }
        }
        None => CardPage { notice: Some(spent(language.lang)), ..page },
    };
    page_of(&page, StatusCode::OK, language, false)
}

/// POST /pay/{slug}/card
pub async fn pay(
    State(app): State<App>,
    language: Language,
    Context(context): Context,
    visitor: Visitor,
    Named(slug): Named<String>,
    request: Request,
) -> Result<Response> {
    let confirmed: Confirmed = posted(request).await?;
    let Some(purchase) = sealed::open(&app, &slug, &confirmed.state) else {
        return Ok(see(&format!("/pay/{slug}")));
    };
    let found = find(&app, &slug).await?;
    let (scope, link, merchant) = &found;
    limit(&app, &context, *scope, link)?;
    let error = match charge(&app, &found, &purchase, &visitor, &confirmed).await {
        Ok(place) => return Ok(see(&place)),
        Err(error) => error,
    };
    let (status, notice) = match &error {
        Error::Declined(code) => {
            let text = declined(language.lang, code);
            let heading = language.lang.declined();
            (StatusCode::PAYMENT_REQUIRED, Notice { heading, text })
        }
        Error::Refused(Refusal::ConcurrentUpdate, _) => {
            let (heading, text) = (language.lang.look_again(), language.lang.price_changed());
            (StatusCode::CONFLICT, Notice { heading, text })
        }
        Error::Invalid(wrong) if wrong.iter().all(|wrong| wrong.field == "cardToken") => {
            (StatusCode::UNPROCESSABLE_ENTITY, spent(language.lang))
        }
        Error::Invalid(_)
        | Error::Refused(Refusal::CouponInvalid | Refusal::InstallmentsNotAllowed, _) => {
            return refuse(&app, language, &found, &purchase.posted, error).await;
        }
        _ => return closed(language, *scope, merchant, error),
    };
    let bill = match bill_of(&app, &found, purchase.posted.coupon()).await {
        Ok(bill) => bill,
        Err(error) => return refuse(&app, language, &found, &purchase.posted, error).await,
    };
    let page = page(&app, language.lang, &found, &bill, &purchase, "")?;
    page_of(&CardPage { notice: Some(notice), ..page }, status, language, false)
}

/// What a declined card means for its buyer, and what he can do next.
pub fn declined(lang: Lang, code: &str) -> &'static str {
    match code {
        "insufficient_funds" => lang.insufficient_funds(),
        "incorrect_cvc" => lang.incorrect_cvc(),
        "expired_card" => lang.expired_card(),
        "card_velocity_exceeded" => lang.too_many_charges(),
        // Whoever found or stole a card is not told that it was missed.
        _ => lang.not_authorised(),
    }
}

/// Charges the card, or issues by another method; answers where to go.
async fn charge(
    app: &App,
    found: &Found,
    purchase: &Purchase,
    visitor: &Visitor,
    confirmed: &Confirmed,
) -> Result<String> {
    let (scope, link, _) = found;
    let posted = &purchase.posted;
    let offered = offered(app, scope.mode, link);
    let named = |method: &PaymentMethod| Method::from(*method).name() == confirmed.method;
    let method = offered.iter().copied().find(named).unwrap_or(PaymentMethod::CreditCard);
    let bill = bill_of(app, found, posted.coupon()).await?;
    if bill.total(method, posted.parts()).get() > purchase.total {
        return Err(price_changed());
    }
    let token = (method == PaymentMethod::CreditCard).then_some(confirmed.card_token.as_str());
    let new = new(app, found, posted, visitor, method, token)?;
    let issued = issue_once(app, *scope, &posted.attempt, &link.slug, &new).await?;
    Ok(format!("/pay/{}/t/{}?token={}", link.slug, issued.id, issued.token))
}

fn page(
    app: &App,
    lang: Lang,
    (scope, link, merchant): &Found,
    bill: &Bill,
    purchase: &Purchase,
    wrong: &str,
) -> Result<CardPage> {
    let count = purchase.posted.parts();
    let total = bill.total(PaymentMethod::CreditCard, count);
    let plan = bill.plan(count).filter(|plan| plan.count > 1);
    // It is sealed anew, so that it lasts from now on, with what he is told now.
    let state = sealed::seal(app, &link.slug, &purchase.posted, total);
    let others = offered(app, scope.mode, link).into_iter().filter_map(|method| match method {
        PaymentMethod::Pix => Some(("PIX", lang.pay_by_pix(lang.money(bill.due.get())))),
        PaymentMethod::Boleto if !purchase.posted.document.trim().is_empty() => {
            Some(("BOLETO", lang.pay_by_boleto(lang.money(bill.due.get()))))
        }
        _ => None,
    });
    let door = app.providers.card(scope.mode)?.tokeniser();
    Ok(CardPage {
        lang,
        test_mode: scope.mode.is_development(),
        merchant: merchant.name.clone(),
        language_url: format!("/pay/{}/card?state={state}&lang={}", link.slug, lang.other().tag()),
        slug: link.slug.clone(),
        title: link.title.clone(),
        amount: lang.money(total.get()),
        parts: plan.map(|plan| spoken(lang, plan)),
        others: others.collect(),
        state,
        notice: None,
        step: Step::Type(CardForm {
            door,
            number: field(lang, wrong, "number"),
            expiry: field(lang, wrong, "expiry"),
            cvv: field(lang, wrong, "cvv"),
            holder: field(lang, wrong, "holder"),
        }),
    })
}

/// A field, always empty, with what the tokeniser refused in it.
fn field(lang: Lang, wrong: &str, name: &str) -> Field {
    let codes = wrong.split(',').filter_map(|wrong| wrong.split_once('.'));
    let code = codes.filter(|(field, _)| *field == name).map(|(_, code)| code).next();
    let error = code.map(|code| match (name, code) {
        ("number", "NOT_A_TEST_CARD") => lang.not_a_test_card(),
        ("number", _) => lang.invalid_card_number(),
        ("expiry", "CARD_EXPIRED") => lang.card_has_expired(),
        ("expiry", _) => lang.invalid_expiry(),
        ("cvv", _) => lang.invalid_cvv(),
        _ => lang.required(),
    });
    Field { value: String::new(), error: error.map(str::to_owned) }
}

fn spent(lang: Lang) -> Notice {
    Notice { heading: lang.type_card_again(), text: lang.card_is_not_kept() }
}
