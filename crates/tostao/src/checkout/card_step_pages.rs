//! What every page for a card does alike: its fields, the card that came back from the tokeniser,
//! and what a refusal says.

use http::StatusCode;
use serde::Deserialize;

use crate::app::App;
use crate::checkout::views::Field;
use crate::checkout::views::card::{CardForm, CardPage, Notice, Step};
use crate::platform::error::{Error, Refusal, Result};
use crate::platform::ids::Mode;
use crate::platform::messages::Lang;

/// What the address of the card's page holds.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct CardQuery {
    pub state: String,
    /// What stands for the card, once the tokeniser has seen it.
    #[serde(rename = "cardToken")]
    pub card_token: String,
    /// What the tokeniser refused, like `number.INVALID_CARD_NUMBER`, separated by commas.
    pub wrong: String,
}

/// What the page posts.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Confirmed {
    pub state: String,
    #[serde(rename = "cardToken")]
    pub card_token: String,
    /// Another method, if the buyer would rather not use a card.
    pub method: String,
}

/// The fields of a card, with what the tokeniser refused in them.
pub fn typing(app: &App, mode: Mode, lang: Lang, wrong: &str) -> Result<Step> {
    Ok(Step::Type(CardForm {
        door: app.providers.card(mode)?.tokeniser(),
        number: field(lang, wrong, "number"),
        expiry: field(lang, wrong, "expiry"),
        cvv: field(lang, wrong, "cvv"),
        holder: field(lang, wrong, "holder"),
    }))
}

/// The page with the card that a token stands for, to be confirmed; as it is without a token.
pub async fn with_card(app: &App, mode: Mode, page: CardPage, token: String) -> Result<CardPage> {
    if token.is_empty() {
        return Ok(page);
    }
    let face = app.providers.card(mode)?.look(&token).await;
    Ok(match face.map_err(|error| Error::Unavailable(error.to_string()))? {
        Some(face) => {
            let (brand, last4) = (face.brand.shown(), face.last4);
            CardPage { step: Step::Confirm { token, brand, last4 }, ..page }
        }
        None => CardPage { notice: Some(spent(page.lang)), ..page },
    })
}

/// What the page says about a refusal that another card, or another look, may mend.
pub fn notice(lang: Lang, error: &Error) -> Option<(StatusCode, Notice)> {
    match error {
        Error::Declined(code) => {
            let notice = Notice { heading: lang.declined(), text: declined(lang, code) };
            Some((StatusCode::PAYMENT_REQUIRED, notice))
        }
        Error::Refused(Refusal::ConcurrentUpdate, _) => {
            let notice = Notice { heading: lang.look_again(), text: lang.price_changed() };
            Some((StatusCode::CONFLICT, notice))
        }
        Error::Invalid(wrong) if wrong.iter().all(|wrong| wrong.field == "cardToken") => {
            Some((StatusCode::UNPROCESSABLE_ENTITY, spent(lang)))
        }
        _ => None,
    }
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
