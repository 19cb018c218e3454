//! The product from outside: through its public doors, on a real database.
//!
//! One binary for all features. It runs on SQLite, and on PostgreSQL where
//! `TOSTAO_TEST_DATABASE_URL` names a server.

mod harness;

mod accounts;
mod checkout;
mod checkout_api;
mod clock;
mod contracts;
mod docs;
mod edge;
mod housekeeping;
mod idempotency;
mod jobs;
mod ledger;
mod payment_links;
mod products;
mod statements;
mod stock;
mod transactions;
mod webhooks;
mod withdrawals;
