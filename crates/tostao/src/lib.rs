//! Tostão, a self-hosted payment gateway for Brazil.
//!
//! Read in this order: `app` (what is built once), `routes` (every URL), one feature (`products` is
//! the simplest), `transactions` (the core), `books` (the ledger), `events` and `webhooks` (how
//! merchants are notified), and `worker` (every job).

pub mod account_closure;
pub mod app;
pub mod guides;
pub mod health;
pub mod home_pages;
pub mod housekeeping;
mod middleware;
pub mod openapi;
pub mod resealing;
pub mod routes;
pub mod samples;
pub mod worker;

pub mod platform;

pub mod auth;
pub mod books;
pub mod events;
pub mod idempotency;
pub mod jobs;
pub mod providers;
mod store;

pub mod advances;
pub mod affiliates;
pub mod audit;
pub mod billing;
pub mod carts;
pub mod checkout;
pub mod clients;
pub mod coupons;
pub mod credentials;
pub mod dashboard;
pub mod development;
pub mod erasure;
pub mod figures;
pub mod first_steps;
pub mod mail;
pub mod merchants;
pub mod payment_links;
pub mod people;
pub mod products;
pub mod receivables;
pub mod reconciliation;
pub mod referrals;
pub mod registration;
pub mod requests;
pub mod search;
pub mod server_health;
pub mod statements;
pub mod subscription_pages;
pub mod subscriptions;
pub mod transactions;
pub mod webhooks;
pub mod withdrawals;

pub mod commands;
pub mod connections;
