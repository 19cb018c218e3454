//! The profiles against a fake provider that knows nothing of them, over TLS.

mod efi_account;
mod efi_payouts;
mod efi_pix;
mod harness;
