//! Forms: what was typed, how it differs from what was drawn, and what is wrong with it in words.

use std::borrow::Cow;

use jiff::civil::Date;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::coupons::params::{CODE_MAX, CODE_MIN};
use crate::platform::error::{Error, FieldError, FieldFault, Result};
use crate::platform::fields::AMOUNT_MAX;
use crate::platform::http::patch::{Omittable, Patch};
use crate::platform::messages::Lang;
use crate::platform::typed_amount::typed_cents_from;

/// The fields of a form, in JSON.
type Fields = serde_json::Map<String, Value>;

/// The name of the field with the form as it was drawn.
pub const DRAWN: &str = "drawn";

/// A form that makes or changes an object, as it is posted.
///
/// It returns the values with which it was drawn, so that only what differs from them is sent: what
/// another person changed meanwhile stays.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Posted<F> {
    #[serde(flatten)]
    pub typed: F,
    #[serde(default)]
    pub attempt: String,
    /// The form as it was drawn, in JSON; empty where it makes an object.
    #[serde(default)]
    pub drawn: String,
}

/// What is wrong with the fields of a form, and why it was refused beside them.
pub type Faults = (Vec<FieldError>, Option<&'static str>);

/// What was typed, and its error.
#[derive(Debug, Clone, Default)]
pub struct Field {
    pub value: String,
    pub error: Option<String>,
}

/// A refused field in the summary above the form; `id` is that of its input.
pub struct WrongField {
    pub id: Cow<'static, str>,
    pub label: &'static str,
    pub message: String,
}

impl WrongField {
    /// What a refused field of that label says.
    pub fn of(id: &'static str, label: &'static str, wrong: &FieldError, lang: Lang) -> Self {
        Self { id: id.into(), label, message: explain(wrong, lang) }
    }
}

impl Field {
    /// A field as it was typed.
    pub fn typed(value: &str) -> Self {
        Self { value: value.to_owned(), error: None }
    }

    /// A field as it was typed, with its error among those of the form, by the API's name.
    pub fn judged(name: &str, value: &str, wrong: &[FieldError], lang: Lang) -> Self {
        let error = wrong.iter().find(|wrong| wrong.field == name);
        let explained = error.map(|error| match error.code {
            "INVALID_LENGTH" | "INVALID_CODE" if value.trim().is_empty() && is_text(name) => {
                lang.field_required().to_owned()
            }
            _ => explain(error, lang),
        });
        Self { value: value.to_owned(), error: explained }
    }

    /// The field in the summary, if it is wrong.
    pub fn wrong(
        &self,
        id: impl Into<Cow<'static, str>>,
        label: &'static str,
    ) -> Option<WrongField> {
        let message = self.error.clone()?;
        Some(WrongField { id: id.into(), label, message })
    }
}

impl<F: Serialize + DeserializeOwned> Posted<F> {
    /// The form of a new object.
    pub fn new(typed: F) -> Self {
        Self { typed, attempt: String::new(), drawn: String::new() }
    }

    /// The form of an object as it is.
    pub fn of(stored: F) -> Result<Self> {
        let drawn = serde_json::to_string(&stored)?;
        Ok(Self { drawn, ..Self::new(stored) })
    }

    /// The form as it was drawn, or that of the object as it is if the browser did not return it.
    pub fn drawn_or(&self, stored: F) -> F {
        serde_json::from_str(&self.drawn).unwrap_or(stored)
    }

    /// The form that is drawn again after `error`.
    ///
    /// If its attempt was used, it saved something then, which came back to the browser unseen: the
    /// form is drawn upon the object as it is now, with the fields that were typed since.
    pub fn again(self, error: &Error, stored: F) -> Result<Self> {
        if !matches!(error, Error::KeyReused { .. }) {
            return Ok(self);
        }
        let drawn: Fields = serde_json::from_str(&self.drawn).unwrap_or_default();
        let mut fields = fields_of(&self.typed)?;
        let kept = fields_of(&stored)?;
        for (name, value) in &mut fields {
            let is_untouched = drawn.get(name).is_some_and(|drawn| is_same_value(value, drawn));
            if let Some(kept) = kept.get(name).filter(|_| is_untouched) {
                value.clone_from(kept);
            }
        }
        Ok(Self { typed: serde_json::from_value(fields.into())?, ..Self::of(stored)? })
    }

    /// What must be the same when the form is posted again.
    pub fn values(&self) -> Result<String> {
        Ok(serde_json::to_string(&self.typed)?)
    }
}

/// What was typed without the blanks around it, with line ends of one character; `None` if that is
/// nothing.
pub fn given(text: &str) -> Option<String> {
    Some(with_plain_ends(text.trim())).filter(|text| !text.is_empty())
}

/// What a field says that may be cleared: nothing if it is as it was drawn.
pub fn patch<T>(typed: &str, drawn: &str, value: Option<T>) -> Patch<T> {
    match value {
        _ if is_same(typed, drawn) => Patch::Keep,
        Some(value) => Patch::Set(value),
        None => Patch::Clear,
    }
}

/// What a field says that is never empty: nothing if it is as it was drawn.
pub fn omit<T>(typed: &str, drawn: &str, value: Option<T>) -> Omittable<T> {
    Omittable::from(value.filter(|_| !is_same(typed, drawn)))
}

/// What is wrong with the fields of a form, or why it was refused beside them.
pub fn faults(error: Error, lang: Lang) -> Result<Faults> {
    match error {
        Error::Invalid(wrong) => Ok((wrong, None)),
        Error::KeyReused { .. } => Ok((Vec::new(), Some(lang.links_form_used()))),
        error => Err(error),
    }
}

/// An amount as people type it, in cents; `None` if the field is empty.
pub fn cents(text: &str) -> Result<Option<i64>, FieldFault> {
    cents_from(1, text)
}

/// The same for an amount of at least `least` cents.
pub fn cents_from(least: i64, text: &str) -> Result<Option<i64>, FieldFault> {
    let Some(text) = given(text) else { return Ok(None) };
    let fault = || FieldFault::new("INVALID_TYPE", "must be an amount, like 20,00");
    typed_cents_from(least, &text).map(Some).ok_or_else(fault)
}

/// A whole number; `None` if the field is empty.
pub fn whole(text: &str) -> Result<Option<i64>, FieldFault> {
    let Some(text) = given(text) else { return Ok(None) };
    let fault = |_| FieldFault::new("INVALID_TYPE", "must be a whole number, like 100");
    text.parse().map(Some).map_err(fault)
}

/// A day as browsers send it; `None` if the field is empty.
pub fn day(text: &str) -> Result<Option<Date>, FieldFault> {
    let Some(text) = given(text) else { return Ok(None) };
    let day = text.parse().ok().filter(|_| text.len() == 10);
    day.map(Some).ok_or_else(|| FieldFault::new("INVALID_DATE", "must be a day"))
}

/// Adds what the rules say of the other fields to what could not be read.
pub fn with_rules(unread: Error, rules: Result<()>) -> Error {
    match (unread, rules) {
        (Error::Invalid(mut wrong), Err(Error::Invalid(more))) => {
            let is_unread = |one: &FieldError| wrong.iter().any(|it| it.field == one.field);
            let more: Vec<_> = more.into_iter().filter(|one| !is_unread(one)).collect();
            wrong.extend(more);
            Error::Invalid(wrong)
        }
        (unread, _) => unread,
    }
}

fn fields_of(form: &impl Serialize) -> Result<Fields> {
    Ok(serde_json::from_value(serde_json::to_value(form)?)?)
}

/// Browsers send a line end as two characters, whatever they were given.
fn with_plain_ends(text: &str) -> String {
    text.replace("\r\n", "\n")
}

fn is_same(typed: &str, drawn: &str) -> bool {
    with_plain_ends(typed) == with_plain_ends(drawn)
}

fn is_same_value(typed: &Value, drawn: &Value) -> bool {
    match (typed, drawn) {
        (Value::String(typed), Value::String(drawn)) => is_same(typed, drawn),
        (typed, drawn) => typed == drawn,
    }
}

/// What is wrong with a field, by the code of its error.
pub fn explain(wrong: &FieldError, lang: Lang) -> String {
    let text = match wrong.code {
        "INVALID_LENGTH" if matches!(&*wrong.field, "password" | "newPassword") => {
            lang.field_password_length()
        }
        "INVALID_LENGTH" if matches!(&*wrong.field, "products" | "productIds") => {
            lang.field_entries()
        }
        "INVALID_LENGTH" => lang.field_length(),
        "BLANK_PASSWORD" => lang.field_blank_password(),
        "COMMON_PASSWORD" => lang.field_common_password(),
        "INVALID_TYPE" | "INVALID_VALUE" if matches!(&*wrong.field, "amountCents" | "price") => {
            lang.field_amount()
        }
        "INVALID_TYPE" | "OUT_OF_RANGE" if wrong.field == "discountValue" => {
            return lang.field_discount(lang.money(1), lang.money(AMOUNT_MAX));
        }
        "INVALID_TYPE" => lang.field_type(),
        "INVALID_VALUE" if is_count(&wrong.field) => lang.field_count(),
        "INVALID_VALUE" => lang.field_choice(),
        "INVALID_CHARACTER" => lang.invalid_characters(),
        "OUT_OF_RANGE" if matches!(&*wrong.field, "validFrom" | "validUntil") => {
            lang.field_period()
        }
        "OUT_OF_RANGE" => lang.field_range(),
        "NOT_IN_FUTURE" => lang.field_past(),
        "INVALID_DATE" => lang.field_date(),
        "INVALID_UUID" => lang.field_id(),
        "INVALID_URL" => lang.field_url(),
        "INVALID_WEBHOOK_URL" => lang.field_webhook_url(),
        "INVALID_EMAIL" => lang.invalid_email(),
        "INVALID_DOCUMENT" => lang.invalid_document(),
        "INVALID_PHONE" => lang.invalid_phone(),
        "INVALID_POSTAL_CODE" => lang.invalid_postal_code(),
        "INVALID_STATE" => lang.invalid_state(),
        "INVALID_ADDRESS" => lang.field_ip(),
        "INVALID_CODE" => return lang.coupon_code_hint(CODE_MIN, CODE_MAX),
        "INVALID_PIX_KEY" => lang.field_pix_key(),
        "INVALID_PIXEL_CODE" => lang.field_pixel(),
        "CARD_DATA_NOT_ACCEPTED" => lang.card_number(),
        "INVALID_CARD_TOKEN"
        | "INVALID_CARD_NUMBER"
        | "NOT_A_TEST_CARD"
        | "INVALID_CVV"
        | "CARD_EXPIRED" => lang.field_card(),
        "LOW_CONTRAST" => lang.field_low_contrast(),
        "INVALID_IMAGE" => lang.field_image(),
        "BELOW_FEE" => lang.field_below_fee(),
        "UNSUPPORTED_CURRENCY" => lang.field_currency(),
        "UNKNOWN_CUSTOMER" | "UNKNOWN_PRODUCT" | "UNKNOWN_TRANSACTION" => lang.field_unknown(),
        "REQUIRED" if wrong.field == "permissions" => lang.field_permissions(),
        _ => lang.field_required(),
    };
    text.to_owned()
}

/// Whether a field is drawn again with the text that was typed: secrets and lists are not.
fn is_text(field: &str) -> bool {
    !matches!(field, "password" | "newPassword" | "products" | "productIds")
}

/// Whether a field holds a number of things.
fn is_count(field: &str) -> bool {
    field == "stockQuantity" || field.ends_with(".quantity")
}

#[cfg(test)]
mod tests {
    use super::{Field, explain, given, omit, patch};
    use crate::platform::error::FieldError;
    use crate::platform::error::field_codes::FIELD_CODES;
    use crate::platform::http::patch::Patch;
    use crate::platform::messages::Lang;

    #[test]
    fn only_what_differs_from_what_was_drawn_is_sent() {
        let says = |typed, drawn| patch(typed, drawn, given(typed));
        assert_eq!(says("a\r\nb", "a\nb"), Patch::Keep);
        assert_eq!(says("a\r\nc", "a\nb"), Patch::Set("a\nc".to_owned()));
        assert_eq!(says(" ", "a"), Patch::Clear);
        assert!(omit("a", "a", Some("a")).is_none() && omit("b", "a", Some("b")).is_some());
    }

    #[test]
    fn an_empty_text_is_said_to_be_missing_and_a_long_one_to_be_too_long() {
        let error = |value: &str| {
            let (field, code) = ("title".to_owned(), "INVALID_LENGTH");
            let wrong = [FieldError { field, code, message: String::new() }];
            Field::judged("title", value, &wrong, Lang::En).error.expect("is wrong")
        };
        assert_eq!(error(" "), Lang::En.field_required());
        assert_eq!(error("a"), Lang::En.field_length());
    }

    #[test]
    fn only_a_missing_field_is_said_to_be_missing() {
        let text = |code| {
            let wrong = FieldError { field: "name".to_owned(), code, message: String::new() };
            explain(&wrong, Lang::En)
        };
        for (code, _) in FIELD_CODES.iter().filter(|(code, _)| *code != "REQUIRED") {
            assert_ne!(text(code), text("REQUIRED"), "{code}");
        }
    }
}
