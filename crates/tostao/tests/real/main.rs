//! The program from outside: its own process, real sockets, real signals.
//!
//! It runs on SQLite, and on PostgreSQL where `TOSTAO_TEST_DATABASE_URL` names a server. What only
//! an embedded database can do is shown on one in either case.

mod harness;

mod administrators;
mod canaries;
mod client;
mod connections;
mod crash;
mod crash_with_a_bank;
mod demo;
mod examples;
mod first_webhook;
mod help;
mod migrations;
mod nodes;
mod operator;
mod restore;
mod running;
mod secrets;
mod settings;
mod walk;
