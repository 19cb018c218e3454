//! The lanes of the queue. Each has its own workers, so slow work in one does not delay another.

/// Work on our own rows, and calls to banks that answer at once.
pub const WORK: &str = "work";
/// Calls to banks that may be slow.
pub const PAYOUTS: &str = "payouts";
/// Work of connections that is not in the lane of one of them.
pub const CONNECTIONS: &str = "connections";
/// Deliveries to merchants' servers, which may be slow.
pub const WEBHOOKS: &str = "webhooks";
/// Erasure of deleted clients and closed accounts, which reads many rows and must not delay
/// anything else.
pub const ERASURES: &str = "erasures";

/// The lane of questions to one connection, and of refunds by it: a bank that hangs delays no
/// other.
pub fn of_connection(name: &str) -> String {
    format!("{CONNECTIONS} {name}")
}

/// The lane of payouts by one connection, of which each server sends one after another, as banks
/// advise.
pub fn of_payouts(connection: &str) -> String {
    format!("{PAYOUTS} {connection}")
}
