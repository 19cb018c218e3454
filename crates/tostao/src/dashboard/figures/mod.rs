//! The lists that figures of money are the sums of.

pub mod entries_pages;
pub mod part;
pub mod view;
