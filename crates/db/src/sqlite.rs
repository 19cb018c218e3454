//! The embedded engine: one writer thread with group commit, and concurrent readers.

pub mod checkpoints;
pub mod connection;
pub mod files;
pub mod readers;
pub mod writer;
