//! An HTTP client for user-supplied URLs that prevents server-side request forgery.
//!
//! ```text
//! text ──Target::parse──▶ Target ──Client::post──▶ connector ──▶ Response | Failure
//!            │ Refused                                 │ Blocked
//!            └ what the text alone reveals             └ what the name resolves to, each time
//! ```
//!
//! A merchant's URL must not reach into the network that the server runs in. What the text alone
//! reveals is rejected when the merchant submits the URL; what the name resolves to is checked at
//! every connection, and the connection goes to the checked address.

pub mod address;
pub mod client;
mod connector;
pub mod examination;
pub mod failure;
mod meter;
pub mod resolver;
pub mod response;
pub mod target;
