//! The mails of an account: those of development are read here, those of production wait or leave.

pub mod list_pages;
pub mod mail_pages;
mod view;
pub mod wording;
