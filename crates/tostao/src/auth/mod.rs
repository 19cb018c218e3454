//! Authentication: API keys, access tokens, permissions.

pub mod api_key;
pub mod caller;
pub mod passwords;
pub mod tokens;
pub mod turns;
