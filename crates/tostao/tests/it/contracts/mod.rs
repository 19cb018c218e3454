//! What the product promises to others, written down: a change here is a change for somebody.
//!
//! Every promise is a stored snapshot, made from what the running product does or says.

mod codes;
mod deprecation;
mod described;
mod document;
mod events;
mod http_file;
mod lists;
pub mod movements;
mod permissions;
mod public_names;
mod schema;
mod strangers;
mod surface;
