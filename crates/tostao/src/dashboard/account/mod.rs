//! What a person does about themselves and their accounts.

pub mod elevate_pages;
pub mod switch_pages;
pub mod view;
