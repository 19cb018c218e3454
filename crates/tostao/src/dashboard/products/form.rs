//! The form of a product, which becomes the body that programs send.

use serde::{Deserialize, Serialize};

use crate::dashboard::form::{Field, WrongField, cents, given, omit, patch, whole, with_rules};
use crate::platform::error::{FieldError, FieldErrors, FieldFault, Result};
use crate::platform::http::card_data;
use crate::platform::http::patch::{Omittable, Patch};
use crate::platform::messages::Lang;
use crate::products::Product;
use crate::products::api::CreateProductRequest;
use crate::products::params::ProductParams;

/// The fields whose errors the form shows.
pub const SHOWN: [&str; 5] = ["name", "price", "description", "stockQuantity", "imageUrl"];

/// The fields by the names of the body's.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ProductForm {
    pub name: String,
    /// As people type an amount.
    pub price: String,
    pub description: String,
    pub stock_enabled: String,
    pub stock_quantity: String,
    pub is_digital: String,
    pub image_url: String,
}

/// The fields as they were typed, with what is wrong with them.
pub struct ProductFields {
    pub name: Field,
    pub price: Field,
    pub description: Field,
    pub stock_enabled: bool,
    pub stock_quantity: Field,
    pub is_digital: bool,
    pub image_url: Field,
}

impl ProductForm {
    /// The form of a product as it is.
    pub fn of(product: &Product, lang: Lang) -> Self {
        let checked = |is: bool| if is { "true".to_owned() } else { String::new() };
        Self {
            name: product.name.clone(),
            price: lang.money(product.price.get()),
            description: product.description.clone().unwrap_or_default(),
            stock_enabled: checked(product.stock_enabled),
            stock_quantity: product.stock_quantity.map(|it| it.to_string()).unwrap_or_default(),
            is_digital: checked(product.is_digital),
            image_url: product.image_url.clone().unwrap_or_default(),
        }
    }

    /// The body of a request that creates the product.
    pub fn body(&self) -> Result<CreateProductRequest> {
        let (price, stock_quantity) = self.numbers()?;
        Ok(CreateProductRequest {
            name: self.name.clone(),
            price,
            description: given(&self.description),
            currency: None,
            stock_quantity,
            stock_enabled: Some(!self.stock_enabled.is_empty()),
            is_digital: Some(!self.is_digital.is_empty()),
            image_url: given(&self.image_url),
            status: None,
        })
    }

    /// The body of a request that changes what differs from the form as it was drawn: units may
    /// have been sold since.
    pub fn changes(&self, drawn: &Self) -> Result<ProductParams> {
        let (price, stock_quantity) = self.numbers()?;
        let tick = |typed: &str, drawn: &str| omit(typed, drawn, Some(!typed.is_empty()));
        Ok(ProductParams {
            name: omit(&self.name, &drawn.name, Some(self.name.clone())),
            price: omit(&self.price, &drawn.price, Some(price)),
            description: patch(&self.description, &drawn.description, given(&self.description)),
            currency: Omittable::default(),
            stock_quantity: patch(&self.stock_quantity, &drawn.stock_quantity, stock_quantity),
            stock_enabled: tick(&self.stock_enabled, &drawn.stock_enabled),
            is_digital: tick(&self.is_digital, &drawn.is_digital),
            image_url: patch(&self.image_url, &drawn.image_url, given(&self.image_url)),
            status: Omittable::default(),
        })
    }

    /// The fields as they were typed.
    pub fn fields(&self, wrong: &[FieldError], lang: Lang) -> ProductFields {
        let field = |name, value| Field::judged(name, value, wrong, lang);
        ProductFields {
            name: field("name", &self.name),
            price: field("price", &self.price),
            description: field("description", &self.description),
            stock_enabled: !self.stock_enabled.is_empty(),
            stock_quantity: field("stockQuantity", &self.stock_quantity),
            is_digital: !self.is_digital.is_empty(),
            image_url: field("imageUrl", &self.image_url),
        }
    }

    /// Reads the price and the stock; every error is reported at once, also those of the texts.
    fn numbers(&self) -> Result<(i64, Option<i64>)> {
        card_data::refuse_typed(self.texts())?;
        let texts = ProductParams {
            name: Omittable::from(Some(self.name.clone())),
            description: Patch::from(given(&self.description)),
            image_url: Patch::from(given(&self.image_url)),
            ..ProductParams::default()
        };
        self.read_numbers().map_err(|unread| with_rules(unread, texts.check()))
    }

    /// The fields of [`SHOWN`].
    fn texts(&self) -> [(&'static str, &str); 5] {
        let [name, price, description, quantity, image] = SHOWN;
        [
            (name, &self.name),
            (price, &self.price),
            (description, &self.description),
            (quantity, &self.stock_quantity),
            (image, &self.image_url),
        ]
    }

    fn read_numbers(&self) -> Result<(i64, Option<i64>)> {
        let mut wrong = FieldErrors::new();
        let missing = || FieldFault::new("REQUIRED", "is required");
        let price = cents(&self.price).and_then(|price| price.ok_or_else(missing));
        let price = wrong.read("price", price);
        let stock = wrong.read("stockQuantity", whole(&self.stock_quantity));
        let Some(price) = price else { return Err(wrong.into_error()) };
        wrong.finish()?;
        Ok((price, stock.flatten()))
    }
}

impl ProductFields {
    /// What is wrong, for the summary above the form.
    pub fn wrong(&self, lang: Lang) -> Vec<WrongField> {
        let fields = [
            self.name.wrong("name", lang.client_name()),
            self.price.wrong("price", lang.product_price()),
            self.description.wrong("description", lang.coupon_description()),
            self.stock_quantity.wrong("stockQuantity", lang.product_quantity()),
            self.image_url.wrong("imageUrl", lang.product_image()),
        ];
        fields.into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::ProductForm;
    use crate::platform::error::Error;
    use crate::platform::http::patch::Patch;

    fn form(fields: &str) -> ProductForm {
        serde_urlencoded::from_str(fields).expect("is a form")
    }

    #[test]
    fn a_price_is_typed_in_reais_and_a_box_is_a_yes() {
        let body = form("name=Caneca&price=49,90&stockEnabled=true&stockQuantity=3").body();
        let body = body.expect("is right");
        assert_eq!((body.price, body.stock_quantity), (4_990, Some(3)));
        assert_eq!((body.stock_enabled, body.is_digital), (Some(true), Some(false)));
        assert!(body.description.is_none() && body.image_url.is_none());
    }

    #[test]
    fn a_stock_that_was_not_changed_is_not_sent() {
        let of = |typed: &str| {
            let drawn = form("price=1&stockQuantity=10");
            let typed = form(&format!("price=1&stockQuantity={typed}"));
            typed.changes(&drawn).expect("is right").stock_quantity
        };
        assert_eq!([of("10"), of("12"), of("")], [Patch::Keep, Patch::Set(12), Patch::Clear]);
    }

    #[test]
    fn every_wrong_field_is_named_at_once() {
        let Err(Error::Invalid(wrong)) = form("price=caro&stockQuantity=x").body() else {
            panic!("it is wrong")
        };
        let names: Vec<_> = wrong.iter().map(|wrong| wrong.field.as_str()).collect();
        assert_eq!(names, ["price", "stockQuantity", "name"]);
    }
}
