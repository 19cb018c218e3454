//! What is not specific to payments: HTTP, settings, ids, errors, secrets, messages, documents.
//!
//! Nothing in this folder imports a feature; `cargo xtask tidy` enforces it.

pub mod assets;
pub mod boleto_document;
pub mod caller_limit;
pub mod config;
pub mod core_dumps;
pub mod count_cache;
pub mod decimal;
pub mod endpoint_limit;
pub mod error;
pub mod fields;
pub mod http;
pub mod ids;
pub mod lanes;
pub mod masked;
pub mod member_role;
pub mod messages;
pub mod notices;
pub mod open_files;
pub mod openapi;
pub mod permissions;
pub mod persons;
pub mod readiness;
pub mod recent;
pub mod role;
pub mod secrets;
pub mod signed_tokens;
pub mod spreadsheet;
pub mod system_clock;
pub mod telemetry;
#[cfg(test)]
pub mod transitions;
pub mod typed_amount;
