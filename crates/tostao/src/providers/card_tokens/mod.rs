//! Where a page exchanges a test card for a token of the sandbox.

pub mod api;
pub mod form_api;
