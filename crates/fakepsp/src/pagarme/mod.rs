//! Pagar.me's API v5: card tokens, orders, charges, receivables.
//!
//! From its documents and its SDK 7.0.2: fields, test cards, one-minute tokens for one use, the
//! idempotency key that repeats any answer for a day, 200 for a declined card, 412 for what is
//! valid and impossible, partial and whole refunds, notices, the form of their signature.
//!
//! Inferred:
//! - Looking at a token does not use it up.
//! - A charge that the antifraud holds is `pending`, its transaction `analyzing`; the list of
//!   notices says where each was sent.
//! - An idempotency key names a request whatever its path is.
//! - A token that was used is 422; statuses of orders; `voided` only before the capture.
//! - `charge.chargedback` comes again when a chargeback is lost, `charge.paid` when it is won.
//! - The fee is spread like the amount, the first installment takes the cents that are left over.
//! - Cards 4000000000000002, …9995, …0069 and …0127 decline with 05, 51, 54 and N7, which is a
//!   convention of other simulators.

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
