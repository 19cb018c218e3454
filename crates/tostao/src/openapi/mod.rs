//! The API's description, made from the handlers' own types.
//!
//! A handler's extractors say what it takes, its reply says what it gives, so the document cannot
//! differ from the code. `routes.rs` is the only place that adds a route, and adding one describes
//! it in the same call.

pub mod api;
pub mod docs;
pub mod webhooks;
