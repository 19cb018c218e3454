//! What a person does about themselves and their accounts.

pub mod switch_pages;
