//! How handlers describe themselves, for the document of the API.

pub mod describe;
pub mod operation;

/// The version of the contract that is served, and that the bodies of events follow.
pub const API_VERSION: &str = "2.23.0";
