//! What every card page has in common: the state in its URL, its fields, the card that came back
//! from the tokenizer, and the message for a refusal.

use axum::response::Response;
use http::StatusCode;
use rails::error::ProviderError;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::checkout::sealed_form::{open_expired_for, open_for, seal_for};
use crate::checkout::views::card::{CardForm, CardPage, Step};
use crate::checkout::views::{Field, Notice};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::device::Device;
use crate::platform::http::html::{page_of, page_reaching, see};
use crate::platform::http::language::RequestLanguage;
use crate::platform::ids::Mode;
use crate::platform::messages::Lang;

/// The value of `notice` in the query of a page that a lost card page leads back to.
const CARD_PAGE_LOST: &str = "card";

/// The query of the card page.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct CardQuery {
    pub state: String,
    /// The card token, once the tokenizer has the card.
    #[serde(rename = "cardToken")]
    pub card_token: String,
    /// What the tokenizer refused, like `number.INVALID_CARD_NUMBER`, separated by commas.
    pub wrong: String,
}

/// The form that the page posts.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct CardConfirmForm {
    pub state: String,
    #[serde(rename = "cardToken")]
    pub card_token: String,
    /// Another method, if the buyer prefers not to use a card.
    pub method: String,
}

/// Redirects to a card page, with a value that opens there in this browser only.
pub fn lead_to(app: &App, device: &Device, page: &str, content: &impl Serialize) -> Response {
    let fresh = app.database.sources().random();
    let (device, cookie) = device.named(fresh, app.urls.checkout());
    let state = seal_for_page(app, &device, page, content);
    let mut response = see(&format!("{page}?state={state}"));
    response.headers_mut().extend(cookie);
    response
}

/// Redirects from a card page that does not open to the page before it, which says so.
pub fn lead_back(page: &str) -> Response {
    see(&format!("{page}?notice={CARD_PAGE_LOST}"))
}

/// Whether the `notice` of a query asks that page to say so.
pub fn is_card_page_lost(notice: &str) -> bool {
    notice == CARD_PAGE_LOST
}

/// What that page says.
pub fn card_page_lost(lang: Lang) -> Notice {
    Notice::new(lang.card_page_not_opened(), lang.card_page_lost())
}

/// Seals a value for a card page in one browser.
pub fn seal_for_page(app: &App, device: &Device, page: &str, content: &impl Serialize) -> String {
    seal_for(app, &aad(device, page), content)
}

/// Opens what was sealed for a card page; `None` if it is invalid, has expired, or was sealed for
/// another browser.
pub fn open_for_page<T: DeserializeOwned>(
    app: &App,
    device: &Device,
    page: &str,
    state: &str,
) -> Option<T> {
    open_for(app, &aad(device, page), state)
}

/// Opens it even if it has expired.
pub fn open_expired_for_page<T: DeserializeOwned>(
    app: &App,
    device: &Device,
    page: &str,
    state: &str,
) -> Option<T> {
    open_expired_for(app, &aad(device, page), state)
}

/// The card fields, with what the tokenizer refused in them.
pub fn card_form(app: &App, mode: Mode, lang: Lang, wrong: &str) -> Result<Step> {
    Ok(Step::Type(CardForm {
        tokenizer: app.providers.card(mode)?.tokenizer(),
        number: field(lang, wrong, "number"),
        expiry: field(lang, wrong, "expiry"),
        cvv: field(lang, wrong, "cvv"),
        holder: field(lang, wrong, "holder"),
    }))
}

/// The page with the card of a token, to be confirmed; unchanged without a token.
pub async fn with_card(app: &App, mode: Mode, page: CardPage, token: String) -> Result<CardPage> {
    if token.is_empty() {
        return Ok(page);
    }
    let details = match app.providers.card(mode)?.inspect_token(&token).await {
        // Another card may do, and this one never will.
        Err(ProviderError::Refused { .. } | ProviderError::UnusableToken) => None,
        details => details.map_err(|error| Error::NotAnswered(error.to_string()))?,
    };
    Ok(match details {
        Some(details) => {
            let (brand, last4) = (details.brand.shown(), details.last4);
            CardPage { step: Step::Confirm { token, brand, last4 }, ..page }
        }
        None => CardPage { notice: Some(token_spent(page.lang)), ..page },
    })
}

/// The page as a response. Its script may call the tokenizer, wherever that is, and no other page's
/// script may.
pub fn card_page_of(
    page: &CardPage,
    status: StatusCode,
    language: RequestLanguage,
) -> Result<Response> {
    match page.tokenizer_origin() {
        Some(origin) => page_reaching(page, status, language, &origin),
        None => page_of(page, status, language, false),
    }
}

/// The message for a refusal that another card, or another try, may solve.
pub fn notice(lang: Lang, error: &Error) -> Option<(StatusCode, Notice)> {
    match error {
        Error::Declined(code) => {
            let notice = Notice::new(lang.declined(), declined(lang, code));
            Some((StatusCode::PAYMENT_REQUIRED, notice))
        }
        Error::Refused(ErrorCode::ConcurrentUpdate, _) => {
            let notice = Notice::new(lang.look_again(), lang.price_changed());
            Some((StatusCode::CONFLICT, notice))
        }
        Error::Invalid(wrong) if wrong.iter().all(|wrong| wrong.field == "cardToken") => {
            Some((StatusCode::UNPROCESSABLE_ENTITY, token_spent(lang)))
        }
        _ => None,
    }
}

/// What a decline means for the buyer, and what they can do next.
pub fn declined(lang: Lang, code: &str) -> &'static str {
    match code {
        "insufficient_funds" => lang.insufficient_funds(),
        "incorrect_cvc" => lang.incorrect_cvc(),
        "expired_card" => lang.expired_card(),
        "card_velocity_exceeded" => lang.too_many_charges(),
        // A person who found or stole a card must not learn that it was reported.
        _ => lang.not_authorized(),
    }
}

/// A field, always empty, with what the tokenizer refused in it.
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

fn token_spent(lang: Lang) -> Notice {
    Notice::new(lang.type_card_again(), lang.card_is_not_kept())
}

/// The associated data of a card page's state; nothing is sealed for a device without a name.
fn aad(device: &Device, page: &str) -> String {
    format!("{page}\n{}", device.0.as_deref().unwrap_or_default())
}
