//! Durable jobs in the database, pushed by the unit that needs them done.
//!
//! A job is a row until the unit that did its work deletes it. Claiming a job moves its `run_at`
//! to the end of a lease, so a worker that dies gives it back by doing nothing, and every job must
//! be safe to run twice.

pub mod job;
pub mod worker;

mod store;
