//! The routes for those who integrate: webhooks, events, and the request log.

use crate::idempotency::lookup_api;
use crate::openapi::api::Api;
use crate::requests::api as log;
use crate::routes::accounts::{ELEVATED_IN_PRODUCTION, ELEVATED_WITH_URL};
use crate::samples::{api as samples, diagnosis_api};
use crate::webhooks::deliveries::api as deliveries;
use crate::webhooks::history::api as history;
use crate::webhooks::recovery::api as recovery;
use crate::webhooks::v1::api as first;
use crate::webhooks::{api as second, verification_api};

/// Adds them.
pub fn integration(api: Api) -> Api {
    api.tag("Webhook subscriptions")
        .operation("createWebhookSubscription", "Create a webhook subscription")
        .post("/api/v1/webhooks/subscriptions", first::create)
        .note(ELEVATED_IN_PRODUCTION)
        .operation("listWebhookSubscriptions", "List webhook subscriptions")
        .get("/api/v1/webhooks/subscriptions", first::list)
        .operation("getWebhookSubscription", "Get a webhook subscription")
        .get("/api/v1/webhooks/subscriptions/{id}", first::show)
        .operation("updateWebhookSubscription", "Update a webhook subscription")
        .patch("/api/v1/webhooks/subscriptions/{id}", first::update)
        .note(ELEVATED_WITH_URL)
        .operation("deleteWebhookSubscription", "Delete a webhook subscription")
        .delete("/api/v1/webhooks/subscriptions/{id}", first::delete)
        .operation("enableWebhookSubscription", "Enable a webhook subscription")
        .post("/api/v1/webhooks/subscriptions/{id}/enable", first::enable)
        .note("One that is enabled already stays as it is.")
        .operation("recoverWebhookSubscription", "Send again what a webhook has not accepted")
        .post("/api/v1/webhooks/subscriptions/{id}/recover", recovery::recover)
        .note("Oldest first: what failed, and what happened while the webhook was disabled.")
        .operation("getWebhookRecovery", "Get the last recovery of a webhook")
        .get("/api/v1/webhooks/subscriptions/{id}/recovery", recovery::show)
        .operation("diagnoseWebhookSubscription", "Diagnose a webhook subscription")
        .post("/api/v1/webhooks/subscriptions/{id}/diagnose", diagnosis_api::run)
        .note("Ends within 25 seconds. The sample that is sent is stored nowhere.")
        .tag("Webhook endpoints")
        .operation("createWebhookEndpoint", "Create a webhook endpoint")
        .post("/api/webhooks/subscriptions", second::create)
        .note(ELEVATED_IN_PRODUCTION)
        .operation("listWebhookEndpoints", "List webhook endpoints")
        .get("/api/webhooks/subscriptions", second::list)
        .operation("updateWebhookEndpoint", "Update a webhook endpoint")
        .put("/api/webhooks/subscriptions/{id}", second::update)
        .note(ELEVATED_WITH_URL)
        .operation("deleteWebhookEndpoint", "Delete a webhook endpoint")
        .delete("/api/webhooks/subscriptions/{id}", second::delete)
        .operation("rotateWebhookSecret", "Rotate a webhook secret")
        .post("/api/webhooks/subscriptions/{id}/rotate-secret", second::rotate_secret)
        .note(ELEVATED_IN_PRODUCTION)
        .operation("sendTestEvent", "Send a test event")
        .post("/api/webhooks/subscriptions/{id}/test", samples::test)
        .operation("listWebhookDeliveries", "List webhook deliveries")
        .get("/api/webhooks/subscriptions/{id}/deliveries", deliveries::list)
        .operation("verifyDelivery", "Check the signature of a delivery")
        .post("/api/webhooks/verify", verification_api::check)
        .tag("Events")
        .operation("listEventTypes", "List event types")
        .get("/api/webhooks/event-types", samples::event_types)
        .operation("listEvents", "List events")
        .get("/api/webhooks/events", history::list)
        .operation("getEvent", "Get an event")
        .get("/api/webhooks/events/{id}", history::show)
        .operation("redeliverEvent", "Redeliver an event")
        .post("/api/webhooks/events/{id}/redeliver", history::redeliver)
        .tag("Request log")
        .operation("listRequests", "List requests")
        .get("/api/requests", log::list)
        .operation("listRequestErrors", "List refused requests by their kind")
        .get("/api/requests/errors", log::errors)
        .operation("streamRequests", "Stream requests")
        .get("/api/requests/stream", log::stream)
        .operation("getRequest", "Get a request with its bodies")
        .get("/api/requests/{requestId}", log::show)
        .operation("getIdempotencyKey", "Get what an idempotency key stands for")
        .get("/api/idempotency-keys/{idempotencyKey}", lookup_api::show)
}
