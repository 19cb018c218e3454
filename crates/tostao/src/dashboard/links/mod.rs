//! Payment links: the list, a link with its figures, and the forms that make and change one.

pub mod carts_pages;
pub mod carts_view;
pub mod form;
pub mod form_pages;
pub mod form_view;
pub mod link_pages;
pub mod link_view;
pub mod list_pages;
pub mod list_view;
pub mod new_pages;
mod preview;
pub mod switch_pages;
