//! The product from outside: through its public doors, on a real database.
//!
//! One binary for all features. It runs on SQLite, and on PostgreSQL where
//! `TOSTAO_TEST_DATABASE_URL` names a server.

mod harness;

mod accounts;
mod advances;
mod affiliates;
mod audit;
mod balances;
mod banks;
mod carts;
mod checkout;
mod checkout_api;
mod clients;
mod clock;
mod clock_reset;
mod closing;
mod connections;
mod contracts;
mod coupons;
mod dashboard;
mod disputes;
mod docs;
mod documented;
mod dry_runs;
mod figures;
mod guides;
mod health;
mod home;
mod housekeeping;
mod idempotency;
mod jobs;
mod key_lookup;
mod ledger;
mod lists;
mod mail;
mod members;
mod methods;
mod middleware;
mod model;
mod nodes;
mod pasted;
mod payment_links;
mod products;
mod proof;
mod referrals;
mod refunds;
mod requests;
mod sandbox;
mod searches;
mod second_step;
mod sessions;
mod settings;
mod sign_in;
mod statement;
mod statements;
mod stock;
mod subscriptions;
mod transactions;
mod unmatched;
mod webhooks;
mod whoami;
mod withdrawals;
mod work;
mod year;
