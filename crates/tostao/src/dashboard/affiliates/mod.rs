//! Affiliates: own programs with those who joined them, programs to join, and own links.

pub mod commission_pages;
mod delete_pages;
pub mod export_words;
pub mod form;
pub mod form_pages;
pub mod link_pages;
pub mod list_pages;
pub mod market_pages;
pub mod mine_pages;
pub mod program_pages;
pub mod view;
pub mod words;
