//! The edge shared by every feature: what a request must be, and what an answer looks like.

pub mod body;
pub mod client_ip;
pub mod context;
pub mod device;
pub mod edge;
pub mod error_face;
pub mod html;
pub mod idempotency;
pub mod language;
pub mod page;
pub mod patch;
pub mod path;
pub mod query;
pub mod rate_limit;
pub mod reply;
pub mod server;
