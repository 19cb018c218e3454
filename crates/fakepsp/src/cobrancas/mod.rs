//! Efí's API Cobranças: payment slips, on another host and with another token.
//!
//! From Efí's documents and the schemas of its SDK: bodies, statuses, the notice that is a token
//! and is repeated until it was asked about, error codes 3500010, 3500034 and 3500043, that a
//! cancelled slip may still be paid.
//!
//! Inferred: HTTP statuses of errors; that two changes, `new` and `waiting`, are notified at the
//! creation; that a second payment is one more `paid`; page sizes; the smallest amount of R$ 5.00.
//! Repetition follows the clock: each `POST /__clock` repeats what was not asked about.

pub mod notification;
pub mod pay;
pub mod reminders;
pub mod requests;
pub mod routes;
pub mod slips;
