//! The balance: what is there and what moved it, what settles when, and withdrawals.

pub mod advance_ask_pages;
pub mod advance_form;
pub mod advance_pages;
mod advance_view;
pub mod balance_pages;
pub mod explain_pages;
pub mod keys;
pub mod list_pages;
mod pix_key;
pub mod receivables_pages;
mod since;
pub mod statement_form;
mod test_money;
mod view;
pub mod withdraw_form;
pub mod withdraw_pages;
pub mod withdrawal_pages;
mod withdrawn;
pub mod wording;
