//! The webhooks of the document: what receivers get, one entry for each event of `events::names`.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use crate::advances::events::AdvanceChanged;
use crate::affiliates::commissions::events::CommissionChanged;
use crate::books::events::BalanceUpdated;
use crate::carts::events::CartChanged;
use crate::coupons::events::CouponChanged;
use crate::events::names::Name;
use crate::payment_links::events::PaymentLinkChanged;
use crate::platform::openapi::API_VERSION;
use crate::products::events::ProductChanged;
use crate::subscriptions::events::SubscriptionChanged;
use crate::transactions::events::{
    CouponUsed, DisputeChanged, PaymentLinkPaid, TransactionChanged, TransactionPaid,
    TransactionRefunded,
};
use crate::withdrawals::events::WithdrawalEnded;

/// The headers of a delivery besides those of every JSON request: name, type and meaning.
pub const HEADERS: [(&str, &str, &str); 9] = [
    ("webhook-id", "string", "The ID of the event."),
    ("webhook-timestamp", "integer", "When the attempt was sent, in seconds since 1970."),
    (
        "webhook-signature",
        "string",
        "`v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`, as in Standard Webhooks. The key \
         is what follows `whsec_` in the secret, decoded from base64. During a rotation two \
         signatures, separated by a space.",
    ),
    (
        "X-Webhook-Signature",
        "string",
        "The base64 HMAC-SHA256 of the raw body. The key is the whole secret, `whsec_` included.",
    ),
    ("X-Service-Signature", "string", "The same as `X-Webhook-Signature`."),
    ("X-Webhook-Id", "string", "The same as `webhook-id`."),
    ("X-Webhook-Event", "string", "The name of the event, as in the body."),
    ("X-Webhook-Timestamp", "integer", "The same as `webhook-timestamp`."),
    ("X-Webhook-Attempt", "integer", "The number of the attempt, from 1."),
];

/// The body of a delivery, as `webhooks::envelope` writes it.
#[derive(Debug)]
pub struct Envelope;

impl JsonSchema for Envelope {
    fn schema_name() -> Cow<'static, str> {
        "WebhookEvent".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let doc = |mut schema: Value, meaning: &str| {
            schema["description"] = meaning.into();
            schema
        };
        let kind = |name: &str| json!({ "type": name });
        let data = json!({ "type": "object", "additionalProperties": true });
        let text = |format: &str| json!({ "type": "string", "format": format });
        let newer = "The version of the object: of two events with the same `objectId`, the higher \
            is the newer. They arrive in this order, one at a time, unless a first attempt fails.";
        let properties = json!({
            "id": doc(text("uuid"), "The ID of the event, the same in every attempt."),
            "event": doc(kind("string"), "The event type, by the name that the webhook uses."),
            "devMode": doc(kind("boolean"), "Whether the event is about simulated money."),
            "data": doc(data, "The event's data, with the objects concerned."),
            "createdAt": doc(text("date-time"), "When the event happened."),
            "apiVersion": doc(kind("string"), &format!("The API version: `{API_VERSION}`.")),
            "objectId": doc(text("uuid"), "The ID of the object that the event is about."),
            "sequence": doc(json!({ "type": "integer", "format": "int64" }), newer),
            "test": doc(kind("boolean"), "True for a test event, otherwise absent."),
        });
        json_schema!({
            "type": "object",
            "description": "The body of a webhook delivery.",
            "properties": properties,
            "required": [
                "id", "event", "devMode", "data", "createdAt", "apiVersion", "objectId", "sequence",
            ],
        })
    }
}

/// Describes the webhook of every event, and adds the schemas of their data.
pub fn describe(generator: &mut SchemaGenerator) -> Map<String, Value> {
    let envelope = generator.subschema_for::<Envelope>().to_value();
    add_payloads(generator);
    let entries = Name::ALL.iter().map(|name| (name.text().to_owned(), webhook(*name, &envelope)));
    entries.collect()
}

/// Adds the schemas to which `Name::data` refers.
fn add_payloads(generator: &mut SchemaGenerator) {
    generator.subschema_for::<TransactionChanged>();
    generator.subschema_for::<TransactionPaid>();
    generator.subschema_for::<TransactionRefunded>();
    generator.subschema_for::<DisputeChanged>();
    generator.subschema_for::<PaymentLinkChanged>();
    generator.subschema_for::<PaymentLinkPaid>();
    generator.subschema_for::<ProductChanged>();
    generator.subschema_for::<CouponChanged>();
    generator.subschema_for::<CouponUsed>();
    generator.subschema_for::<WithdrawalEnded>();
    generator.subschema_for::<AdvanceChanged>();
    generator.subschema_for::<CommissionChanged>();
    generator.subschema_for::<BalanceUpdated>();
    generator.subschema_for::<CartChanged>();
    generator.subschema_for::<SubscriptionChanged>();
}

/// The parameters that every webhook refers to, by the names under which they are shared.
pub fn headers() -> Map<String, Value> {
    let parameters = HEADERS.iter().map(|(name, kind, meaning)| {
        let parameter = json!({
            "name": name, "in": "header", "required": true, "description": meaning,
            "schema": { "type": kind },
        });
        ((*name).to_owned(), parameter)
    });
    parameters.collect()
}

fn webhook(name: Name, envelope: &Value) -> Value {
    let names: Vec<_> = std::iter::once(name.text()).chain(name.aliases()).collect();
    let own = json!({
        "type": "object",
        "properties": {
            "event": { "type": "string", "enum": names },
            "data": { "$ref": format!("#/components/schemas/{}", name.data()) },
        },
        "required": ["event", "data"],
    });
    let headers = HEADERS
        .iter()
        .map(|(name, _, _)| json!({ "$ref": format!("#/components/parameters/{name}") }));
    json!({ "post": {
        "tags": ["Webhooks"],
        "summary": name.text(),
        "description": name.when(),
        "security": [],
        "parameters": headers.collect::<Vec<_>>(),
        "requestBody": {
            "required": true,
            "content": { "application/json": { "schema": { "allOf": [envelope, own] } } },
        },
        "responses": {
            "2XX": { "description": "The event is acknowledged." },
            "410": { "description": "The webhook is gone and is disabled." },
            "default": { "description": "The attempt failed and is retried." },
        },
    } })
}
