//! The form of a payment link, which becomes the bodies that programs send.

use std::collections::BTreeMap;

use db::time::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::dashboard::form::{given, omit, patch, with_rules};
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
use crate::platform::typed_amount::{typed, typed_cents};
use crate::products::Product;
use crate::products::items::{ENTRIES_MAX, LineItemRequest};

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
    /// The button that shows the checkout and makes nothing.
    #[serde(skip_serializing)]
    pub preview: String,
    /// The rows of products, by the names of [`row_names`].
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

    /// The form of a link that sells a product.
    pub fn selling(product: &Product) -> Self {
        let row = (row_names(0).0, product.id.to_string());
        Self { title: product.name.clone(), products: BTreeMap::from([row]), ..Self::blank() }
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
        for (index, (id, count)) in link.items.iter().enumerate() {
            let (product, quantity) = row_names(index);
            products.insert(product, id.to_string());
            products.insert(quantity, count.to_string());
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
            stock_quantity: stock,
            expires_at: day,
            redirect_url: link.redirect_url.clone().unwrap_or_default(),
            meta_pixel_code: link.meta_pixel_code.clone().unwrap_or_default(),
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

    /// The rows of products that are filled in: id and quantity as they were sent. Those beyond one
    /// more than a link may have are left out: the one more is refused.
    pub fn rows(&self) -> Vec<(&str, &str)> {
        let filled = self.products.iter().filter(|(_, text)| !text.trim().is_empty());
        let mut filled: Vec<(usize, &str)> =
            filled.filter_map(|(name, id)| Some((row_of(name)?, id.trim()))).collect();
        filled.sort_unstable();
        let quantity =
            |index| self.products.get(&row_names(index).1).map_or("", |text| text.trim());
        let filled = filled.into_iter().take(ENTRIES_MAX + 1);
        filled.map(|(index, id)| (id, quantity(index))).collect()
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

    /// The body that changes what differs from the form as it was drawn.
    pub fn changes(&self, drawn: &Self) -> Result<PaymentLinkParams> {
        let read = self.read()?;
        let text = |typed: &str, drawn: &str| patch(typed, drawn, given(typed));
        let (stock, drawn_stock) = (&self.stock_quantity, &drawn.stock_quantity);
        Ok(PaymentLinkParams {
            title: omit(&self.title, &drawn.title, Some(self.title.clone())),
            description: text(&self.description, &drawn.description),
            amount_cents: patch(&self.amount_cents, &drawn.amount_cents, read.amount),
            expires_at: patch(&self.expires_at, &drawn.expires_at, read.expires_at),
            redirect_url: text(&self.redirect_url, &drawn.redirect_url),
            product_description: text(&self.product_description, &drawn.product_description),
            settings: Patch::Set(self.settings_changes(drawn, &read)),
            products: match read.products {
                _ if self.rows() == drawn.rows() => Patch::Keep,
                products if products.is_empty() => Patch::Clear,
                products => Patch::Set(products),
            },
            stock_enabled: omit(stock, drawn_stock, Some(read.stock.is_some())),
            stock_quantity: patch(stock, drawn_stock, read.stock),
            meta_pixel_code: text(&self.meta_pixel_code, &drawn.meta_pixel_code),
            ..PaymentLinkParams::default()
        })
    }

    fn settings_changes(&self, drawn: &Self, read: &ReadFields) -> PaymentLinkSettingsParams {
        let tick = |typed: &str, drawn: &str| omit(typed, drawn, Some(!typed.is_empty()));
        let all = self.settings(read);
        PaymentLinkSettingsParams {
            pix_enabled: tick(&self.pix, &drawn.pix),
            boleto_enabled: tick(&self.boleto, &drawn.boleto),
            credit_card_enabled: tick(&self.card, &drawn.card),
            max_installments: omit(
                &self.max_installments,
                &drawn.max_installments,
                all.max_installments,
            ),
            interest_free_installments: omit(
                &self.interest_free,
                &drawn.interest_free,
                all.interest_free_installments,
            ),
            interest_rate: omit(&self.interest_rate, &drawn.interest_rate, all.interest_rate),
            require_phone: tick(&self.require_phone, &drawn.require_phone),
            require_address: tick(&self.require_address, &drawn.require_address),
        }
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

    /// Reads what was typed. Beside what cannot be read it reports what the rules say of the other
    /// fields; of the date and of the products they say it once everything can be read.
    fn read(&self) -> Result<ReadFields> {
        card_data::refuse_typed(self.texts())?;
        let mut wrong = FieldErrors::new();
        let read = self.read_fields(&mut wrong);
        wrong.finish().map_err(|unread| with_rules(unread, self.rules(&read)))?;
        Ok(read)
    }

    /// What the rules say of the texts and of the numbers that could be read.
    fn rules(&self, read: &ReadFields) -> Result<()> {
        // They are compared with the most installments, which may be what cannot be read.
        let interest_free = read.interest_free.filter(|_| read.max_installments.is_some());
        let settings = PaymentLinkSettingsParams {
            max_installments: read.max_installments.into(),
            interest_free_installments: interest_free.into(),
            interest_rate: self.settings(read).interest_rate.into(),
            ..PaymentLinkSettingsParams::default()
        };
        let sent = PaymentLinkParams {
            title: Omittable::from(Some(self.title.clone())),
            description: Patch::from(given(&self.description)),
            amount_cents: Patch::from(read.amount),
            redirect_url: Patch::from(given(&self.redirect_url)),
            product_description: Patch::from(given(&self.product_description)),
            settings: Patch::Set(settings),
            stock_quantity: Patch::from(read.stock),
            meta_pixel_code: Patch::from(given(&self.meta_pixel_code)),
            ..PaymentLinkParams::default()
        };
        sent.check()
    }

    fn read_fields(&self, wrong: &mut FieldErrors) -> ReadFields {
        let amount = parsed(&self.amount_cents, typed_cents);
        let max_installments = parsed(&self.max_installments, |text| text.parse().ok());
        let interest_free = parsed(&self.interest_free, |text| text.parse().ok());
        let stock = parsed(&self.stock_quantity, |text| text.parse().ok());
        let end = parsed(&self.expires_at, end_of_day);
        let end = end.map_err(|_| FieldFault::new("INVALID_DATE", "must be a date"));
        let mut products = Vec::new();
        for (index, (product, count)) in self.rows().into_iter().enumerate() {
            let (id, quantity) = row_names(index);
            let product = parsed(product, |text| text.parse::<ProductId>().ok());
            let count = if count.is_empty() { "1" } else { count };
            let product = wrong.read(&id, product).flatten();
            let count = wrong.read(&quantity, parsed(count, |text| text.parse().ok())).flatten();
            if let (Some(product_id), Some(quantity)) = (product, count) {
                products.push(LineItemRequest { product_id, quantity });
            }
        }
        ReadFields {
            amount: wrong.read("amountCents", amount).flatten(),
            max_installments: wrong.read("settings.maxInstallments", max_installments).flatten(),
            interest_free: wrong.read("settings.interestFreeInstallments", interest_free).flatten(),
            stock: wrong.read("stockQuantity", stock).flatten(),
            expires_at: wrong.read("expiresAt", end).flatten(),
            products,
        }
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

/// The names of a row of products, by its number: what is sold, and how many of it.
pub fn row_names(index: usize) -> (String, String) {
    (format!("products[{index}].productId"), format!("products[{index}].quantity"))
}

/// The number of the row whose product a field holds.
fn row_of(name: &str) -> Option<usize> {
    name.strip_prefix("products[")?.strip_suffix("].productId")?.parse().ok()
}

/// The last day on which something that ends at an instant can be used.
pub fn last_day(end: Timestamp) -> Date {
    day_of(Timestamp::from_micros(end.micros() - 1))
}

fn end_of_day(text: &str) -> Option<Timestamp> {
    let day: Date = text.parse().ok().filter(|_| text.len() == 10)?;
    Some(start(after(day)))
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

    use super::{LinkForm, row_names};
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
        let rows = [(row_names(0).1, "3"), (row_names(1).0, id.as_str()), (row_names(2).0, "")];
        let rows = rows.map(|(name, text)| (name, text.to_owned()));
        let form = LinkForm { products: BTreeMap::from(rows), ..LinkForm::blank() };
        let products = form.body().expect("is right").products.expect("are sent");
        assert_eq!(products.len(), 1);
        assert_eq!((products[0].product_id.0, products[0].quantity), (Uuid::nil(), 1));
    }

    #[test]
    fn rows_are_in_the_order_of_their_numbers() {
        let rows = [10, 2].map(|index| (row_names(index).0, index.to_string()));
        let form = LinkForm { products: BTreeMap::from(rows), ..LinkForm::blank() };
        assert_eq!(form.rows(), [("2", ""), ("10", "")]);
    }

    #[test]
    fn every_wrong_field_is_named() {
        let bad = || "x".to_owned();
        let form = LinkForm {
            amount_cents: "vinte".to_owned(),
            expires_at: "30/11/2026".to_owned(),
            stock_quantity: "muitas".to_owned(),
            products: BTreeMap::from([(row_names(0).0, bad())]),
            ..LinkForm::blank()
        };
        let names = [
            "products[0].productId INVALID_VALUE",
            "amountCents INVALID_VALUE",
            "stockQuantity INVALID_VALUE",
            "expiresAt INVALID_DATE",
            "title INVALID_LENGTH",
        ];
        assert_eq!(wrong(&form), names);
        let form = LinkForm { title: "4242 4242 4242 4242".to_owned(), ..LinkForm::blank() };
        assert_eq!(wrong(&form), ["title CARD_DATA_NOT_ACCEPTED"]);
    }
}
