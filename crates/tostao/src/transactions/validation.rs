//! Validates what a checkout or a merchant's server sends about a payment, field by field.

use brazil::installments::MOST;
use jiff::ToSpan;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::clients::CustomerDetails;
use crate::idempotency::buyers::Buyer;
use crate::platform::error::{FieldErrors, FieldFault, Result};
use crate::platform::fields;
use crate::platform::http::device::Device;
use crate::transactions::request::{PaymentInstrument, SECONDS_TO_PAY};
use crate::transactions::{Address, PaymentMethod};

/// A PIX charge may expire after a minute to thirty days.
const SECONDS_TO_PAY_ALLOWED: std::ops::RangeInclusive<i64> = 60..=2_592_000;
/// A boleto is due in three days by default, and within a year.
const DAYS_TO_PAY: i64 = 3;
const DAYS_TO_PAY_MAX: i64 = 365;
const COUPON_CODE_LENGTH_MAX: usize = 40;
const AFFILIATE_CODE_LENGTH_MAX: usize = 40;

/// The payer.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct CustomerRequest {
    #[schemars(length(min = 1, max = 255), extend("examples" = ["Fulano de Tal"]))]
    pub name: String,
    #[schemars(email)]
    pub email: String,
    /// The CPF or CNPJ.
    pub document: Option<String>,
    pub phone: Option<String>,
    pub address: Option<AddressRequest>,
}

impl CustomerRequest {
    /// The buyer whose `Idempotency-Key` came with this body.
    pub fn buyer<'a>(&'a self, device: &'a Device) -> Buyer<'a> {
        let (device, document) = (device.0.as_deref(), self.document.as_deref());
        Buyer { device, email: &self.email, document }
    }
}

/// A postal address in Brazil.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(!default)]
pub struct AddressRequest {
    /// The CEP, eight digits.
    #[schemars(regex(pattern = r"^\D*(\d\D*){8}$"))]
    pub postal_code: String,
    #[schemars(length(min = 1, max = 255))]
    pub street: String,
    #[schemars(length(min = 1, max = 20))]
    pub number: String,
    #[schemars(length(max = 100))]
    pub complement: Option<String>,
    #[schemars(length(min = 1, max = 100))]
    pub district: String,
    #[schemars(length(min = 1, max = 100))]
    pub city: String,
    /// The two-letter code of the state, for example `SP`.
    #[schemars(regex(pattern = r"^\s*[A-Za-z]{2}\s*$"))]
    pub state: String,
}

/// Buyer fields that a link requires besides name and email.
#[derive(Debug, Clone, Copy, Default)]
pub struct RequiredFields {
    pub phone: bool,
    pub address: bool,
}

/// Validates the customer.
pub fn customer(
    wrong: &mut FieldErrors,
    body: &CustomerRequest,
    required: RequiredFields,
) -> Option<(CustomerDetails, Option<Address>)> {
    let name = wrong.read("customer.name", fields::name(&body.name, 1, 255));
    let email = wrong.read("customer.email", fields::email(&body.email));
    let document = non_blank(body.document.as_deref()).map(fields::document).transpose();
    let document = wrong.read("customer.document", document);
    let phone = non_blank(body.phone.as_deref()).map(fields::phone).transpose();
    let phone =
        wrong.read("customer.phone", phone.and_then(|phone| required_if(phone, required.phone)));
    let address = match &body.address {
        Some(body) => address(wrong, body).map(Some),
        None => wrong.read("customer.address", required_if(None, required.address)),
    };
    let customer =
        CustomerDetails { name: name?, email: email?, document: document?, phone: phone? };
    Some((customer, address?))
}

/// The payment method and its parameters, as sent.
#[derive(Debug, Clone, Copy)]
pub struct MethodParams<'a> {
    pub method: PaymentMethod,
    pub expires_in: Option<i64>,
    pub due_date: Option<&'a str>,
    pub installments: Option<i64>,
    pub card_token: Option<&'a str>,
    /// A coupon may leave nothing to pay; only then is a card's token optional.
    pub coupon_code: Option<&'a str>,
}

/// Validates the payment method; `today` is the date in São Paulo.
pub fn instrument(
    wrong: &mut FieldErrors,
    params: MethodParams<'_>,
    today: Date,
) -> Option<PaymentInstrument> {
    let installments = wrong.read("installments", installments(params.method, params.installments));
    // Fields that the method does not use are validated as well, because an invalid one is a
    // mistake there too.
    let seconds = wrong.read("expiresIn", seconds_to_pay(params.expires_in));
    let due_on = wrong.read("dueDate", due_date(params.due_date, today));
    let token = wrong.read("cardToken", token_for(params));
    match params.method {
        PaymentMethod::Pix => {
            seconds.map(|seconds_to_pay| PaymentInstrument::Pix { seconds_to_pay })
        }
        PaymentMethod::Boleto => due_on.map(|due_on| PaymentInstrument::Boleto { due_on }),
        PaymentMethod::CreditCard => {
            Some(PaymentInstrument::Card { token: token?, installments: installments? })
        }
    }
}

