//! The form endpoint of the tokenizer: a browser without scripts posts a card to it.
//!
//! It stands for the payment page that an acquirer hosts. The card ends here; the checkout gets a
//! token, or the invalid fields, beside the sealed state that came with it.

use axum::extract::{Request, State};
use axum::response::Response;
use serde::Deserialize;
use url::form_urlencoded;

use crate::app::App;
use crate::platform::error::{Error, FieldError, Result};
use crate::platform::http::context::Context;
use crate::platform::http::html::{posted_card, see};
use crate::providers::card_tokens::api::{CardTokenBody, Simulated, tokenize};

/// A test card as it is typed into the page.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct CardForm {
    number: String,
    /// Month and year, like 08/29.
    expiry: String,
    cvv: String,
    holder: String,
    /// The page on which it was typed.
    back: String,
    /// That page's own state, returned unread.
    state: String,
}

/// POST /sandbox/card-form
pub async fn take(
    State(app): State<App>,
    _: Simulated,
    Context(context): Context,
    request: Request,
) -> Result<Response> {
    let form: CardForm = posted_card(request).await?;
    if !is_page_of_ours(&form.back) {
        return Err(Error::NotFound("Page"));
    }
    let (month, year) = month_and_year(&form.expiry);
    let body = CardTokenBody::new(form.number, month, year, form.cvv, form.holder);
    let (name, value) = match tokenize(&app, &context, &body).await {
        Ok(reply) => ("cardToken", reply.card_token().to_owned()),
        Err(Error::Invalid(wrong)) => ("wrong", listed(&wrong)),
        Err(error) => return Err(error),
    };
    let query = form_urlencoded::Serializer::new(String::new())
        .append_pair("state", &form.state)
        .append_pair(name, &value)
        .finish();
    Ok(see(&format!("{}?{query}", form.back)))
}

/// Whether a path leads to one of our card pages, and to no other host.
fn is_page_of_ours(path: &str) -> bool {
    let parts = path.strip_prefix('/').and_then(|path| path.strip_suffix("/card"));
    let plain = |part: &str| {
        let known = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        !part.is_empty() && part.bytes().all(known)
    };
    parts.is_some_and(|parts| parts.split('/').all(plain))
}

/// Parses `08/29` or `08/2029`; anything else gives zeros, which no card has.
fn month_and_year(text: &str) -> (i64, i64) {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let (month, year) = digits.split_at_checked(2).unwrap_or(("", ""));
    let number = |text: &str| text.parse::<i64>().unwrap_or(0);
    match year.len() {
        2 => (number(month), 2000 + number(year)),
        4 => (number(month), number(year)),
        _ => (0, 0),
    }
}

/// The invalid fields of the page, like `expiry.CARD_EXPIRED,cvv.INVALID_CVV`.
fn listed(wrong: &[FieldError]) -> String {
    let listed = wrong.iter().map(|wrong| {
        let field = match wrong.field.as_str() {
            "expMonth" | "expYear" => "expiry",
            "holderName" => "holder",
            field => field,
        };
        format!("{field}.{}", wrong.code)
    });
    listed.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::{is_page_of_ours, month_and_year};

    #[test]
    fn an_expiry_is_read_in_every_usual_form() {
        let table = [
            ("08/29", (8, 2029)),
            ("0829", (8, 2029)),
            ("08 / 2029", (8, 2029)),
            ("12-2030", (12, 2030)),
            ("8/29", (0, 0)),
            ("", (0, 0)),
            ("8", (0, 0)),
            ("agosto", (0, 0)),
        ];
        for (text, read) in table {
            assert_eq!(month_and_year(text), read, "{text}");
        }
    }

    #[test]
    fn a_card_leads_back_to_a_page_for_cards_and_to_no_other_host() {
        let table = [
            ("/pay/123456789ABC/card", true),
            ("/subscribe/0199b3a0-0000-7000-8000-000000000001/card", true),
            ("/subscription/card", true),
            ("/card", false),
            ("//example.com/card", false),
            ("/pay//card", false),
            ("/pay/a/b", false),
            ("https://example.com/card", false),
            ("/pay/..%2f/card", false),
            ("/pay/a/card?x=/card", false),
            ("/pay/a\r\nb/card", false),
            ("", false),
        ];
        for (path, ours) in table {
            assert_eq!(is_page_of_ours(path), ours, "{path}");
        }
    }
}
