//! Affiliates: who sends a merchant buyers, and what he has of it.
//!
//! ```text
//! programme ◀──joins── link ◀──click, code── buyer ──payment issued──▶ attribution
//!                                                  └──payment paid──▶ commission
//! ```
//!
//! An affiliate is another merchant of the same installation, in the same mode. Everything lies
//! with the programme's owner; what an affiliate asks about his own names him. `terms` does the
//! sums, `clicks` remembers who was sent, `attribution` decides who brought a buyer when a payment
//! is issued, `commissions` is what follows when it is paid, given back or contested.

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

/// Deletes what a scope has as a merchant and as an affiliate, as if it had never been; answers how
/// many rows.
///
/// What other affiliates still hold of a merchant's sales goes back first.
pub async fn clear(tx: &Tx, scope: Scope, most: i64) -> Result<u64> {
    let mut cleared = commissions::clear(tx, scope, most).await?;
    cleared += attribution::clear(tx, scope, room(most, cleared)).await?;
    cleared += clicks::clear(tx, scope, room(most, cleared)).await?;
    cleared += links::clear(tx, scope, room(most, cleared)).await?;
    cleared += programs::clear(tx, scope, room(most, cleared)).await?;
    Ok(cleared)
}
