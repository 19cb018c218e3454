//! Holds, returns and claws back commissions on refunds and disputes.
//!
//! While a refund or a dispute is undecided, all of the buyer's money is held: the affiliate's part
//! beside the merchant's. Then it goes to the buyer, or returns to where it was. An affiliate gives
//! no more than their account holds; the merchant bears the rest, and the affiliate owes it to the
//! merchant and repays it first from later commissions.

use db::text_enum;
use db::tx::Tx;
use ledger::cents::Cents;
use uuid::Uuid;

use crate::affiliates::commissions::{self, Commission, CommissionOrigin, Status, release};
use crate::affiliates::links;
use crate::books;
use crate::books::chart::AccountKind;
use crate::books::movements::AffiliateShare;
use crate::merchants;
use crate::platform::error::{Result, overflow};
use crate::platform::ids::{CommissionId, MerchantId, Scope, TransactionId};
use crate::store::remaining;

mod store;

text_enum! {
    /// Why a commission is reduced.
    pub enum ClawbackReason {
        Refunded = "refunded",
        DisputeLost = "dispute_lost",
    }
}

/// A request to hold the commission's part of a refund or a dispute.
#[derive(Debug, Clone, Copy)]
pub struct HoldRequest {
    pub transaction: TransactionId,
    /// The refund or the dispute.
    pub by: Uuid,
    pub paid: Cents,
    /// What is left of the paid amount after this one.
    pub left: Cents,
}

/// The held part of a commission.
#[derive(Debug, Clone, Copy)]
pub struct CommissionHold {
    pub affiliate: MerchantId,
    pub amount: Cents,
    /// The part of it that the affiliate's account does not cover; the merchant gives it.
    pub unpaid: Cents,
    /// Whether the commission was already released to the affiliate.
    pub released: bool,
}

/// Holds a payment's commission for a refund or a dispute; `None` if there is none, or nothing of
/// it. Returns what the affiliate gives; the merchant gives all else of the payment.
///
/// The remaining commission is its share of what is left, rounded down, so that all parts together
/// take all of it.
pub async fn hold(tx: &Tx, scope: Scope, request: &HoldRequest) -> Result<Option<AffiliateShare>> {
    let Some(commission) = commissions::store::find_sale(tx, scope, request.transaction).await?
    else {
        return Ok(None);
    };
    let amount = commission.share_of(request).ok_or_else(overflow)?;
    if amount <= Cents::ZERO {
        return Ok(None);
    }
    let affiliate = merchants::scope(tx, commission.affiliate, scope.mode).await?;
    let released = commission.status == Status::Paid;
    let unpaid = if released {
        let available = books::held(tx, affiliate, AccountKind::Available).await?;
        amount.minus(available.max(Cents::ZERO)).ok_or_else(overflow)?.max(Cents::ZERO)
    } else {
        commission.unfunded.min(amount)
    };
    let hold = CommissionHold { affiliate: commission.affiliate, amount, unpaid, released };
    if !commissions::store::hold(tx, scope, &commission, &hold).await? {
        return Err(tx.collision("the commission changed while it was being held").into());
    }
    store::insert(tx, scope, request.transaction, request.by, &hold).await?;
    hold.share(affiliate).map(Some)
}

/// Returns what was held, because the payment keeps its money.
pub async fn return_hold(
    tx: &Tx,
    scope: Scope,
    of: TransactionId,
    by: Uuid,
) -> Result<Option<AffiliateShare>> {
    let Some(hold) = store::delete(tx, scope, of, by).await? else { return Ok(None) };
    let commission = commissions::store::give_back(tx, scope, of, &hold).await?;
    if commission.status == Status::Pending {
        release::push(tx, scope, &commission).await?;
    }
    hold.share(merchants::scope(tx, hold.affiliate, scope.mode).await?).map(Some)
}

/// Records that what was held goes to the buyer.
pub async fn claw_back(
    tx: &Tx,
    scope: Scope,
    of: TransactionId,
    by: Uuid,
    reason: ClawbackReason,
) -> Result<()> {
    let Some(hold) = store::delete(tx, scope, of, by).await? else { return Ok(()) };
    let less = Cents::ZERO.minus(hold.amount).ok_or_else(overflow)?;
    if hold.released {
        let commission = commissions::store::claw_back_released(tx, scope, of, hold.amount).await?;
        let clawback =
            Commission { owed: hold.unpaid, ..commission.clawed_back(tx, scope, less, reason) };
        commissions::store::insert(tx, scope, &clawback).await?;
        return links::count(tx, scope, commission.link, 0, Cents::ZERO, less).await;
    }
    let commission =
        commissions::store::claw_back_pending(tx, scope, of, hold.amount, reason.name()).await?;
    if commission.status == Status::Pending {
        release::push(tx, scope, &commission).await?;
    }
    links::count(tx, scope, commission.link, 0, less, Cents::ZERO).await
}

/// Deletes what is held of a scope's commissions, as a merchant and as an affiliate; returns how
/// many rows.
pub async fn clear(tx: &Tx, scope: Scope, most: i64) -> Result<u64> {
    let given = store::clear_given(tx, scope, most).await?;
    Ok(given + store::clear_had(tx, scope, remaining(most, given)).await?)
}

impl CommissionHold {
    /// The part that the merchant had not yet funded of a pending commission.
    pub fn of_unfunded(&self) -> Cents {
        if self.released { Cents::ZERO } else { self.unpaid }
    }

    /// What the affiliate gives of it, or gets back.
    fn share(self, affiliate: Scope) -> Result<AffiliateShare> {
        let amount = self.amount.minus(self.unpaid).ok_or_else(overflow)?;
        Ok(AffiliateShare { affiliate, amount, released: self.released })
    }
}

impl Commission {
    /// The commission's part of a refund or a dispute, besides what was taken before.
    fn share_of(&self, request: &HoldRequest) -> Option<Cents> {
        let (left, paid) = (i128::from(request.left.get()), i128::from(request.paid.get()));
        let stays = i128::from(self.earned.get()) * left / paid.max(1);
        let stays = Cents::new(i64::try_from(stays).ok()?);
        let gone = self.returned.plus(self.held)?;
        Some(self.earned.minus(stays)?.minus(gone)?.max(Cents::ZERO))
    }

    /// A clawback, for what is taken of a released commission.
    fn clawed_back(&self, tx: &Tx, scope: Scope, amount: Cents, reason: ClawbackReason) -> Self {
        let now = scope.now(tx);
        Self {
            id: CommissionId::new(tx),
            version: 1,
            kind: CommissionOrigin::Clawback,
            status: Status::Paid,
            earned: Cents::ZERO,
            amount,
            returned: Cents::ZERO,
            held: Cents::ZERO,
            unfunded: Cents::ZERO,
            held_reason: None,
            repaid: Cents::ZERO,
            available_at: now,
            paid_at: Some(now),
            cancel_reason: Some(reason.name().to_owned()),
            created_at: now,
            updated_at: now,
            ..self.clone()
        }
    }
}
