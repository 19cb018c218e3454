//! Authentication: API keys, access tokens, permissions.

pub mod api_key;
pub mod caller;
pub mod elevation;
pub mod hashing_queue;
pub mod passwords;
pub mod seat;
pub mod tokens;
