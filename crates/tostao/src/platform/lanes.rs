//! The lanes of the queue: each has workers of its own, so that none waits for slow work of
//! another.

/// Work on our own rows, and orders to banks that answer at once.
pub const WORK: &str = "work";
/// Orders to banks, which may be slow.
pub const PAYOUTS: &str = "payouts";
/// Deliveries to merchants' servers, which may be slow.
pub const WEBHOOKS: &str = "webhooks";
/// Blanking deleted clients and closed accounts, which walks through much and never delays anything
/// else.
pub const ERASURES: &str = "erasures";
