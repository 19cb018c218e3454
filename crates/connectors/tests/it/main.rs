//! The profiles against a fake provider that knows nothing of them, over TLS.

mod account;
mod boletos;
mod harness;
mod inter_boletos;
mod inter_payouts;
mod payouts;
mod pix;
