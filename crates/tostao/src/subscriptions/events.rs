//! The events of subscriptions.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use uuid::Uuid;

use crate::events::names::Name;
use crate::events::{Payload, Rendered};
use crate::subscriptions::view::{SubscriberView, SubscriptionView};

/// The data of events about a subscription.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "SubscriptionEventData")]
pub struct SubscriptionChanged {
    #[serde(skip)]
    pub name: Name,
    pub subscription: Box<SubscriptionView>,
    pub customer: SubscriberView,
    /// The transaction that caused the event, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Transaction>")]
    pub transaction: Option<Rendered>,
}

impl Payload for SubscriptionChanged {
    fn name(&self) -> Name {
        self.name
    }

    fn object(&self) -> Uuid {
        self.subscription.id.0
    }
}

/// Stands for the schema of a transaction, which is of a feature above this one.
struct Transaction;

impl JsonSchema for Transaction {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Transaction".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "$ref": "#/components/schemas/Transaction" })
    }
}
