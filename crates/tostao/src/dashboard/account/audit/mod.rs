//! Who did what in an account.

pub mod audit_pages;
mod export_words;
mod filter;
mod names;
pub mod view;
pub mod words;
