//! The endpoint where a page exchanges a card for a token.
//!
//! It is separate from the API, which never accepts a card number. With real money the page sends
//! the card to the acquirer instead, and no card data comes here.

use axum::extract::{FromRequestParts, State};
use brazil::calendar::sao_paulo_date;
use db::time::Timestamp;
use http::request::Parts;
use sandbox::test_cards::TestCard;
use sandbox::tokens::Typed;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::platform::error::{Error, FieldErrors, FieldFault, Result};
use crate::platform::fields::text;
use crate::platform::http::body::CardBody;
use crate::platform::http::context::{Context, RequestContext};
use crate::platform::http::rate_limit::CHECKOUT_DEVELOPMENT;
use crate::platform::http::reply::Created;
use crate::platform::openapi::describe::Describe;
use crate::platform::openapi::operation::Operation;

/// A smaller year is a misread one, not a year of a card. No card is valid for longer than
/// `YEARS_AHEAD_MAX` years.
const YEAR_MIN: i64 = 2000;
const YEARS_AHEAD_MAX: i64 = 50;

/// The details of a test card.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CreateCardTokenRequest")]
#[schemars(extend("examples" = [{
    "number": "4242 4242 4242 4242", "expMonth": 12, "expYear": 2049, "cvv": "123",
    "holderName": "FULANO DE TAL",
}]))]
pub struct CardTokenBody {
    /// A published test card number, with or without spaces. Other numbers are rejected.
    #[schemars(length(min = 13, max = 30))]
    number: String,
    #[schemars(range(min = 1, max = 12))]
    exp_month: i64,
    /// The expiry year, four digits.
    #[schemars(range(min = 2000, max = 2999))]
    exp_year: i64,
    /// The security code: any three digits, or four for American Express.
    #[schemars(length(min = 3, max = 4))]
    cvv: String,
    #[schemars(length(min = 1, max = 100))]
    holder_name: String,
}

/// A card token.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CardToken")]
pub struct CardTokenReply {
    /// The token, valid for one charge within 15 minutes.
    card_token: String,
    brand: &'static str,
    last4: &'static str,
}

/// Proves that the sandbox is enabled; no other part of a request is read before.
pub struct Simulated;

impl FromRequestParts<App> for Simulated {
    type Rejection = Error;

    async fn from_request_parts(_: &mut Parts, app: &App) -> Result<Self> {
        app.providers.simulating().map(|_| Self).map_err(|_| Error::NotFound("Page"))
    }
}

impl Describe for Simulated {
    fn describe(_: &mut Operation) {}
}

/// POST /sandbox/card-tokens
pub async fn create_card_token(
    State(app): State<App>,
    _: Simulated,
    Context(context): Context,
    CardBody(body): CardBody<CardTokenBody>,
) -> Result<Created<CardTokenReply>> {
    tokenize(&app, &context, &body).await.map(Created)
}

/// Creates a token for a test card, for both endpoints.
pub async fn tokenize(
    app: &App,
    context: &RequestContext,
    body: &CardTokenBody,
) -> Result<CardTokenReply> {
    let (zone, address) = (&CHECKOUT_DEVELOPMENT, context.client_ip);
    context.note_rate(app.limits.check_address(zone, address, "sandbox", app.now())?);
    let typed = check(body, app.now())?;
    let card_token = app.providers.sandbox().tokenize(typed).await;
    let card_token = card_token.map_err(|error| Error::Unavailable(error.to_string()))?;
    let (brand, last4) = (typed.card.brand.name(), typed.card.last4());
    Ok(CardTokenReply { card_token, brand, last4 })
}

impl CardTokenBody {
    /// Builds the body from another form of the card.
    pub fn new(
        number: String,
        exp_month: i64,
        exp_year: i64,
        cvv: String,
        holder_name: String,
    ) -> Self {
        Self { number, exp_month, exp_year, cvv, holder_name }
    }
}

impl CardTokenReply {
    /// The token alone.
    pub fn card_token(&self) -> &str {
        &self.card_token
    }
}

fn check(body: &CardTokenBody, now: Timestamp) -> Result<Typed> {
    let mut wrong = FieldErrors::new();
    let card = wrong.read("number", number(&body.number));
    wrong.read("expMonth", month(body.exp_month));
    wrong.read("expYear", year(body, now));
    wrong.read("cvv", security_code(&body.cvv, card));
    wrong.read("holderName", text(&body.holder_name, 1, 100));
    match card {
        Some(card) => {
            wrong.finish()?;
            Ok(Typed { card, exp_month: body.exp_month, exp_year: body.exp_year })
        }
        None => Err(wrong.into_error()),
    }
}

fn number(typed: &str) -> Result<&'static TestCard, FieldFault> {
    if !brazil::luhn::is_card_number(typed) {
        return Err(FieldFault::new("INVALID_CARD_NUMBER", "must be the number of a card"));
    }
    let digits: String = typed.chars().filter(char::is_ascii_digit).collect();
    TestCard::find(&digits).ok_or_else(|| {
        let message = "must be a published test number, such as the Visa that ends in 4242; \
                       the sandbox takes no other card";
        FieldFault::new("NOT_A_TEST_CARD", message)
    })
}

fn month(month: i64) -> Result<(), FieldFault> {
    if (1..=12).contains(&month) {
        return Ok(());
    }
    Err(FieldFault::new("OUT_OF_RANGE", "must be from 1 to 12"))
}

/// A card is valid until its month ends in São Paulo.
fn year(body: &CardTokenBody, now: Timestamp) -> Result<(), FieldFault> {
    let today = sao_paulo_date(now.micros());
    let this_year = i64::from(today.year());
    if !(YEAR_MIN..=this_year + YEARS_AHEAD_MAX).contains(&body.exp_year) {
        let last = this_year + YEARS_AHEAD_MAX;
        return Err(FieldFault::new("OUT_OF_RANGE", format!("must be from {this_year} to {last}")));
    }
    if (body.exp_year, body.exp_month) < (this_year, i64::from(today.month())) {
        return Err(FieldFault::new("CARD_EXPIRED", "is over: the card has expired"));
    }
    Ok(())
}

/// Its length depends on the brand, where that is known.
fn security_code(cvv: &str, card: Option<&TestCard>) -> Result<(), FieldFault> {
    let right_length = match card {
        Some(card) => cvv.len() == card.brand.cvv_length(),
        None => (3..=4).contains(&cvv.len()),
    };
    if right_length && cvv.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(());
    }
    let digits = card.map_or("3 or 4".to_owned(), |card| card.brand.cvv_length().to_string());
    Err(FieldFault::new("INVALID_CVV", format!("must be {digits} digits")))
}
