//! Accounts, transfers and balances, in cents; no business word in it.
//!
//! A *transfer* moves an amount from one account to another, so the books balance by
//! construction. A *posting* is a set of transfers booked for one fact, named by its kind and its
//! subject; the same fact can never be booked twice. Transfers are never changed or deleted: a
//! correction is another posting. Balances are kept by conditional updates that refuse to pass an
//! account's floor, and can be proved from the transfers at any time. A hash chain over each
//! account's legs shows whether a transfer was changed, added or deleted since.
#![deny(clippy::arithmetic_side_effects, clippy::as_conversions, clippy::float_arithmetic)]

pub mod account;
pub mod cents;
pub mod chain;
pub mod posting;
pub mod statement;
pub mod verify;

mod store;
