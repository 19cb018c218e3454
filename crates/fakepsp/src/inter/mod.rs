//! Banco Inter: API Pix with its spellings, slips that are made later, and payouts.

pub mod banking;
pub mod hooks;
pub mod pay;
pub mod problem;
pub mod requests;
pub mod routes;
pub mod slips;
pub mod token;
