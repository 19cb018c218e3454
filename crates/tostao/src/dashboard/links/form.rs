//! The form of a payment link, which becomes the bodies that programs send.

use std::collections::BTreeMap;

use db::time::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::figures::period::{after, before, day_of, start};
use crate::payment_links::PaymentLink;
use crate::payment_links::api::CreatePaymentLinkRequest;
use crate::payment_links::params::PaymentLinkParams;
use crate::payment_links::rate::{DecimalText, MonthlyRatePpm};
use crate::payment_links::settings::{CreatePaymentLinkSettings, PaymentLinkSettingsParams};
use crate::platform::error::{FieldErrors, FieldFault, Result};
use crate::platform::http::card_data;
use crate::platform::http::patch::{Omittable, Patch};
use crate::platform::ids::ProductId;
use crate::platform::messages::Lang;
use crate::platform::typed_amount::typed_cents;
use crate::products::items::LineItemRequest;

/// The names of the rows of products: what is sold, and how many of it.
pub const PRODUCTS: [(&str, &str); 4] = [
    ("products[0].productId", "products[0].quantity"),
    ("products[1].productId", "products[1].quantity"),
    ("products[2].productId", "products[2].quantity"),
    ("products[3].productId", "products[3].quantity"),
];

/// The fields whose errors the form shows.
pub const SHOWN: [&str; 9] = [
    "title",
    "amountCents",
    "description",
    "productDescription",
    "settings.interestRate",
    "stockQuantity",
    "expiresAt",
    "redirectUrl",
    "metaPixelCode",
];

const TICKED: &str = "true";
/// For how many days an expired link is offered to live on.
const DAYS_MORE: i32 = 30;
/// The price of the first link of a developer.
const FIRST_CENTS: i64 = 4_990;

/// The fields by the names of the body's.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct LinkForm {
    pub title: String,
    /// As people type an amount; empty where the products' prices add up to it.
    pub amount_cents: String,
    pub description: String,
    pub product_description: String,
    #[serde(rename = "settings.pixEnabled")]
    pub pix: String,
    #[serde(rename = "settings.boletoEnabled")]
    pub boleto: String,
    #[serde(rename = "settings.creditCardEnabled")]
    pub card: String,
    #[serde(rename = "settings.maxInstallments")]
    pub max_installments: String,
    #[serde(rename = "settings.interestFreeInstallments")]
    pub interest_free: String,
    #[serde(rename = "settings.interestRate")]
    pub interest_rate: String,
    #[serde(rename = "settings.requirePhone")]
    pub require_phone: String,
    #[serde(rename = "settings.requireAddress")]
    pub require_address: String,
    /// Empty where the link can be sold without a limit.
    pub stock_quantity: String,
    /// The last day on which it can be paid; empty where it never expires.
    pub expires_at: String,
    pub redirect_url: String,
    pub meta_pixel_code: String,
    /// The stock and the day that the form was drawn with: what stays as it was is not sent.
    pub drawn_stock: String,
    pub drawn_day: String,
    pub attempt: String,
    /// The button that shows the checkout and makes nothing.
    pub preview: String,
    /// The rows of products, by the names in [`PRODUCTS`].
    #[serde(flatten)]
    pub products: BTreeMap<String, String>,
}

/// The fields that are more than texts.
struct ReadFields {
    amount: Option<i64>,
    max_installments: Option<i64>,
    interest_free: Option<i64>,
    stock: Option<i64>,
    expires_at: Option<Timestamp>,
    products: Vec<LineItemRequest>,
}

impl LinkForm {
    /// A form with the defaults of the API.
    pub fn blank() -> Self {
        let ticked = || TICKED.to_owned();
        Self {
            pix: ticked(),
            boleto: ticked(),
            card: ticked(),
            max_installments: "1".to_owned(),
            interest_free: "1".to_owned(),
            ..Self::default()
        }
    }

    /// The form of a developer's first link, which only has to be posted.
    pub fn first(lang: Lang) -> Self {
        let title = lang.links_first_title().to_owned();
        Self { title, amount_cents: typed(FIRST_CENTS, lang), ..Self::blank() }
    }

