//! The events of products.

use db::time::Timestamp;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::events::Payload;
use crate::events::names::Name;
use crate::platform::ids::ProductId;

/// A product in an event.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "EventProduct")]
pub struct ProductPayload {
    pub id: ProductId,
    pub name: String,
    pub description: Option<String>,
    pub price: Cents,
    pub currency: &'static str,
    pub stock_quantity: Option<i64>,
    /// How many of the stock are reserved for pending payments.
    pub stock_reserved: i64,
    pub stock_enabled: bool,
    pub is_digital: bool,
    pub image_url: Option<String>,
    pub status: &'static str,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// The data of events about a product.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "ProductEventData")]
pub struct ProductChanged {
    #[serde(skip)]
    pub name: Name,
    pub product: ProductPayload,
}

impl Payload for ProductChanged {
    fn name(&self) -> Name {
        self.name
    }

    fn object(&self) -> Uuid {
        self.product.id.0
    }
}
