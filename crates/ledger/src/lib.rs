//! A double-entry ledger: accounts, transfers and balances, in cents, without business rules.
//!
//! A *transfer* moves an amount from one account to another, so the ledger balances by
//! construction. A *posting* is a set of transfers for one fact, identified by its kind and its
//! subject; the same fact can never be posted twice. Transfers are never changed or deleted: a
//! correction is another posting. Balances are updated by conditional statements that reject
//! falling below an account's floor, and can be verified from the transfers at any time. A hash
//! chain over each account's legs reveals whether a transfer was changed, added or deleted.
#![deny(clippy::arithmetic_side_effects, clippy::as_conversions, clippy::float_arithmetic)]

pub mod account;
pub mod cents;
pub mod chain;
pub mod posting;
pub mod statement;
pub mod turnover;
pub mod verify;

mod store;
