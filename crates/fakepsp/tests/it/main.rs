//! The fake banks, through their sockets.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod cobrancas;
mod efi;
mod efi_payouts;
mod faults;
mod harness;
mod inter;
mod notices;
mod pagarme;
mod program;
mod receiver;
mod through;
mod tls;
