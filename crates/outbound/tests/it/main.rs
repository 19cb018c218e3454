//! The client against peers on loopback and name services that lie.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod calls;
mod certificate;
mod corpus;
mod limits;
mod names;
mod peer;
mod pools;
mod tls;
