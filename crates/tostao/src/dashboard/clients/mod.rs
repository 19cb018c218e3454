//! Clients: the list, a client with what they bought and owe, their form, and their erasure.

pub mod client_pages;
pub mod client_view;
pub mod edit_form;
pub mod edit_pages;
pub mod erase_pages;
pub mod list_pages;
pub mod list_view;
