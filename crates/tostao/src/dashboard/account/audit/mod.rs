//! Who did what in an account.

pub mod audit_pages;
mod filter;
pub mod view;
mod words;
