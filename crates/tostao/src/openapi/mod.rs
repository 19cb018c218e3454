//! The OpenAPI document, generated from the handlers' own types.
//!
//! A handler's extractors describe its parameters and its reply describes the response, so the
//! document cannot differ from the code. `routes.rs` is the only place that adds a route, and
//! adding one describes it in the same call.

pub mod api;
pub mod deprecation;
pub mod docs;
mod errors;
pub mod webhooks;
