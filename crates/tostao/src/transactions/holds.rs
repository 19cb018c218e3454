//! The money of a payment that a refund or a dispute holds, and returns if it fails.
//!
//! The affiliate gives their part of it as far as their account covers it; the merchant gives the
//! rest, from the available balance and from the payment's unsettled receivables.

use db::tx::Tx;
use ledger::cents::Cents;
use uuid::Uuid;

use crate::advances::lost_collateral::{Shortfall, replace_lost};
use crate::affiliates::commissions::clawbacks::{self, ClawbackReason, HoldRequest};
use crate::books;
use crate::books::movements::{AffiliateShare, SettlementSplit};
use crate::platform::error::{Result, overflow};
use crate::platform::ids::Scope;
use crate::transactions::Transaction;
use crate::{receivables, referrals};

/// Holds the affiliate's part of `amount`, of which `left` stays with the sale; returns it, and
/// what the merchant has to give.
pub async fn hold_commission(
    tx: &Tx,
    scope: Scope,
    of: &Transaction,
    by: Uuid,
    (amount, left): (Cents, Cents),
) -> Result<(Option<AffiliateShare>, Cents)> {
    let commission = match &of.affiliate_code {
        Some(_) => {
            let request = HoldRequest { transaction: of.id, by, paid: of.amount, left };
            clawbacks::hold(tx, scope, &request).await?
        }
        None => None,
    };
    Ok((commission, less(amount, commission)?))
}

/// Holds the merchant's part: what is not `from_balance` is taken from unsettled receivables and,
/// where they are not enough, from the balance as well. Pledged ones are replaced as collateral;
/// the debt is what nothing replaces.
pub async fn hold(
    tx: &Tx,
    scope: Scope,
    of: &Transaction,
    by: Uuid,
    (own, from_balance): (Cents, Cents),
) -> Result<(SettlementSplit, Option<Shortfall>)> {
    let missing = own.minus(from_balance).ok_or_else(overflow)?;
    let taken = receivables::deduct(tx, scope, of.id, by, missing).await?;
    let debt = replace_lost(tx, scope, &taken.pledges).await?;
    let available = own.minus(taken.amount).ok_or_else(overflow)?;
    Ok((SettlementSplit { available, pending: taken.amount }, debt))
}

/// Releases `amount` to where it was held from, or to the available balance if that has settled
/// meanwhile.
pub async fn release(
    tx: &Tx,
    scope: Scope,
    of: &Transaction,
    by: Uuid,
    amount: Cents,
) -> Result<(SettlementSplit, Option<AffiliateShare>)> {
    let commission = match &of.affiliate_code {
        Some(_) => clawbacks::return_hold(tx, scope, of.id, by).await?,
        None => None,
    };
    let own = less(amount, commission)?;
    let pending = receivables::restore(tx, scope, of.id, by).await?.pending;
    let available = own.minus(pending).ok_or_else(overflow)?;
    Ok((SettlementSplit { available, pending }, commission))
}

/// Takes from the affiliate and from the referrer what they earned by money that is the buyer's
/// again.
pub async fn claw_back(
    tx: &Tx,
    scope: Scope,
    of: &Transaction,
    by: Uuid,
    amount: Cents,
    reason: ClawbackReason,
) -> Result<()> {
    if of.affiliate_code.is_some() {
        clawbacks::claw_back(tx, scope, of.id, by, reason).await?;
    }
    referrals::sales::claw_back(tx, scope, of.id, by, amount).await
}

/// Emits `balance.updated` to the merchant, and to the affiliate whose part moved.
pub async fn emit_balance_updated(
    tx: &Tx,
    scope: Scope,
    commission: Option<AffiliateShare>,
    reason: &'static str,
) -> Result<()> {
    books::emit_balance_updated(tx, scope, reason).await?;
    match commission {
        Some(share) => books::emit_balance_updated(tx, share.affiliate, reason).await,
        None => Ok(()),
    }
}

/// What is left for the merchant's part.
fn less(amount: Cents, commission: Option<AffiliateShare>) -> Result<Cents> {
    let given = commission.map_or(Cents::ZERO, |share| share.amount);
    amount.minus(given).ok_or_else(overflow)
}
