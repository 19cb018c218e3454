//! The way in: signing in and up, joining an account, signing out.

pub mod code_pages;
pub mod email_pages;
pub mod invitation_pages;
pub mod next;
pub mod reset_pages;
pub mod session_pages;
pub mod setup_pages;
pub mod sign_in_pages;
pub mod sign_up_pages;
pub mod view;
