//! Affiliates: they refer buyers to a merchant for a commission.
//!
//! ```text
//! programme ◀──joins── link ◀──click, code── buyer ──payment issued──▶ attribution
//!                                                  └──payment paid──▶ commission
//! ```
//!
//! An affiliate is another merchant of the same installation, in the same mode. All rows belong to
//! the programme's owner; an affiliate's own queries select by affiliate. `terms` calculates,
//! `clicks` records visits, `attribution` decides which affiliate referred a buyer when a payment
//! is issued, `commissions` follows when it is paid, refunded or disputed.

use db::tx::Tx;

use crate::platform::error::Result;
use crate::platform::ids::Scope;
use crate::store::room;

pub mod attribution;
pub mod clicks;
pub mod commissions;
pub mod links;
pub mod programs;
pub mod terms;

/// Deletes a scope's data as a merchant and as an affiliate for the reset of development data;
/// returns how many rows.
///
/// What other affiliates still hold of a merchant's sales is returned first.
pub async fn clear(tx: &Tx, scope: Scope, most: i64) -> Result<u64> {
    let mut cleared = commissions::clear(tx, scope, most).await?;
    cleared += attribution::clear(tx, scope, room(most, cleared)).await?;
    cleared += clicks::clear(tx, scope, room(most, cleared)).await?;
    cleared += links::clear(tx, scope, room(most, cleared)).await?;
    cleared += programs::clear(tx, scope, room(most, cleared)).await?;
    Ok(cleared)
}
