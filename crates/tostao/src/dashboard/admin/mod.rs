//! The pages of administrators, about the accounts of everybody.

pub mod accounts_pages;
pub mod accounts_view;
