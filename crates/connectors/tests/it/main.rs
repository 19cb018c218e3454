//! The profiles against a fake provider that knows nothing of them, over TLS.

mod account;
mod acquirer;
mod boletos;
mod card_events;
mod cards;
mod harness;
mod inter_boletos;
mod inter_payouts;
mod payouts;
mod pix;
