//! Sockets, TLS, and what is written onto them when an answer is spoiled.

pub mod body;
pub mod client;
pub mod loopback;
pub mod server;
