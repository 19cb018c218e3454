//! The keys to withdraw to: adding and deleting them.

mod delete_pages;
mod form;
pub mod form_pages;
pub mod list_pages;
mod view;
