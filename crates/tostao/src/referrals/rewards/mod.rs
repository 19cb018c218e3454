//! Rewards: what a referral earned.
//!
//! ```text
//! PENDING ──held for long enough──▶ AVAILABLE
//!    └───────taken back whole─────▶ CANCELLED
//! ```
//!
//! A commission is held until its sale can no longer be refunded and is neither contested nor
//! going back, and the fixed reward until such sales reach the goal. What is returned to a buyer
//! takes its part of the commission back; if so much was returned that the goal is missed, the
//! fixed reward is cancelled when it is due. A dispute that begins and is lost later still takes
//! back what was released, even if the referrer then owes it to future rewards.

use std::time::Duration;

use db::text_enum;
use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;
use uuid::Uuid;

use crate::books;
use crate::books::movements::Movement;
use crate::merchants;
use crate::platform::error::{Result, overflow};
use crate::platform::http::page::Listed;
use crate::platform::ids::{MerchantId, ReferralId, RewardId, Scope, TransactionId};
use crate::referrals::jobs::Release;
use crate::referrals::rewards::list::RewardFilter;
use crate::referrals::{Referral, store as referrals};
use crate::store::Sums;

pub mod list;
mod store;

/// The minimum holding period of a reward: any payment can be refunded for that long.
const HELD_FOR: Duration = Duration::from_hours(90 * 24);
/// How long a reward waits before a contested sale is looked at again.
const CONTESTED_AGAIN_AFTER: Duration = Duration::from_hours(24);

text_enum! {
    /// The type of a referral reward.
    pub enum Kind as "ReferralRewardType" {
        /// The invited merchant reached the sales target in time.
        Fixed = "FIXED",
        /// A sale of the invited merchant.
        Commission = "COMMISSION",
    }
}

text_enum! {
    /// The status of a reward.
    pub enum Status as "ReferralRewardStatus" {
        /// Not yet available.
        Pending = "PENDING",
        /// Available to withdraw.
        Available = "AVAILABLE",
        /// Fully reversed.
        Cancelled = "CANCELLED",
    }
}

/// A reward of a referral.
#[derive(Debug, Clone)]
pub struct Reward {
    pub id: RewardId,
    pub referral: ReferralId,
    pub kind: Kind,
    pub status: Status,
    /// The sale that a commission is for.
    pub transaction: Option<TransactionId>,
    /// The part of the sale that was not returned to the buyer.
    pub base: Cents,
    /// Whether the sale counts towards the goal.
    pub counted: bool,
    pub amount: Cents,
    pub taken: Cents,
    pub created_at: Timestamp,
    pub available_at: Timestamp,
    pub released_at: Option<Timestamp>,
}

/// What was taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RewardClawback {
    /// Of what counts towards the goal.
    pub base: Cents,
    /// Of the reward.
    pub reward: Cents,
    /// Whether nothing is left of a reward that was not zero.
    pub all: bool,
}

/// Stores a reward, holds its money, and schedules its release; a reward of zero is stored too,
/// because its sale counts towards the goal.
pub async fn earn(tx: &Tx, scope: Scope, reward: &Reward) -> Result<()> {
    store::insert(tx, scope, reward).await?;
    let (of, amount) = (reward.id, reward.amount);
    if amount.is_zero() {
        return Ok(());
    }
    let job = Release { merchant: scope.merchant, mode: scope.mode, id: of };
    queue::job::push(tx, of.0, scope.due(reward.available_at), &job).await?;
    books::record(tx, Movement::referral_earned(of, scope, amount)).await
}

/// Releases a reward after its holding period; repeating it is not an error.
pub async fn release(tx: &Tx, scope: Scope, id: RewardId) -> Result<()> {
    let Some(of) = store::find(tx, scope, id).await?.map(|reward| reward.referral) else {
        return Ok(());
    };
    let Some(referral) = referrals::lock(tx, scope, of).await? else { return Ok(()) };
    // The unit holds the referral's row lock by now, and with it every reward.
    let Some(reward) = store::find(tx, scope, id).await? else { return Ok(()) };
    if reward.status != Status::Pending {
        return Ok(());
    }
    // The conditions are checked only when the holding period ends: until then the owner may still
    // be verified.
    if scope.now(tx) < reward.due_at() {
        return postpone(tx, scope, id, reward.due_at()).await;
    }
    let invited = Scope { merchant: referral.invited, ..scope };
    if let Some(sale) = reward.transaction
        && store::is_contested(tx, invited, sale).await?
    {
        return postpone(tx, scope, id, scope.now(tx).plus(CONTESTED_AGAIN_AFTER)).await;
    }
    if reward.kind == Kind::Fixed {
        let Some(due) = fixed_due_at(tx, scope, &referral).await? else {
            return cancel(tx, scope, referral, &reward).await;
        };
        if scope.now(tx) < due {
            return postpone(tx, scope, id, due).await;
        }
    }
    store::release(tx, scope, id).await?;
    let (of, amount) = (id, reward.left()?);
    books::record(tx, Movement::referral_released(of, scope, amount)).await
}

/// The merchant and the referral that a sale earned something for.
pub async fn referral_of(tx: &Tx, sale: TransactionId) -> Result<Option<(MerchantId, ReferralId)>> {
    store::referral_of(tx, sale).await
}

