//! Durable jobs in the database, enqueued by the unit that needs them.
//!
//! A job is a row until the unit that did its work deletes it. A claim moves its `run_at` to the
//! end of a lease, so the jobs of a worker that dies become due again, and every job must be
//! idempotent.

pub mod job;
pub mod worker;

#[cfg(test)]
mod doubles;
mod store;
