//! The events of payment links.

use db::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::events::Payload;
use crate::events::names::Name;
use crate::payment_links::view::LinkView;
use crate::platform::ids::PaymentLinkId;

/// The payment link of a transaction.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PaymentLinkReference {
    pub id: PaymentLinkId,
    pub slug: String,
}

/// A payment link in an event: as in the API, with its title as `name`, too.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "EventPaymentLink")]
pub struct PaymentLinkPayload {
    #[serde(flatten)]
    pub link: LinkView,
    pub name: String,
    /// Only in `payment_link.expired`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expired_at: Option<Timestamp>,
}

/// The data of `payment_link.created`, `.updated`, `.deleted` and `.expired`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PaymentLinkEventData")]
pub struct PaymentLinkChanged {
    #[serde(skip)]
    pub name: Name,
    pub payment_link: PaymentLinkPayload,
}

impl Payload for PaymentLinkChanged {
    fn name(&self) -> Name {
        self.name
    }

    fn object(&self) -> Uuid {
        self.payment_link.link.id.0
    }
}
