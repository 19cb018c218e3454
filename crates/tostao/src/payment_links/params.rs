//! The fields of a link that a merchant sends, and their validation.

use std::time::Duration;

use db::time::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;
use uuid::Uuid;

use crate::payment_links::PaymentLink;
use crate::payment_links::settings::{PaymentLinkSettings, PaymentLinkSettingsParams};
use crate::payment_links::status::SettablePaymentLinkStatus;
use crate::platform::error::{Error, ErrorCode, FieldErrors, FieldFault, Result};
use crate::platform::fields;
use crate::platform::http::patch::{Omittable, Patch};
use crate::platform::ids::PaymentLinkId;
use crate::products::items::{self, LineItemRequest};
use crate::products::params::{stock, stock_missing};

/// The longest title, and
pub const TITLE_MAX: usize = 255;
/// the longest text about what is sold.
pub const TEXT_MAX: usize = 1_000;
/// The longest ID of a pixel.
pub const PIXEL_CODE_MAX: usize = 64;
/// The longest life of a link, five years; one without a date never expires.
const LIFE_MAX: Duration = Duration::from_hours(5 * 366 * 24);

/// The fields to update; omitted fields keep their values.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(rename = "UpdatePaymentLinkRequest")]
pub struct PaymentLinkParams {
    #[schemars(length(min = 1, max = 255))]
    pub title: Omittable<String>,
    #[schemars(length(max = 1000))]
    pub description: Patch<String>,
    /// The amount to pay, in cents. With `products`, the fixed price of all of them together.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub amount_cents: Patch<i64>,
    /// The currency; only `BRL` is supported.
    #[schemars(extend("enum" = ["BRL"]))]
    pub currency: Omittable<String>,
    /// When the link expires; in the future, within five years. A new date, or `null`, reactivates
    /// an expired link.
    pub expires_at: Patch<Timestamp>,
    /// The http or https URL to redirect the buyer to after paying.
    #[schemars(extend("format" = "uri"))]
    pub redirect_url: Patch<String>,
    #[schemars(length(max = 1000))]
    pub product_description: Patch<String>,
    /// The checkout settings; `null` restores the defaults.
    pub settings: Patch<PaymentLinkSettingsParams>,
    /// The products with their quantities; replaces the current list.
    #[schemars(length(max = 100))]
    pub products: Patch<Vec<LineItemRequest>>,
    /// How many times the link can be sold; required while that is limited.
    #[schemars(range(min = 0, max = 1_000_000_000))]
    pub stock_quantity: Patch<i64>,
    /// Whether to limit how many times the link can be sold.
    pub stock_enabled: Omittable<bool>,
    /// The ID of a Meta tracking pixel: 1 to 64 letters, digits, `_` and `-`.
    #[schemars(regex(pattern = "^[A-Za-z0-9_-]{1,64}$"))]
    pub meta_pixel_code: Patch<String>,
    pub status: Omittable<SettablePaymentLinkStatus>,
}

impl PaymentLinkParams {
    /// Sets a link's fields; every error is reported at once.
    ///
    /// The caller checks that the products exist.
    pub fn apply(&self, link: &mut PaymentLink, now: Timestamp) -> Result<()> {
        let mut wrong = FieldErrors::new();
        self.apply_texts(&mut wrong, link);
        self.apply_terms(&mut wrong, link, now);
        self.apply_stock(&mut wrong, link);
        wrong.finish()?;
        if link.amount.is_none() && link.items.is_empty() {
            let message = "A link needs amountCents or products.";
            return Err(Error::refused(ErrorCode::MissingAmountOrProducts, message));
        }
        if !link.settings.takes_payments() {
            let message = "A link needs at least one enabled payment method.";
            return Err(Error::refused(ErrorCode::NoPaymentMethodEnabled, message));
        }
        let dated = !matches!(self.expires_at, Patch::Keep);
        link.status = link.status.changed(dated, *self.status)?;
        Ok(())
    }

    /// Says what is wrong with the fields that are sent.
    pub fn check(&self) -> Result<()> {
        let now = Timestamp::from_micros(0);
        self.apply(&mut PaymentLink::blank(PaymentLinkId(Uuid::nil()), now), now)
    }

    /// Whether products were sent, which the caller must look up.
    pub fn names_products(&self) -> bool {
        self.products.set().is_some_and(|items| !items.is_empty())
    }

