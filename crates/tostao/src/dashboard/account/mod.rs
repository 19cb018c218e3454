//! What a person does about themselves and their accounts.
//!
//! These pages belong to no mode. `frame` is what they share.

pub mod audit;
pub mod business_pages;
pub mod close_pages;
pub mod elevate_pages;
pub mod email_pages;
mod frame;
pub mod look_pages;
pub mod notices_pages;
pub mod profile_pages;
pub mod security;
pub mod switch_pages;
pub mod team;
pub mod view;
