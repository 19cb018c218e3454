//! The ids of what a `tostao trigger` has made so far.

use serde_json::{Value, json};

use crate::commands::client::api::plain;
use crate::commands::client::events::receiver;
use crate::commands::client::trigger::recipes::Payment;
use crate::platform::messages::Lang;

/// What exists of one event, which is printed also where the rest fails.
#[derive(Debug, Default)]
pub struct Trail {
    pub payment: Payment,
    pub event: Option<String>,
    pub is_sample: bool,
    /// The deliveries that were waited for.
    pub deliveries: Option<Value>,
    pub ms: Option<u64>,
}

impl Trail {
    /// Whether there is an id to print.
    pub fn holds_something(&self) -> bool {
        self.payment.is_some() || self.event.is_some()
    }

    /// The same for a script, whether or not all of it is there.
    pub fn json(&self, event: &str) -> Value {
        let mut json = json!({
            "event": event,
            "eventId": self.event,
            "transactionId": self.payment,
            "sample": self.is_sample,
        });
        if let Some(deliveries) = &self.deliveries {
            json["deliveries"] = deliveries.clone();
        }
        if let Some(ms) = self.ms {
            json["ms"] = ms.into();
        }
        json
    }

    /// The ids, for a person whose order failed.
    pub fn text(&self, event: &str, lang: Lang) -> String {
        let payment = self.payment.iter().map(|id| lang.cli_made_transaction(id));
        let happened = self.event.iter().map(|id| lang.cli_made_event(event, id));
        let deliveries = self.deliveries.iter().filter_map(Value::as_array).flatten();
        let deliveries =
            deliveries.map(|one| lang.cli_made_delivery(receiver(one), plain(&one["status"])));
        payment.chain(happened).chain(deliveries).collect::<Vec<_>>().join("\n")
    }
}
