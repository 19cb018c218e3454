//! The product from outside: through its public doors, on a real database.
//!
//! One binary for all features. It runs on SQLite, and on PostgreSQL where
//! `TOSTAO_TEST_DATABASE_URL` names a server.

mod harness;

mod accounts;
mod clock;
mod docs;
mod edge;
mod idempotency;
mod jobs;
mod ledger;
mod transactions;