/// Claws back the commission on the part of a sale that was returned to its buyer.
///
/// The commission is recalculated on what is left, so partial returns add up to the same as a full
/// one.
pub async fn claw_back(
    tx: &Tx,
    scope: Scope,
    referral: &Referral,
    sale: TransactionId,
    by: Uuid,
    amount: Cents,
) -> Result<RewardClawback> {
    let nothing = RewardClawback { base: Cents::ZERO, reward: Cents::ZERO, all: false };
    let Some(before) = store::find_by_sale(tx, scope, sale).await? else { return Ok(nothing) };
    let base = before.base.minus(amount).ok_or_else(overflow)?.max(Cents::ZERO);
    let due = base.basis_points(referral.basis_points).ok_or_else(overflow)?;
    let back = before.left()?.minus(due).ok_or_else(overflow)?.max(Cents::ZERO);
    let all = due.is_zero() && !back.is_zero();
    let released = before.status == Status::Available;
    let after = Reward {
        base,
        taken: before.taken.plus(back).ok_or_else(overflow)?,
        status: if all && !released { Status::Cancelled } else { before.status },
        ..before
    };
    store::record_clawback(tx, scope, &after).await?;
    let movement = Movement::referral_taken_back(by, scope, back, released);
    books::record(tx, movement).await?;
    let lost = before.base.minus(base).ok_or_else(overflow)?;
    Ok(RewardClawback { base: if before.counted { lost } else { Cents::ZERO }, reward: back, all })
}

/// When sales that can no longer be refunded reach the goal of a referral, if no contested one goes
/// back; `None` if all of its sales do not.
pub async fn goal_settles_at(
    tx: &Tx,
    scope: Scope,
    referral: &Referral,
) -> Result<Option<Timestamp>> {
    store::goal_settles_at(tx, scope, referral, true).await
}

/// Claws back a released fixed reward, if its goal is missed after all.
pub async fn claw_back_fixed(tx: &Tx, scope: Scope, referral: Referral) -> Result<Referral> {
    if referral.fixed_earned.is_zero() || referral.volume >= referral.goal {
        return Ok(referral);
    }
    let found = store::find_fixed(tx, scope, referral.id).await?;
    let Some(before) = found.filter(|reward| reward.status == Status::Available) else {
        return Ok(referral);
    };
    let (of, amount) = (before.id.0, before.left()?);
    let after = Reward { taken: before.amount, ..before };
    store::record_clawback(tx, scope, &after).await?;
    let movement = Movement::referral_taken_back(of, scope, amount, true);
    books::record(tx, movement).await?;
    Ok(Referral { fixed_earned: Cents::ZERO, ..referral })
}

/// Lists rewards with the name of the invited merchant, newest first.
pub async fn list(
    tx: &Tx,
    scope: Scope,
    filter: &RewardFilter,
) -> Result<Listed<(Reward, String)>> {
    let rows = store::list(tx, scope, filter).await?;
    let total = store::count(tx, scope, filter).await?;
    Ok(filter.page.listed(rows, total, |(reward, _)| reward.id.0))
}

/// Sums of what is left of rewards: of pending ones, of released ones, and of all; and what counts
/// towards goals.
pub async fn sums(tx: &Tx, of: Option<Scope>) -> Result<Sums<4>> {
    store::sums(tx, of).await
}

impl Reward {
    /// When it can be released; one with a shorter holding period from an older release waits as
    /// long.
    fn due_at(&self) -> Timestamp {
        self.available_at.max(self.created_at.plus(HELD_FOR))
    }

    /// What is left of it.
    pub fn left(&self) -> Result<Cents> {
        self.amount.minus(self.taken).ok_or_else(overflow)
    }
}

/// When a fixed reward is due: once the remaining sales reach the goal without contested ones, if
/// the merchant is still verified.
async fn fixed_due_at(tx: &Tx, scope: Scope, referral: &Referral) -> Result<Option<Timestamp>> {
    let invited = Scope { merchant: referral.invited, ..scope };
    if !merchants::is_verified(tx, invited).await? {
        return Ok(None);
    }
    let now = scope.now(tx);
    let settled = store::goal_settles_at(tx, scope, referral, false).await?;
    if settled.is_some_and(|at| at <= now) {
        return Ok(settled);
    }
    let expected = goal_settles_at(tx, scope, referral).await?;
    // Where it is past, only contested sales are missing.
    Ok(expected.map(|at| if at > now { at } else { now.plus(CONTESTED_AGAIN_AFTER) }))
}

/// Extends a reward's holding period.
async fn postpone(tx: &Tx, scope: Scope, id: RewardId, due: Timestamp) -> Result<()> {
    store::postpone(tx, scope, id, due).await?;
    let job = Release { merchant: scope.merchant, mode: scope.mode, id };
    queue::job::push(tx, id.0, scope.due(due), &job).await?;
    Ok(())
}

/// Cancels a fixed reward whose goal is missed after all.
async fn cancel(tx: &Tx, scope: Scope, referral: Referral, reward: &Reward) -> Result<()> {
    let amount = reward.left()?;
    let cancelled = Reward { taken: reward.amount, status: Status::Cancelled, ..reward.clone() };
    store::record_clawback(tx, scope, &cancelled).await?;
    let after = Referral { fixed_earned: Cents::ZERO, ..referral };
    referrals::update(tx, scope, &after).await?;
    let of = reward.id.0;
    let movement = Movement::referral_taken_back(of, scope, amount, false);
    books::record(tx, movement).await
}
