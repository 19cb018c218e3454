//! What a developer works with: API keys, webhooks with their deliveries, events, the request log
//! and what its keys stand for, the test clock, and mails.

pub mod clock;
pub mod events;
pub mod idempotency_pages;
pub mod keys;
pub mod mail;
pub mod overview_pages;
pub mod requests;
mod secrets;
pub mod webhooks;
