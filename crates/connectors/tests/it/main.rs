//! The profiles against a fake provider that knows nothing of them, over TLS.

mod account;
mod harness;
mod payouts;
mod pix;
