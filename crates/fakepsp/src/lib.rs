//! A fake of three payment service providers.
#![expect(
    clippy::unnecessary_wraps,
    reason = "all handlers are of one type, and some have nothing to refuse"
)]

mod admin;
mod bacen;
mod brcode;
mod call;
pub mod certificates;
mod clock;
mod cobrancas;
mod core;
mod deliver;
mod documents;
mod efi;
pub mod fake;
mod fault;
mod ids;
mod inter;
mod log;
mod money;
mod net;
mod notices;
mod pagarme;
mod probe;
mod reply;
mod route;
pub mod settings;
mod slip;
mod through;
mod tokens;
mod world;
mod x509;
