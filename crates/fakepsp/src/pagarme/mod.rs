//! Pagar.me's API v5: card tokens, orders, charges, receivables.

pub mod account;
pub mod cards;
pub mod charges;
pub mod idempotency;
pub mod orders;
pub mod outcome;
pub mod payables;
pub mod people;
pub mod routes;
pub mod signature;
