//! Affiliates: they refer buyers to a merchant for a commission.
//!
//! ```text
//! program ◀──joins── link ◀──click, code── buyer ──payment issued──▶ attribution
//!                                                  └──payment paid──▶ commission
//! ```
//!
//! An affiliate is another merchant of the same installation, in the same mode. All rows belong to
//! the program's owner; an affiliate's own queries select by affiliate. `terms` calculates,
//! `clicks` records visits, `attribution` decides which affiliate referred a buyer when a payment
//! is issued, `commissions` follows when it is paid, refunded or disputed.

pub mod attribution;
pub mod clicks;
pub mod commissions;
pub mod links;
pub mod programs;
pub mod terms;
