//! Sample payloads about products.

use crate::events::Sample;
use crate::events::names::Name;
use crate::platform::ids::ProductId;
use crate::products::CURRENCY;
use crate::products::events::{ProductChanged, ProductPayload};
use crate::samples::{AMOUNT, CREATED_AT, UPDATED_AT, id};

pub fn of(name: Name) -> Sample {
    Sample::of(&ProductChanged { name, product: product() })
}

pub fn product_id() -> ProductId {
    ProductId(id(4))
}

fn product() -> ProductPayload {
    ProductPayload {
        id: product_id(),
        name: "Sample".into(),
        description: None,
        price: AMOUNT,
        currency: CURRENCY,
        stock_quantity: Some(10),
        stock_reserved: 0,
        stock_enabled: true,
        is_digital: false,
        image_url: None,
        status: "ACTIVE",
        created_at: CREATED_AT,
        updated_at: UPDATED_AT,
    }
}
