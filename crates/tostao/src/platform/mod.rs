//! What is no business of a payment gateway: HTTP, settings, ids, errors, secrets, texts,
//! documents.
//!
//! Nothing in here knows a feature; `cargo xtask tidy` says so.

pub mod assets;
pub mod config;
pub mod count_cache;
pub mod decimal;
pub mod endpoint_limit;
pub mod error;
pub mod fields;
pub mod http;
pub mod ids;
pub mod lanes;
pub mod masked;
pub mod merchant_limit;
pub mod messages;
pub mod named_tokens;
pub mod openapi;
pub mod permissions;
pub mod qr;
pub mod readiness;
pub mod role;
pub mod secrets;
pub mod slip;
pub mod sources;
pub mod telemetry;
