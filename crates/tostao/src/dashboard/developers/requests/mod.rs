//! The request log: what the account's programs sent, and what they were answered.

pub mod filter;
pub mod list_pages;
pub mod show_pages;
pub mod view;
