//! What a developer looks at: webhooks with their deliveries, and the request log.

pub mod requests;
pub mod webhooks;
