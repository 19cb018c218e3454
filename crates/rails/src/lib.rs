//! The rails: what banks and acquirers do, as traits that every provider implements.
//!
//! A provider issues PIX codes and boletos, charges cards, pays out, refunds, and reports what
//! happened. Every order carries our own reference, stored before the call, and the same reference
//! again is the same order, so that a lost reply can be queried and never does harm.
//!
//! An error says what the caller may conclude ([`error::ProviderError`]); *unknown* is never
//! *failed*.

pub mod address;
pub mod boleto;
pub mod card;
pub mod conformance;
pub mod connection;
pub mod entries;
pub mod error;
pub mod payout;
pub mod pix;
pub mod profile;
pub mod provider;
pub mod refund;
pub mod settlement;
pub mod trouble;
