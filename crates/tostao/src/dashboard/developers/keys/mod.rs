//! API keys: making one, giving it another secret, ending it.

mod form;
pub mod form_pages;
pub mod list_pages;
pub mod revoke_pages;
pub mod rotate_pages;
mod view;