    fn apply_texts(&self, wrong: &mut FieldErrors, link: &mut PaymentLink) {
        let long_text = |text: &String| fields::optional_text(Some(text), TEXT_MAX);
        let title = self.title.as_ref().map(|title| fields::name(title, 1, TITLE_MAX));
        wrong.assign("title", &mut link.title, title);
        wrong.assign("description", &mut link.description, self.description.read(long_text));
        let product_description = self.product_description.read(long_text);
        wrong.assign("productDescription", &mut link.product_description, product_description);
        let redirect_url = self.redirect_url.read(|url| fields::web_address(url).map(Some));
        wrong.assign("redirectUrl", &mut link.redirect_url, redirect_url);
        let pixel = self.meta_pixel_code.read(|code| pixel_code(code).map(Some));
        wrong.assign("metaPixelCode", &mut link.meta_pixel_code, pixel);
    }

    fn apply_terms(&self, wrong: &mut FieldErrors, link: &mut PaymentLink, now: Timestamp) {
        let amount = self.amount_cents.read(|cents| fields::amount(*cents).map(Some));
        wrong.assign("amountCents", &mut link.amount, amount);
        wrong.read("currency", fields::currency(self.currency.as_deref()));
        let expires_at = self.expires_at.read(|at| end_of_life(*at, now).map(Some));
        wrong.assign("expiresAt", &mut link.expires_at, expires_at);
        match &self.products {
            Patch::Keep => {}
            Patch::Clear => link.items.clear(),
            Patch::Set(sent) => link.items = items::read(wrong, "products", sent),
        }
        match &self.settings {
            Patch::Keep => {}
            Patch::Clear => link.settings = PaymentLinkSettings::default(),
            Patch::Set(settings) => settings.apply(wrong, &mut link.settings),
        }
    }

    fn apply_stock(&self, wrong: &mut FieldErrors, link: &mut PaymentLink) {
        let quantity = self.stock_quantity.read(|count| stock(*count).map(Some));
        wrong.assign("stockQuantity", &mut link.stock_quantity, quantity);
        link.stock_enabled = self.stock_enabled.unwrap_or(link.stock_enabled);
        let sent = self.stock_quantity.set().is_some();
        if link.stock_enabled && link.stock_quantity.is_none() && !sent {
            wrong.add("stockQuantity", stock_missing());
        }
    }
}

fn pixel_code(code: &str) -> Result<String, FieldFault> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if (1..=PIXEL_CODE_MAX).contains(&code.len()) && code.chars().all(plain) {
        return Ok(code.to_owned());
    }
    let message = "must have 1 to 64 letters, digits, underscores and hyphens";
    Err(FieldFault::new("INVALID_PIXEL_CODE", message))
}

fn end_of_life(at: Timestamp, now: Timestamp) -> Result<Timestamp, FieldFault> {
    if at <= now {
        return Err(FieldFault::new("NOT_IN_FUTURE", "must be in the future"));
    }
    if at > now.plus(LIFE_MAX) {
        return Err(FieldFault::new("OUT_OF_RANGE", "must be within five years"));
    }
    Ok(at)
}

#[cfg(test)]
mod tests {
    use db::time::Timestamp;
    use serde_json::{Value, json};
    use uuid::Uuid;

    use super::PaymentLinkParams;
    use crate::payment_links::PaymentLink;
    use crate::payment_links::status::Status;
    use crate::platform::error::Error;
    use crate::platform::ids::PaymentLinkId;

    const NOW: &str = "2026-11-21T12:00:00Z";

    fn blank() -> PaymentLink {
        PaymentLink::blank(PaymentLinkId(Uuid::nil()), Timestamp::parse(NOW).unwrap())
    }

    fn apply(link: &mut PaymentLink, sent: &Value) -> Vec<String> {
        let params: PaymentLinkParams = serde_json::from_value(sent.clone()).unwrap();
        match params.apply(link, Timestamp::parse(NOW).unwrap()) {
            Ok(()) => Vec::new(),
            Err(Error::Invalid(fields)) => {
                fields.into_iter().map(|f| format!("{} {}", f.field, f.code)).collect()
            }
            Err(other) => vec![other.code().name().to_owned()],
        }
    }

    fn item(quantity: i64) -> Value {
        json!({ "productId": Uuid::nil(), "quantity": quantity })
    }

