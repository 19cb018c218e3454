//! The client against services on loopback that are as well or badly behaved as a test needs.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod breakers;
mod certificate;
mod certificates;
mod identities;
mod limits;
mod outcomes;
mod peer;
mod token_caches;
mod tokens;
