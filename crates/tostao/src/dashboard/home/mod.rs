//! The first page of a mode: what is there, what is to be done, what has happened.

mod attention;
pub mod checklist;
pub mod home_pages;
pub mod no_sale;
pub mod view;
