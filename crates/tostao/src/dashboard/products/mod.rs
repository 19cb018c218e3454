//! Products: the list with their stock, a product, its form, and its deletion; and what other
//! forms offer of them.

mod delete_pages;
pub mod form;
pub mod form_pages;
pub mod list_pages;
pub mod list_view;
pub mod offer;
pub mod product_pages;
pub mod product_view;
pub mod product_words;
