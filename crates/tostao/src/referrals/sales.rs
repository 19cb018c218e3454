//! Rewards for the sales of an invited merchant, and their reversal on refunds.

use std::time::Duration;

use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;
use uuid::Uuid;

use crate::merchants;
use crate::platform::error::{Result, overflow};
use crate::platform::ids::{ReferralId, RewardId, Scope, TransactionId};
use crate::referrals::rewards::{self, Kind, Reward, RewardClawback};
use crate::referrals::{Referral, Status, store};

/// A sale can be refunded until the end of its window, that instant included.
const THEREAFTER: Duration = Duration::from_secs(1);

/// Counts a sale for the merchant's referrer, while it earns something; `returnable` is how long it
/// can be refunded.
///
/// This is not called for a merchant without a referrer: the payment's row knows that already.
pub async fn count(
    tx: &Tx,
    seller: Scope,
    sale: TransactionId,
    amount: Cents,
    returnable: Duration,
) -> Result<()> {
    let Some(before) = store::open(tx, seller).await? else { return Ok(()) };
    let scope = merchants::scope(tx, before.merchant, seller.mode).await?;
    let before = before.at(scope.now(tx));
    if !before.earns_at(tx, scope) {
        return Ok(());
    }
    let counted = scope.now(tx) < before.expires_at;
    let earned = amount.basis_points(before.basis_points).ok_or_else(overflow)?;
    let reward = Reward {
        transaction: Some(sale),
        base: amount,
        counted,
        ..Reward::new(
            tx,
            scope,
            before.id,
            Kind::Commission,
            earned,
            scope.now(tx).plus(returnable).plus(THEREAFTER),
        )
    };
    rewards::earn(tx, scope, &reward).await?;
    let volume = if counted { before.volume.plus(amount) } else { Some(before.volume) };
    let after = Referral {
        volume: volume.ok_or_else(overflow)?,
        commissions: before.commissions + i64::from(!earned.is_zero()),
        commission_earned: before.commission_earned.plus(earned).ok_or_else(overflow)?,
        ..before
    };
    let after = complete(tx, scope, after).await?;
    store::update(tx, scope, &after).await
}

/// Creates the fixed reward for a merchant who has just been verified, if the goal is reached.
pub async fn qualify(tx: &Tx, seller: Scope) -> Result<()> {
    let Some(before) = store::open(tx, seller).await? else { return Ok(()) };
    let scope = merchants::scope(tx, before.merchant, seller.mode).await?;
    let after = complete(tx, scope, before.at(scope.now(tx))).await?;
    store::update(tx, scope, &after).await
}

/// Claws back a sale's reward on the part that was returned to its buyer; `by` is the refund or the
/// dispute, which claws back once.
pub async fn claw_back(
    tx: &Tx,
    seller: Scope,
    sale: TransactionId,
    by: Uuid,
    amount: Cents,
) -> Result<()> {
    let Some((merchant, of)) = rewards::referral_of(tx, sale).await? else { return Ok(()) };
    let scope = merchants::scope(tx, merchant, seller.mode).await?;
    let Some(before) = store::lock(tx, scope, of).await? else { return Ok(()) };
    let taken = rewards::claw_back(tx, scope, &before, sale, by, amount).await?;
    let RewardClawback { base, reward, all } = taken;
    let after = Referral {
        volume: before.volume.minus(base).ok_or_else(overflow)?.max(Cents::ZERO),
        commissions: before.commissions - i64::from(all),
        commission_earned: before.commission_earned.minus(reward).ok_or_else(overflow)?,
        ..before
    };
    let after = rewards::claw_back_fixed(tx, scope, after).await?;
    store::update(tx, scope, &after).await
}

/// Creates the fixed reward once a verified merchant reaches the goal; it is held until sales that
/// can no longer be refunded reach it.
async fn complete(tx: &Tx, scope: Scope, reached: Referral) -> Result<Referral> {
    if !reached.status.may_become(Status::Completed) || reached.volume < reached.goal {
        return Ok(reached);
    }
    let invited = Scope { merchant: reached.invited, ..scope };
    if !merchants::is_verified(tx, invited).await? {
        return Ok(reached);
    }
    let fixed = reached.fixed;
    let at = rewards::goal_settles_at(tx, scope, &reached).await?.unwrap_or(scope.now(tx));
    let reward = Reward::new(tx, scope, reached.id, Kind::Fixed, fixed, at);
    rewards::earn(tx, scope, &reward).await?;
    let completed_at = Some(scope.now(tx));
    Ok(Referral { status: Status::Completed, fixed_earned: fixed, completed_at, ..reached })
}

impl Referral {
    fn earns_at(&self, tx: &Tx, scope: Scope) -> bool {
        let open = matches!(self.status, Status::Pending | Status::Completed);
        open && scope.now(tx) < self.earns_until
    }
}

impl Reward {
    fn new(
        tx: &Tx,
        scope: Scope,
        referral: ReferralId,
        kind: Kind,
        amount: Cents,
        available_at: Timestamp,
    ) -> Self {
        Self {
            id: RewardId::new(tx),
            referral,
            kind,
            status: rewards::Status::Pending,
            transaction: None,
            base: Cents::ZERO,
            counted: false,
            amount,
            taken: Cents::ZERO,
            created_at: scope.now(tx),
            available_at,
            released_at: None,
        }
    }
}