    /// A link as it is.
    pub fn of(link: &PaymentLink, lang: Lang) -> Self {
        let tick = |is_on: bool| if is_on { TICKED.to_owned() } else { String::new() };
        let settings = link.settings;
        let rate = settings.interest_rate;
        let stock = link.stock_quantity.filter(|_| link.stock_enabled);
        let stock = stock.map(|count| count.to_string()).unwrap_or_default();
        let day = link.expires_at.map(|at| last_day(at).to_string()).unwrap_or_default();
        let mut products = BTreeMap::new();
        for ((product, quantity), (id, count)) in PRODUCTS.iter().zip(&link.items) {
            products.insert((*product).to_owned(), id.to_string());
            products.insert((*quantity).to_owned(), count.to_string());
        }
        Self {
            title: link.title.clone(),
            amount_cents: link.amount.map(|cents| typed(cents.get(), lang)).unwrap_or_default(),
            description: link.description.clone().unwrap_or_default(),
            product_description: link.product_description.clone().unwrap_or_default(),
            pix: tick(settings.pix_enabled),
            boleto: tick(settings.boleto_enabled),
            card: tick(settings.credit_card_enabled),
            max_installments: settings.max_installments.to_string(),
            interest_free: settings.interest_free_installments.to_string(),
            interest_rate: if rate.ppm() == 0 { String::new() } else { typed_rate(rate, lang) },
            require_phone: tick(settings.require_phone),
            require_address: tick(settings.require_address),
            stock_quantity: stock.clone(),
            expires_at: day.clone(),
            redirect_url: link.redirect_url.clone().unwrap_or_default(),
            meta_pixel_code: link.meta_pixel_code.clone().unwrap_or_default(),
            drawn_stock: stock,
            drawn_day: day,
            products,
            ..Self::default()
        }
    }

    /// Another link like this one: a date that is over is not taken over.
    pub fn copy_of(link: &PaymentLink, now: Timestamp, lang: Lang) -> Self {
        let is_over = link.expires_at.is_some_and(|at| at <= now);
        let form = Self::of(link, lang);
        let expires_at = if is_over { String::new() } else { form.expires_at };
        Self { expires_at, ..form }
    }

    /// The same with a day in some weeks.
    #[must_use]
    pub fn until_later(self, now: Timestamp) -> Self {
        Self { expires_at: before(day_of(now), -DAYS_MORE).to_string(), ..self }
    }

    /// What must be the same when the form is posted again.
    pub fn values(&self) -> Result<String> {
        let (attempt, preview) = (String::new(), String::new());
        Ok(serde_json::to_string(&Self { attempt, preview, ..self.clone() })?)
    }

    /// The rows of products that are filled in: id and quantity as they were sent.
    pub fn rows(&self) -> Vec<(&str, &str)> {
        let sent = |name: &str| self.products.get(name).map_or("", |text| text.trim());
        let rows = PRODUCTS.iter().map(|(product, quantity)| (sent(product), sent(quantity)));
        rows.filter(|(product, _)| !product.is_empty()).collect()
    }

    /// The body that makes a link.
    pub fn body(&self) -> Result<CreatePaymentLinkRequest> {
        let read = self.read()?;
        Ok(CreatePaymentLinkRequest {
            title: self.title.clone(),
            description: given(&self.description),
            amount_cents: read.amount,
            currency: None,
            expires_at: read.expires_at,
            redirect_url: given(&self.redirect_url),
            product_description: given(&self.product_description),
            settings: Some(self.settings(&read)),
            stock_quantity: read.stock,
            stock_enabled: read.stock.map(|_| true),
            products: Some(read.products).filter(|products| !products.is_empty()),
            meta_pixel_code: given(&self.meta_pixel_code),
            status: None,
        })
    }

