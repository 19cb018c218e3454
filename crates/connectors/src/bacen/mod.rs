//! The central bank's API Pix: charges, received payments, and their refunds.
//!
//! A bank mounts it under a path of its own and adds what the standard lacks; that is its profile.
//! Amounts are texts with two decimals, never numbers, which readers would round.

pub mod account;
pub mod charges;
pub mod errors;
pub mod notices;
pub mod pages;
pub mod received;
pub mod refunds;
pub mod session;
pub mod webhooks;

/// An amount, which the standard writes as a text with two decimals.
pub fn amount(text: &str) -> Option<ledger::cents::Cents> {
    brazil::money::parse_decimal(text).map(ledger::cents::Cents::new)
}

/// An amount of money that moved: more than nothing.
pub fn money(text: &str) -> Option<ledger::cents::Cents> {
    amount(text).filter(|amount| !amount.is_zero())
}
