//! What a developer works with: API keys, webhooks with their deliveries, and the request log.

pub mod keys;
pub mod requests;
mod secrets;
pub mod webhooks;
