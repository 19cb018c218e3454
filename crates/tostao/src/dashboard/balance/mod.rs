//! The balance: what is there and what moved it, what settles when, and withdrawals.

pub mod advance_ask_pages;
mod advance_form;
pub mod advance_pages;
mod advance_view;
pub mod balance_pages;
pub mod list_pages;
pub mod receivables_pages;
mod view;
mod withdraw_form;
pub mod withdraw_pages;
pub mod withdrawal_pages;
mod wording;
