//! Brazilian documents, PIX keys and codes, boletos and calendar: pure functions.
//!
//! Nothing here reads a clock, a file or the network: functions that depend on today take it as an
//! argument, so every rule can be tested with a table of published values.

pub mod document;
pub mod pix_key;

pub mod brcode;
pub mod txid;

pub mod boleto;
pub mod installments;

pub mod calendar;
pub mod money;
pub mod periods;

pub mod ascii;
pub mod card_brand;
pub mod luhn;

mod check_digit;
#[cfg(test)]
mod testing;
