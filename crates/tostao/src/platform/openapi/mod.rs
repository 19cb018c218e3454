//! How handlers describe themselves for the OpenAPI document.

pub mod describe;
pub mod described;
pub mod operation;

/// The API version that is served, and that the bodies of events follow.
pub const API_VERSION: &str = "2.23.0";
