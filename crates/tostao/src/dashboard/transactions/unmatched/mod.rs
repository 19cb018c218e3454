//! Money set aside: what arrived beside a payment, and the decisions about it.

pub mod decide_form;
pub mod decide_pages;
pub mod list_pages;
pub mod paths;
pub mod view;
