//! An HTTP client for the services that the operator has configured: banks and acquirers.
//!
//! ```text
//! Call ──▶ token ──▶ breaker ──▶ pause ──▶ place ──▶ exchange ──judge──▶ Answer | Failure
//!            │                                          │
//!            └───────────── 401: once more ◀────────────┘
//! ```
//!
//! A payment that may have been made must not be made again, and one that certainly was not made
//! may be. So every call ends in one of few outcomes, which `outcome` alone decides, and each of
//! them says what may follow. The client knows no service; a service's own form of errors is
//! passed to it.

mod address;
mod breaker;
pub mod call;
mod causes;
pub mod client;
mod connector;
pub mod failure;
pub mod identity;
mod outcome;
mod pauses;
mod retry_after;
pub mod roots;
pub mod settings;
pub mod token;
pub mod token_cache;
mod wire;
