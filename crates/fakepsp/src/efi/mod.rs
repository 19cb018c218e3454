//! Efí's API Pix: the central bank's operations, and Efí's own under `gn`.

pub mod account;
pub mod payout;
pub mod routes;
pub mod sent;
pub mod token;
