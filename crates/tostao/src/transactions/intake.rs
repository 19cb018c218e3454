//! What a checkout or a merchant's server says about a payment, checked field by field.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::clients::Customer;
use crate::error::{Fault, Fields, Result};
use crate::fields;
use crate::transactions::Address;

/// A PIX waits an hour unless told otherwise,
pub const SECONDS_TO_PAY: i64 = 3_600;
/// and from a minute to thirty days.
const SECONDS_TO_PAY_ALLOWED: std::ops::RangeInclusive<i64> = 60..=2_592_000;
const METADATA_KEYS_MAX: usize = 50;
const METADATA_KEY_LENGTH_MAX: usize = 40;
const METADATA_VALUE_LENGTH_MAX: usize = 500;

/// Who pays.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct CustomerBody {
    #[schemars(length(min = 1, max = 255))]
    pub name: String,
    #[schemars(email)]
    pub email: String,
    /// CPF or CNPJ.
    pub document: Option<String>,
    pub phone: Option<String>,
    pub address: Option<AddressBody>,
}

/// Where something is to be sent.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AddressBody {
    /// CEP, eight digits.
    pub postal_code: String,
    #[schemars(length(min = 1, max = 255))]
    pub street: String,
    #[schemars(length(min = 1, max = 20))]
    pub number: String,
    pub complement: Option<String>,
    #[schemars(length(min = 1, max = 100))]
    pub district: String,
    #[schemars(length(min = 1, max = 100))]
    pub city: String,
    /// Two letters, like SP.
    pub state: String,
}

/// What a link wants to know of a buyer beyond name and e-mail.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted {
    pub phone: bool,
    pub address: bool,
}

/// Checks who pays.
pub fn customer(
    wrong: &mut Fields,
    body: &CustomerBody,
    wanted: Wanted,
) -> Option<(Customer, Option<Address>)> {
    let name = wrong.read("customer.name", fields::text(&body.name, 1, 255));
    let email = wrong.read("customer.email", fields::email(&body.email));
    let document = given(body.document.as_deref()).map(fields::document).transpose();
    let document = wrong.read("customer.document", document);
    let phone = given(body.phone.as_deref()).map(fields::phone).transpose();
    let phone = wrong.read("customer.phone", phone.and_then(|phone| need(phone, wanted.phone)));
    let address = match &body.address {
        Some(body) => address(wrong, body).map(Some),
        None => wrong.read("customer.address", need(None, wanted.address)),
    };
    let customer = Customer { name: name?, email: email?, document: document?, phone: phone? };
    Some((customer, address?))
}

/// Checks how long the buyer has.
pub fn seconds_to_pay(given: Option<i64>) -> Result<i64, Fault> {
    let seconds = given.unwrap_or(SECONDS_TO_PAY);
    if SECONDS_TO_PAY_ALLOWED.contains(&seconds) {
        return Ok(seconds);
    }
    Err(Fault::new("OUT_OF_RANGE", "must be from 60 seconds to 30 days"))
}

/// Checks the merchant's own notes: short texts under short names.
pub fn metadata(given: Option<Map<String, Value>>) -> Result<Value, Fault> {
    let map = given.unwrap_or_default();
    if map.len() > METADATA_KEYS_MAX {
        return Err(Fault::new("INVALID_LENGTH", "must have at most 50 keys"));
    }
    let fits = |text: &str, max: usize| text.chars().count() <= max && !text.contains('\0');
    for (key, value) in &map {
        let good = match value {
            Value::String(text) => fits(text, METADATA_VALUE_LENGTH_MAX),
            Value::Number(_) | Value::Bool(_) | Value::Null => true,
            Value::Array(_) | Value::Object(_) => false,
        };
        if !good || key.is_empty() || !fits(key, METADATA_KEY_LENGTH_MAX) {
            let message = "must hold keys of 1 to 40 and plain values of at most 500 characters";
            return Err(Fault::new("INVALID_VALUE", message));
        }
    }
    Ok(Value::Object(map))
}

/// Checks the merchant's own number for the payment.
pub fn external_id(given: Option<&str>) -> Result<Option<String>, Fault> {
    fields::optional_text(given, 255)
}

fn address(wrong: &mut Fields, body: &AddressBody) -> Option<Address> {
    let postal_code: String = body.postal_code.chars().filter(char::is_ascii_digit).collect();
    if postal_code.len() != 8 {
        let fault = Fault::new("INVALID_POSTAL_CODE", "must be a CEP of eight digits");
        wrong.add("customer.address.postalCode", fault);
    }
    let state = body.state.trim().to_ascii_uppercase();
    if state.len() != 2 || !state.bytes().all(|byte| byte.is_ascii_uppercase()) {
        let fault = Fault::new("INVALID_STATE", "must be two letters, like SP");
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

fn given(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.trim().is_empty())
}

fn need<T>(value: Option<T>, needed: bool) -> Result<Option<T>, Fault> {
    match value {
        None if needed => Err(Fault::new("REQUIRED", "is required")),
        value => Ok(value),
    }
}
