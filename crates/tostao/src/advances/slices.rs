//! Which receivables an advance is paid out on: the soonest due first, because they cost least.

use brazil::calendar::sao_paulo_date;
use db::time::Timestamp;
use ledger::cents::Cents;

use crate::advances::terms::{Rate, Terms};
use crate::platform::error::{Error, Refusal, Result};
use crate::platform::ids::TransactionId;
use crate::receivables::Receivable;

/// What an advance gets of one receivable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slice {
    pub transaction: TransactionId,
    pub installment: i64,
    /// What of it is pledged, or was when it settled.
    pub amount: Cents,
    /// What was charged for it, which stays when another one takes its place.
    pub fee: Cents,
    /// Days from the payout, in São Paulo.
    pub days: i64,
    pub due_at: Timestamp,
}

/// What could be advanced to a merchant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    pub eligible: Cents,
    pub most: Cents,
}

impl Limit {
    /// Adds up what is free.
    pub fn of(parts: &[Receivable], terms: Terms) -> Result<Self> {
        let sum = parts.iter().try_fold(Cents::ZERO, |sum, part| sum.plus(part.free()));
        let eligible = sum.ok_or_else(overflow)?;
        Ok(Self { eligible, most: terms.most(eligible).ok_or_else(overflow)? })
    }

    /// Refuses more than there may be.
    pub fn expect(&self, amount: Cents) -> Result<()> {
        if amount <= self.most {
            return Ok(());
        }
        let message = format!("At most {} cents can be advanced now.", self.most.get());
        Err(Error::refused(Refusal::InsufficientReceivables, message))
    }
}

/// Cuts an amount from the parts in their order, as of an instant; the last one may be cut through.
pub fn cut(parts: &[Receivable], amount: Cents, rate: Rate, at: Timestamp) -> Result<Vec<Slice>> {
    let mut missing = amount;
    let mut slices = Vec::new();
    for part in parts {
        if missing.is_zero() {
            break;
        }
        let slice = Slice::of(part, missing.min(part.free()), at);
        let fee = rate.fee(slice.amount, slice.days).ok_or_else(overflow)?;
        missing = missing.minus(slice.amount).ok_or_else(overflow)?;
        slices.push(Slice { fee, ..slice });
    }
    Ok(slices)
}

/// Adds the fees up.
pub fn fee(slices: &[Slice]) -> Result<Cents> {
    let sum = slices.iter().try_fold(Cents::ZERO, |sum, slice| sum.plus(slice.fee));
    sum.ok_or_else(overflow)
}

impl Slice {
    /// Some of a part from an instant on, for nothing.
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

fn overflow() -> Error {
    Error::Internal(anyhow::anyhow!("what can be advanced overflows"))
}