    /// The body that changes a link; one with more products than the form has rows keeps them.
    pub fn changes(&self, link: &PaymentLink) -> Result<PaymentLinkParams> {
        let read = self.read()?;
        let text = |text: &str| given(text).map_or(Patch::Clear, Patch::Set);
        let settings = PaymentLinkSettingsParams::from(self.settings(&read));
        let moves = self.expires_at != self.drawn_day;
        let restocks = self.stock_quantity != self.drawn_stock;
        Ok(PaymentLinkParams {
            title: Omittable::from(Some(self.title.clone())),
            description: text(&self.description),
            amount_cents: or_clear(read.amount),
            expires_at: if moves { or_clear(read.expires_at) } else { Patch::Keep },
            redirect_url: text(&self.redirect_url),
            product_description: text(&self.product_description),
            settings: Patch::Set(settings),
            products: match read.products {
                _ if link.items.len() > PRODUCTS.len() => Patch::Keep,
                products if products.is_empty() => Patch::Clear,
                products => Patch::Set(products),
            },
            stock_enabled: Omittable::from(restocks.then_some(read.stock.is_some())),
            stock_quantity: if restocks { or_clear(read.stock) } else { Patch::Keep },
            meta_pixel_code: text(&self.meta_pixel_code),
            ..PaymentLinkParams::default()
        })
    }

    fn settings(&self, read: &ReadFields) -> CreatePaymentLinkSettings {
        let ticked = |sent: &String| Some(!sent.is_empty());
        let rate = given(&self.interest_rate).map(|text| text.replace(',', "."));
        CreatePaymentLinkSettings {
            pix_enabled: ticked(&self.pix),
            boleto_enabled: ticked(&self.boleto),
            credit_card_enabled: ticked(&self.card),
            max_installments: read.max_installments,
            interest_free_installments: read.interest_free,
            interest_rate: Some(DecimalText(rate.unwrap_or_else(|| "0".to_owned()))),
            require_phone: ticked(&self.require_phone),
            require_address: ticked(&self.require_address),
        }
    }

    fn read(&self) -> Result<ReadFields> {
        card_data::refuse_typed(self.texts())?;
        let mut wrong = FieldErrors::new();
        let amount = parsed(&self.amount_cents, typed_cents);
        let max_installments = parsed(&self.max_installments, |text| text.parse().ok());
        let interest_free = parsed(&self.interest_free, |text| text.parse().ok());
        let stock = parsed(&self.stock_quantity, |text| text.parse().ok());
        let end = parsed(&self.expires_at, end_of_day);
        let end = end.map_err(|_| FieldFault::new("INVALID_DATE", "must be a date"));
        let mut products = Vec::new();
        for ((id, quantity), (product, count)) in PRODUCTS.iter().zip(self.rows()) {
            let product = parsed(product, |text| text.parse::<ProductId>().ok());
            let count = if count.is_empty() { "1" } else { count };
            let product = wrong.read(id, product).flatten();
            let count = wrong.read(quantity, parsed(count, |text| text.parse().ok())).flatten();
            if let (Some(product_id), Some(quantity)) = (product, count) {
                products.push(LineItemRequest { product_id, quantity });
            }
        }
        let read = ReadFields {
            amount: wrong.read("amountCents", amount).flatten(),
            max_installments: wrong.read("settings.maxInstallments", max_installments).flatten(),
            interest_free: wrong.read("settings.interestFreeInstallments", interest_free).flatten(),
            stock: wrong.read("stockQuantity", stock).flatten(),
            expires_at: wrong.read("expiresAt", end).flatten(),
            products,
        };
        wrong.finish()?;
        Ok(read)
    }

