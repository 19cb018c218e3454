//! Events: what has happened, and which webhooks were informed of it.

pub mod event_pages;
pub mod filter;
pub mod list_pages;
pub mod view;
