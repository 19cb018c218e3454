//! The fields of a product that a merchant sends, and their validation.

use db::time::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;
use uuid::Uuid;

use crate::platform::error::{FieldErrors, FieldFault, Result};
use crate::platform::fields;
use crate::platform::http::patch::{Omittable, Patch};
use crate::platform::ids::ProductId;
use crate::products::{Product, Status};

/// The longest name, and
pub const NAME_MAX: usize = 255;
/// the longest description.
pub const DESCRIPTION_MAX: usize = 1_000;
/// A larger stock is refused as a mistake.
const STOCK_MAX: i64 = 1_000_000_000;

/// The fields to update; omitted fields keep their values.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(rename = "UpdateProductRequest")]
pub struct ProductParams {
    #[schemars(length(min = 1, max = 255))]
    pub name: Omittable<String>,
    /// Amount in cents.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub price: Omittable<i64>,
    #[schemars(length(max = 1000))]
    pub description: Patch<String>,
    /// The currency; only `BRL` is supported.
    #[schemars(extend("enum" = ["BRL"]))]
    pub currency: Omittable<String>,
    /// The quantity in stock; required while stock is tracked.
    #[schemars(range(min = 0, max = 1_000_000_000))]
    pub stock_quantity: Patch<i64>,
    /// Whether to track stock.
    pub stock_enabled: Omittable<bool>,
    /// Whether the product is not shipped.
    pub is_digital: Omittable<bool>,
    /// The https URL of an image.
    #[schemars(extend("format" = "uri"))]
    pub image_url: Patch<String>,
    pub status: Omittable<Status>,
}

impl ProductParams {
    /// Sets a product's fields; every error is reported at once.
    pub fn apply(&self, product: &mut Product) -> Result<()> {
        let mut wrong = FieldErrors::new();
        let name = self.name.as_ref().map(|name| fields::name(name, 1, NAME_MAX));
        wrong.assign("name", &mut product.name, name);
        wrong.assign("price", &mut product.price, self.price.map(fields::amount));
        let description =
            self.description.read(|text| fields::optional_text(Some(text), DESCRIPTION_MAX));
        wrong.assign("description", &mut product.description, description);
        wrong.read("currency", fields::currency(self.currency.as_deref()));
        let quantity = self.stock_quantity.read(|count| stock(*count).map(Some));
        wrong.assign("stockQuantity", &mut product.stock_quantity, quantity);
        let image_url = self.image_url.read(|url| image_address(url).map(Some));
        wrong.assign("imageUrl", &mut product.image_url, image_url);
        product.stock_enabled = self.stock_enabled.unwrap_or(product.stock_enabled);
        product.is_digital = self.is_digital.unwrap_or(product.is_digital);
        product.status = self.status.unwrap_or(product.status);
        let sent = self.stock_quantity.set().is_some();
        if product.stock_enabled && product.stock_quantity.is_none() && !sent {
            wrong.add("stockQuantity", stock_missing());
        }
        wrong.finish()
    }

    /// Says what is wrong with the fields that are sent.
    pub fn check(&self) -> Result<()> {
        self.apply(&mut Product::blank(ProductId(Uuid::nil()), Timestamp::from_micros(0)))
    }
}

/// A quantity in stock.
pub fn stock(count: i64) -> Result<i64, FieldFault> {
    if (0..=STOCK_MAX).contains(&count) {
        return Ok(count);
    }
    Err(FieldFault::new("OUT_OF_RANGE", format!("must be from 0 to {STOCK_MAX}")))
}

/// The error of a counted stock without a quantity.
pub fn stock_missing() -> FieldFault {
    FieldFault::new("REQUIRED", "is required when stockEnabled is true")
}

/// The buyer's browser loads the image, on a page that is never plain http.
fn image_address(value: &str) -> Result<String, FieldFault> {
    let fault = || FieldFault::new("INVALID_URL", "must be an https address");
    let address = fields::web_address(value).map_err(|_| fault())?;
    if address.starts_with("https://") { Ok(address) } else { Err(fault()) }
}

#[cfg(test)]
mod tests {
    use db::time::Timestamp;
    use serde_json::{Value, json};
    use uuid::Uuid;

    use super::ProductParams;
    use crate::platform::error::Error;
    use crate::platform::ids::ProductId;
    use crate::products::Product;

    fn faults(body: Value) -> Vec<String> {
        let params: ProductParams = serde_json::from_value(body).unwrap();
        let mut product = Product::blank(ProductId(Uuid::nil()), Timestamp::from_micros(0));
        match params.apply(&mut product) {
            Ok(()) => Vec::new(),
            Err(Error::Invalid(fields)) => {
                fields.into_iter().map(|f| format!("{} {}", f.field, f.code)).collect()
            }
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn each_field_has_its_rule() {
        let table = [
            (json!({ "name": "Caneca", "price": 1 }), vec![]),
            (json!({ "name": " " }), vec!["name INVALID_LENGTH"]),
            (json!({ "name": "a".repeat(256) }), vec!["name INVALID_LENGTH"]),
            (json!({ "price": 0 }), vec!["price OUT_OF_RANGE"]),
            (json!({ "price": 1_000_000_001 }), vec!["price OUT_OF_RANGE"]),
            (json!({ "currency": "USD" }), vec!["currency UNSUPPORTED_CURRENCY"]),
            (json!({ "imageUrl": "http://example.com/a.png" }), vec!["imageUrl INVALID_URL"]),
            (json!({ "imageUrl": "https://example.com/a.png" }), vec![]),
            (json!({ "stockEnabled": true }), vec!["stockQuantity REQUIRED"]),
            (json!({ "stockEnabled": true, "stockQuantity": 0 }), vec![]),
            (json!({ "stockQuantity": -1 }), vec!["stockQuantity OUT_OF_RANGE"]),
            (
                json!({ "stockEnabled": true, "stockQuantity": -1, "price": -1 }),
                vec!["price OUT_OF_RANGE", "stockQuantity OUT_OF_RANGE"],
            ),
            (json!({ "isDigital": true }), vec![]),
        ];
        for (body, expected) in table {
            assert_eq!(faults(body.clone()), expected, "{body}");
        }
    }
}
