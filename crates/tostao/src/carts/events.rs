//! The events of abandoned carts.

use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::carts::view::CartView;
use crate::events::Payload;
use crate::events::names::Name;
use crate::payment_links::events::PaymentLinkPayload;

/// The data of events about a cart abandonment.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CartAbandonmentEventData")]
pub struct CartChanged {
    #[serde(skip)]
    pub name: Name,
    pub cart_abandonment: Box<CartView>,
    pub payment_link: PaymentLinkPayload,
}

impl Payload for CartChanged {
    fn name(&self) -> Name {
        self.name
    }

    fn object(&self) -> Uuid {
        self.cart_abandonment.id.0
    }
}
