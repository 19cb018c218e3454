//! Where the pages of subscriptions are, and what gives the same in the API.

/// The list of subscriptions in its mode, and in the API.
pub const LIST: &str = "/subscriptions";
pub const API: &str = "/api/subscriptions";
/// The list of plans in its mode, and in the API.
pub const PLANS: &str = "/subscriptions/plans";
pub const PLANS_API: &str = "/api/subscriptions/plans";
/// The recurring revenue in its mode, and its changes.
pub const METRICS: &str = "/subscriptions/metrics";
pub const CHANGES: &str = "/subscriptions/metrics/changes";
