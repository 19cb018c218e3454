//! The receivables that an advance is paid out on: the soonest due first, because they cost least.

use brazil::calendar::sao_paulo_date;
use db::time::Timestamp;
use ledger::cents::Cents;

use crate::advances::terms::{AdvanceTerms, MonthlyRateBps};
use crate::platform::error::{Error, ErrorCode, Result, overflow};
use crate::platform::ids::TransactionId;
use crate::receivables::Receivable;

/// The part of one receivable that belongs to an advance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollateralPart {
    pub transaction: TransactionId,
    pub installment: i64,
    /// The amount that is pledged, or was when it settled.
    pub amount: Cents,
    /// The fee for it, which is not returned when another receivable replaces it.
    pub fee: Cents,
    /// Days from the payout, in São Paulo.
    pub days: i64,
    pub due_at: Timestamp,
}

/// How much could be advanced to a merchant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    pub eligible: Cents,
    pub most: Cents,
}

impl Limit {
    /// Sums what is free.
    pub fn of(parts: &[Receivable], terms: AdvanceTerms) -> Result<Self> {
        let sum = parts.iter().try_fold(Cents::ZERO, |sum, part| sum.plus(part.free()));
        let eligible = sum.ok_or_else(overflow)?;
        Ok(Self { eligible, most: terms.most(eligible).ok_or_else(overflow)? })
    }

    /// Refuses an amount above the limit.
    pub fn expect(&self, amount: Cents) -> Result<()> {
        if amount <= self.most {
            return Ok(());
        }
        let message = format!("At most {} cents can be advanced now.", self.most.get());
        Err(Error::refused(ErrorCode::InsufficientReceivables, message))
    }
}

/// Takes an amount from the parts in their order, as of a given time; the last part may be taken
/// partially.
pub fn cut(
    parts: &[Receivable],
    amount: Cents,
    rate: MonthlyRateBps,
    at: Timestamp,
) -> Result<Vec<CollateralPart>> {
    let mut missing = amount;
    let mut collateral = Vec::new();
    for part in parts {
        if missing.is_zero() {
            break;
        }
        let pledged = CollateralPart::of(part, missing.min(part.free()), at);
        let fee = rate.fee(pledged.amount, pledged.days).ok_or_else(overflow)?;
        missing = missing.minus(pledged.amount).ok_or_else(overflow)?;
        collateral.push(CollateralPart { fee, ..pledged });
    }
    Ok(collateral)
}

/// Sums the fees.
pub fn fee(collateral: &[CollateralPart]) -> Result<Cents> {
    let sum = collateral.iter().try_fold(Cents::ZERO, |sum, pledged| sum.plus(pledged.fee));
    sum.ok_or_else(overflow)
}

impl CollateralPart {
    /// A share of a part from a given time on, without a fee.
    pub fn of(part: &Receivable, amount: Cents, at: Timestamp) -> Self {
        let (today, due_on) = (sao_paulo_date(at.micros()), sao_paulo_date(part.due_at.micros()));
        Self {
            transaction: part.transaction,
            installment: part.installment,
            amount,
            fee: Cents::ZERO,
            days: i64::from((due_on - today).get_days()),
            due_at: part.due_at,
        }
    }
}
