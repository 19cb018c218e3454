//! Plans: the list, a plan with its address, its form, and its switch.

pub mod export_words;
pub mod form;
pub mod form_pages;
pub mod list_pages;
pub mod plan_pages;
pub mod plan_words;
pub mod view;