    /// The fields of [`SHOWN`].
    fn texts(&self) -> [(&'static str, &str); 9] {
        let [title, amount, description, product, rate, stock, expires, redirect, pixel] = SHOWN;
        [
            (title, &self.title),
            (amount, &self.amount_cents),
            (description, &self.description),
            (product, &self.product_description),
            (rate, &self.interest_rate),
            (stock, &self.stock_quantity),
            (expires, &self.expires_at),
            (redirect, &self.redirect_url),
            (pixel, &self.meta_pixel_code),
        ]
    }
}

/// The last day on which something that ends at an instant can be used.
pub fn last_day(end: Timestamp) -> Date {
    day_of(Timestamp::from_micros(end.micros() - 1))
}

fn end_of_day(text: &str) -> Option<Timestamp> {
    let day: Date = text.parse().ok().filter(|_| text.len() == 10)?;
    Some(start(after(day)))
}

fn given(text: &str) -> Option<String> {
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

fn or_clear<T>(value: Option<T>) -> Patch<T> {
    value.map_or(Patch::Clear, Patch::Set)
}

/// Reads a field that may be empty.
fn parsed<T>(text: &str, read: impl FnOnce(&str) -> Option<T>) -> Result<Option<T>, FieldFault> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let wrong = || FieldFault::new("INVALID_VALUE", "must be a value of this field");
    read(text).map(Some).ok_or_else(wrong)
}

/// An amount as it is typed: without its currency.
fn typed(cents: i64, lang: Lang) -> String {
    lang.money(cents).trim_start_matches("R$").trim_start().to_owned()
}

fn typed_rate(rate: MonthlyRatePpm, lang: Lang) -> String {
    match lang {
        Lang::PtBr => rate.to_string().replace('.', ","),
        Lang::En => rate.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use uuid::Uuid;

    use super::{LinkForm, PRODUCTS};
    use crate::platform::error::Error;

    fn wrong(form: &LinkForm) -> Vec<String> {
        let Err(Error::Invalid(wrong)) = form.body() else { panic!("{form:?} is wrong") };
        wrong.into_iter().map(|wrong| format!("{} {}", wrong.field, wrong.code)).collect()
    }

    #[test]
    fn what_is_left_empty_is_not_sent() {
        let form = LinkForm { title: "Caneca".to_owned(), ..LinkForm::blank() };
        let body = form.body().expect("is right");
        assert!(body.amount_cents.is_none() && body.description.is_none());
        assert!(body.expires_at.is_none() && body.products.is_none());
        assert!(body.stock_quantity.is_none() && body.stock_enabled.is_none());
        let settings = body.settings.expect("are sent");
        assert_eq!((settings.pix_enabled, settings.require_phone), (Some(true), Some(false)));
    }

    #[test]
    fn a_day_lasts_until_midnight_in_sao_paulo() {
        let form = LinkForm { expires_at: "2026-11-30".to_owned(), ..LinkForm::blank() };
        let end = form.body().expect("is right").expires_at.expect("ends");
        assert_eq!(end.to_string(), "2026-12-01T03:00:00.000Z");
        assert_eq!(super::last_day(end).to_string(), "2026-11-30");
    }

    #[test]
    fn a_row_without_a_product_is_left_out_and_one_without_a_quantity_is_one() {
        let id = Uuid::nil().to_string();
        let rows = [(PRODUCTS[0].1, "3"), (PRODUCTS[1].0, id.as_str()), (PRODUCTS[2].0, "")];
        let rows = rows.map(|(name, text)| (name.to_owned(), text.to_owned()));
        let form = LinkForm { products: BTreeMap::from(rows), ..LinkForm::blank() };
        let products = form.body().expect("is right").products.expect("are sent");
        assert_eq!(products.len(), 1);
        assert_eq!((products[0].product_id.0, products[0].quantity), (Uuid::nil(), 1));
    }

    #[test]
    fn every_wrong_field_is_named() {
        let bad = || "x".to_owned();
        let form = LinkForm {
            amount_cents: "vinte".to_owned(),
            expires_at: "30/11/2026".to_owned(),
            stock_quantity: "muitas".to_owned(),
            products: BTreeMap::from([(PRODUCTS[0].0.to_owned(), bad())]),
            ..LinkForm::blank()
        };
        let names = [
            "products[0].productId INVALID_VALUE",
            "amountCents INVALID_VALUE",
            "stockQuantity INVALID_VALUE",
            "expiresAt INVALID_DATE",
        ];
        assert_eq!(wrong(&form), names);
        let form = LinkForm { title: "4242 4242 4242 4242".to_owned(), ..LinkForm::blank() };
        assert_eq!(wrong(&form), ["title CARD_DATA_NOT_ACCEPTED"]);
    }
}
