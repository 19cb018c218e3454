//! Referrals: the code to invite with, those who came, and what they bring.

pub mod code_pages;
pub mod invited_pages;
pub mod moved_pages;
pub mod numbered;
pub mod reward_pages;
pub mod view;
pub mod withdraw_form;
pub mod withdraw_pages;
pub mod words;
