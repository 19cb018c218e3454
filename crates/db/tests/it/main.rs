//! The guarantees of the storage layer, on the engine that `TOSTAO_TEST_DATABASE_URL` names.
//!
//! Without it the tests run on SQLite, each on its own file; with the URL of a PostgreSQL server
//! each creates its own database there and drops it at the end.

#![expect(clippy::unwrap_used, reason = "a step that fails is a test that fails")]

mod collisions;
mod embedded;
mod failures;
mod groups;
mod harness;
mod migrations;
mod proxy;
mod rows;
mod server;
mod values;
mod visibility;
