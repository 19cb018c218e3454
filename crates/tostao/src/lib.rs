//! Tostão, a self-hosted payment gateway for Brazil.
//!
//! Read in this order: `app` (what is built once), `routes` (every URL), one feature (`products`
//! is the plainest), `transactions` (what the product is for), `books` (how money moves), `events`
//! and `webhooks` (who is told).

pub mod app;
pub mod config;
pub mod decimal;
pub mod error;
pub mod fields;
pub mod health;
pub mod housekeeping;
pub mod ids;
pub mod jobs;
pub mod masked;
pub mod named_tokens;
pub mod resealing;
pub mod routes;
pub mod secrets;
pub mod shares;
pub mod sources;
mod store;
pub mod telemetry;

pub mod assets;
pub mod auth;
pub mod home_pages;
pub mod http;
pub mod messages;
pub mod openapi;
pub mod qr;
pub mod slip;

pub mod books;
pub mod events;
pub mod providers;

pub mod advances;
pub mod affiliates;
pub mod audit;
pub mod billing;
pub mod carts;
pub mod checkout;
pub mod clients;
pub mod closing;
pub mod coupons;
pub mod development;
pub mod erasure;
pub mod merchants;
pub mod payment_links;
pub mod products;
pub mod proof;
pub mod receivables;
pub mod referrals;
pub mod registration;
pub mod subscribing;
pub mod subscriptions;
pub mod transactions;
pub mod webhooks;
pub mod withdrawals;

pub mod commands;