/// Validates an affiliate code without looking it up.
pub fn affiliate_code(given: Option<&str>) -> Result<Option<String>, FieldFault> {
    fields::optional_text(given, AFFILIATE_CODE_LENGTH_MAX)
}

/// Validates a coupon code without looking it up.
pub fn coupon_code(given: Option<&str>) -> Result<Option<String>, FieldFault> {
    fields::optional_text(given, COUPON_CODE_LENGTH_MAX)
}

fn seconds_to_pay(given: Option<i64>) -> Result<i64, FieldFault> {
    let seconds = given.unwrap_or(SECONDS_TO_PAY);
    if SECONDS_TO_PAY_ALLOWED.contains(&seconds) {
        return Ok(seconds);
    }
    Err(FieldFault::new("OUT_OF_RANGE", "must be from 60 seconds to 30 days"))
}

fn due_date(given: Option<&str>, today: Date) -> Result<Date, FieldFault> {
    let Some(text) = given else {
        return Ok(today.checked_add(DAYS_TO_PAY.days()).unwrap_or(today));
    };
    let due_on: Date = text
        .parse()
        .map_err(|_| FieldFault::new("INVALID_DATE", "must be a date, like 2026-12-24"))?;
    let last = today.checked_add(DAYS_TO_PAY_MAX.days()).unwrap_or(today);
    if (today..=last).contains(&due_on) {
        return Ok(due_on);
    }
    Err(FieldFault::new("OUT_OF_RANGE", "must be from today to a year ahead"))
}

fn installments(method: PaymentMethod, given: Option<i64>) -> Result<u8, FieldFault> {
    let count = given.unwrap_or(1);
    if method != PaymentMethod::CreditCard && count != 1 {
        return Err(FieldFault::new("OUT_OF_RANGE", "can be more than 1 with CREDIT_CARD alone"));
    }
    let allowed = u8::try_from(count).ok().filter(|count| (1..=MOST).contains(count));
    allowed.ok_or_else(|| FieldFault::new("OUT_OF_RANGE", format!("must be from 1 to {MOST}")))
}

/// Validates a card token.
pub fn card_token(given: Option<&str>) -> Result<String, FieldFault> {
    let given = given.ok_or_else(|| FieldFault::new("REQUIRED", "is required to pay by card"))?;
    fields::text(given, 1, 255)
}

fn token_for(params: MethodParams<'_>) -> Result<Option<String>, FieldFault> {
    let is_charged =
        params.method == PaymentMethod::CreditCard && non_blank(params.coupon_code).is_none();
    let required = is_charged || params.card_token.is_some();
    required.then(|| card_token(params.card_token)).transpose()
}

/// Validates the merchant's own reference for the payment.
pub fn external_id(given: Option<&str>) -> Result<Option<String>, FieldFault> {
    fields::optional_text(given, 255)
}

fn address(wrong: &mut FieldErrors, body: &AddressRequest) -> Option<Address> {
    let postal_code: String = body.postal_code.chars().filter(char::is_ascii_digit).collect();
    if postal_code.len() != 8 {
        let fault = FieldFault::new("INVALID_POSTAL_CODE", "must be a CEP of eight digits");
        wrong.add("customer.address.postalCode", fault);
    }
    let state = body.state.trim().to_ascii_uppercase();
    if state.len() != 2 || !state.bytes().all(|byte| byte.is_ascii_uppercase()) {
        let fault = FieldFault::new("INVALID_STATE", "must be two letters, like SP");
        wrong.add("customer.address.state", fault);
    }
    let mut text = |name: &str, value: &str, max| {
        wrong.read(&format!("customer.address.{name}"), fields::text(value, 1, max))
    };
    let street = text("street", &body.street, 255);
    let number = text("number", &body.number, 20);
    let district = text("district", &body.district, 100);
    let city = text("city", &body.city, 100);
    let complement = fields::optional_text(body.complement.as_deref(), 100);
    let complement = wrong.read("customer.address.complement", complement);
    Some(Address {
        postal_code,
        street: street?,
        number: number?,
        complement: complement?,
        district: district?,
        city: city?,
        state,
    })
}

/// Whether an address is valid.
pub fn is_address(body: &AddressRequest) -> bool {
    let mut wrong = FieldErrors::new();
    address(&mut wrong, body).is_some() && wrong.finish().is_ok()
}

fn non_blank(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.trim().is_empty())
}

fn required_if<T>(value: Option<T>, required: bool) -> Result<Option<T>, FieldFault> {
    match value {
        None if required => Err(FieldFault::new("REQUIRED", "is required")),
        value => Ok(value),
    }
}