    #[test]
    fn each_field_has_its_rule() {
        let many: Vec<Value> = (0..101).map(|_| item(1)).collect();
        let table = [
            (json!({ "title": "" }), "title INVALID_LENGTH"),
            (json!({ "amountCents": 0 }), "amountCents OUT_OF_RANGE"),
            (json!({ "amountCents": 1_000_000_001 }), "amountCents OUT_OF_RANGE"),
            (json!({ "currency": "EUR" }), "currency UNSUPPORTED_CURRENCY"),
            (json!({ "description": "a".repeat(1001) }), "description INVALID_LENGTH"),
            (json!({ "productDescription": "\u{0}" }), "productDescription INVALID_CHARACTER"),
            (json!({ "expiresAt": NOW }), "expiresAt NOT_IN_FUTURE"),
            (json!({ "expiresAt": "2032-01-01T00:00:00Z" }), "expiresAt OUT_OF_RANGE"),
            (json!({ "redirectUrl": "javascript:alert(1)" }), "redirectUrl INVALID_URL"),
            (json!({ "metaPixelCode": "<script>" }), "metaPixelCode INVALID_PIXEL_CODE"),
            (json!({ "metaPixelCode": "" }), "metaPixelCode INVALID_PIXEL_CODE"),
            (json!({ "metaPixelCode": "1".repeat(65) }), "metaPixelCode INVALID_PIXEL_CODE"),
            (json!({ "products": [item(1), item(0)] }), "products[1].quantity OUT_OF_RANGE"),
            (json!({ "products": [item(1_000_001)] }), "products[0].quantity OUT_OF_RANGE"),
            (json!({ "products": many }), "products INVALID_LENGTH"),
            (json!({ "stockEnabled": true }), "stockQuantity REQUIRED"),
            (json!({ "stockQuantity": -1 }), "stockQuantity OUT_OF_RANGE"),
            (json!({}), "MISSING_AMOUNT_OR_PRODUCTS"),
            (json!({ "products": [] }), "MISSING_AMOUNT_OR_PRODUCTS"),
        ];
        for (sent, fault) in table {
            assert_eq!(apply(&mut blank(), &sent), [fault], "{sent}");
        }
    }

    #[test]
    fn all_invalid_fields_are_reported_together() {
        let sent = json!({
            "title": "", "amountCents": 0, "settings": { "maxInstallments": 13 },
            "stockEnabled": true,
        });
        let faults = [
            "title INVALID_LENGTH",
            "amountCents OUT_OF_RANGE",
            "settings.maxInstallments OUT_OF_RANGE",
            "stockQuantity REQUIRED",
        ];
        assert_eq!(apply(&mut blank(), &sent), faults);
    }

    #[test]
    fn an_amount_or_products_are_enough() {
        for sent in [json!({ "amountCents": 1 }), json!({ "products": [item(1)] })] {
            assert!(apply(&mut blank(), &sent).is_empty(), "{sent}");
        }
    }

    #[test]
    fn a_link_without_a_way_to_pay_is_refused() {
        let settings = json!({
            "pixEnabled": false, "boletoEnabled": false, "creditCardEnabled": false,
        });
        let sent = json!({ "amountCents": 1, "settings": settings });
        assert_eq!(apply(&mut blank(), &sent), ["NO_PAYMENT_METHOD_ENABLED"]);
    }

    #[test]
    fn what_is_absent_stays_and_null_clears() {
        let mut link = blank();
        let first = json!({
            "title": "Curso", "amountCents": 500, "description": "Em vídeo.",
            "redirectUrl": "https://example.com/", "settings": { "requirePhone": true },
        });
        assert!(apply(&mut link, &first).is_empty());
        let second = json!({ "description": null, "settings": { "requireAddress": true } });
        assert!(apply(&mut link, &second).is_empty());
        assert_eq!((link.title.as_str(), link.description.as_deref()), ("Curso", None));
        assert_eq!(link.redirect_url.as_deref(), Some("https://example.com/"));
        assert!(link.settings.require_phone && link.settings.require_address);
    }

    #[test]
    fn an_expired_link_comes_back_with_a_new_date_or_none() {
        let table = [
            (json!({ "status": "ACTIVE" }), Status::Expired),
            (json!({ "title": "Outro" }), Status::Expired),
            (json!({ "expiresAt": "2026-12-01T00:00:00Z" }), Status::Active),
            (json!({ "expiresAt": null, "status": "ACTIVE" }), Status::Active),
            (json!({ "expiresAt": null, "status": "INACTIVE" }), Status::Inactive),
        ];
        for (sent, status) in table {
            let mut link = blank();
            assert!(apply(&mut link, &json!({ "amountCents": 1 })).is_empty());
            link.status = Status::Expired;
            apply(&mut link, &sent);
            assert_eq!(link.status, status, "{sent}");
        }
    }
}
