//! The search over everything.

pub mod search_pages;
pub mod view;
