//! The lanes of the queue. Each has its own workers, so slow work in one does not delay another.

/// Work on our own rows, and calls to banks that answer at once.
pub const WORK: &str = "work";
/// Calls to banks that may be slow.
pub const PAYOUTS: &str = "payouts";
/// Questions to connections: what notices name, and lists that are read again and again.
pub const CONNECTIONS: &str = "connections";
/// Deliveries to merchants' servers, which may be slow.
pub const WEBHOOKS: &str = "webhooks";
/// Erasure of deleted clients and closed accounts, which reads many rows and must not delay
/// anything else.
pub const ERASURES: &str = "erasures";
