//! One SQL layer over SQLite and PostgreSQL.
//!
//! A *unit* is a closure that receives a [`tx::Tx`] and runs statements in one transaction; it is
//! committed completely or not at all. The same closure and the same SQL text run on both engines:
//!
//! - on SQLite one thread owns the only write connection and commits many waiting units with one
//!   sync to disk; a unit never waits for anything but SQL, so its future is ready when polled;
//! - on PostgreSQL a few threads each drive several connections; statements polled together share
//!   one round trip, and units that have a key, such as a merchant, run in order in a lane, which
//!   commits many at once.
//!
//! Both guarantee: a result of `Ok` is on stable storage; a unit whose statement failed, or that
//! panicked, leaves nothing behind; one whose caller has gone leaves nothing behind or is committed
//! completely; an unknown outcome is reported as [`error::Error::Unknown`], never as a failure.

pub mod database;
pub mod embedded;
pub mod error;
pub mod hex;
pub mod hints;
pub mod migrations;
pub mod source;
pub mod text_enum;
pub mod time;
pub mod tx;
pub mod value;

mod postgres;
mod queue;
mod rehearsal;
mod single;
mod sqlite;
mod unit;
