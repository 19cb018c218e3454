//! An HTTP client for addresses that strangers gave us.
//!
//! ```text
//! text ──Target::parse──▶ Target ──Client::post──▶ connector ──▶ Answer | Failure
//!            │ Refused                                 │ Blocked
//!            └ what the text alone tells               └ what the name resolves to, each time
//! ```
//!
//! A merchant's URL must not become a way into the network we run in. What can be told from the
//! text is refused while the merchant still looks at the form; what only the name service knows
//! is checked at every connection, and the connection goes to the very address that was checked.

pub mod address;
pub mod answer;
pub mod client;
mod connector;
pub mod failure;
mod meter;
pub mod resolver;
pub mod target;
