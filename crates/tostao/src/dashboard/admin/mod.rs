//! The pages of administrators, about the accounts of everybody: what waits for a decision, what
//! does not agree with the banks, and how the server is.
//!
//! A queue and the page of what it holds have one shape each (`view`), and every decision one form
//! (`decide`), which asks the features as their APIs do. `decision_pages` drives both pages of what
//! a queue holds: the object and the decision about it.

pub mod accounts_pages;
pub mod accounts_view;
pub mod advances_pages;
mod connection_words;
pub mod connections_pages;
mod decide;
pub mod decision_pages;
pub mod health_pages;
pub mod index_pages;
pub mod mail_pages;
mod money_words;
mod real_pages;
pub mod reconciliation_pages;
pub mod unknown_pages;
mod view;
mod withdrawal_words;
pub mod withdrawals_pages;
