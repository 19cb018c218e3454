//! Banks and acquirers of Brazil, as providers of the rails.
//!
//! Each folder is a profile: wire types, statuses and error codes of one provider. `bacen` is no
//! profile but the central bank's API Pix, which several banks offer with small differences. All of
//! them call through `upstream`, which decides what a call came to; a profile only says what its
//! provider's own words mean.

use rails::profile::Profile;

pub mod bacen;
pub mod efi;
pub mod inter;
pub mod pagarme;
pub mod report;

mod failures;
mod health;
mod rail_codes;
mod setup;
#[cfg(test)]
mod status_tables;

/// Every profile, by name.
pub const PROFILES: &[&dyn Profile] = &[&efi::Efi, &inter::Inter, &pagarme::Pagarme];
