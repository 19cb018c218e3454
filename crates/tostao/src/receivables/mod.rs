//! Receivables: the parts of a payment that settle later.
//!
//! ```text
//! PENDING ──its day comes──▶ SETTLED      pending → available
//! ```
//!
//! A boleto settles on the next business day, installment *k* of a card 30·*k* days after the sale,
//! on a business day. A refund or a dispute takes from unsettled parts, the last one first; what it
//! returns goes to the part it was taken from, or straight to the balance if that part has settled
//! meanwhile. Cents of a part may be pledged (`pledges`): pledged cents are used last; the caller
//! gets the list of pledges it broke.

use brazil::calendar::{
    business_day_on_or_after, next_business_day, sao_paulo_date, sao_paulo_start_of_day,
};
use db::time::Timestamp;
use db::tx::Tx;
use jiff::ToSpan;
use ledger::cents::Cents;
use uuid::Uuid;

use crate::platform::error::{Result, overflow};
use crate::platform::ids::{AdvanceId, ReceivableId, Scope, TransactionId};
use crate::receivables::allocation::{Deduction, shares};
use crate::receivables::jobs::Settle;
use crate::store::Sums;

pub mod allocation;
pub mod api;
pub mod jobs;
pub mod list;
pub mod pledges;
mod store;

/// Days between two installments of a card.
pub const DAYS_BETWEEN: i64 = 30;

/// A part of a payment before it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewReceivable {
    pub due_at: Timestamp,
    pub amount: Cents,
    pub fee: Cents,
    /// The affiliate's share.
    pub commission: Cents,
}

/// A part of a payment.
#[derive(Debug, Clone)]
pub struct Receivable {
    pub id: ReceivableId,
    pub transaction: TransactionId,
    pub installment: i64,
    pub amount: Cents,
    pub fee: Cents,
    /// The affiliate's share.
    pub commission: Cents,
    /// What refunds and disputes took of it.
    pub taken: Cents,
    pub pledge: Option<Pledge>,
    pub due_at: Timestamp,
    pub settled_at: Option<Timestamp>,
}

/// The part that is pledged to an advance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pledge {
    pub to: AdvanceId,
    pub amount: Cents,
}

/// What a failed refund or dispute gave back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Restored {
    /// To unsettled parts.
    pub pending: Cents,
    /// From parts that have settled meanwhile.
    pub settled: Cents,
}

impl Receivable {
    /// The net value to the merchant.
    pub fn net(&self) -> Cents {
        let net = self.amount.minus(self.fee).and_then(|net| net.minus(self.commission));
        net.and_then(|net| net.minus(self.taken)).unwrap_or(Cents::ZERO)
    }

    /// The pledged part of that.
    pub fn pledged(&self) -> Cents {
        self.pledge.map_or(Cents::ZERO, |pledge| pledge.amount)
    }

    /// The part of that which is not pledged.
    pub fn free(&self) -> Cents {
        self.net().minus(self.pledged()).unwrap_or(Cents::ZERO)
    }
}

/// When a boleto settles, by its payment time.
pub fn after_boleto(paid_at: Timestamp) -> Timestamp {
    let day = next_business_day(sao_paulo_date(paid_at.micros()));
    Timestamp::from_micros(sao_paulo_start_of_day(day))
}

/// When an installment of a card, numbered from 1, settles.
pub fn after_card(paid_at: Timestamp, number: i64) -> Timestamp {
    let sold = sao_paulo_date(paid_at.micros());
    let due = sold.checked_add((DAYS_BETWEEN * number).days()).unwrap_or(sold);
    Timestamp::from_micros(sao_paulo_start_of_day(business_day_on_or_after(due)))
}

/// Divides a fee and a commission over the parts of a payment in proportion.
pub fn parts(
    amounts: &[(Timestamp, Cents)],
    fee: Cents,
    commission: Cents,
) -> Result<Vec<NewReceivable>> {
    let mut parts: Vec<NewReceivable> = amounts
        .iter()
        .map(|(due_at, amount)| NewReceivable {
            due_at: *due_at,
            amount: *amount,
            fee: Cents::ZERO,
            commission: Cents::ZERO,
        })
        .collect();
    let fees = divide(&parts, fee)?;
    for (part, fee) in parts.iter_mut().zip(fees) {
        part.fee = fee;
    }
    let commissions = divide(&parts, commission)?;
    for (part, commission) in parts.iter_mut().zip(commissions) {
        part.commission = commission;
    }
    Ok(parts)
}

/// Divides an amount over the parts by their size; the rounding remainder goes to the first parts
/// that have room for it beside their fee.
fn divide(parts: &[NewReceivable], amount: Cents) -> Result<Vec<Cents>> {
    let total: i64 = parts.iter().map(|part| part.amount.get()).sum();
    let room = |part: &NewReceivable| part.amount.minus(part.fee).unwrap_or(Cents::ZERO);
    let share = |part: &NewReceivable| {
        let exact = i128::from(amount.get()) * i128::from(part.amount.get());
        let share = i64::try_from(exact / i128::from(total.max(1))).unwrap_or_default();
        Cents::new(share).min(room(part))
    };
    let mut shares: Vec<Cents> = parts.iter().map(share).collect();
    let given = shares.iter().try_fold(Cents::ZERO, |sum, share| sum.plus(*share));
    let mut left = given.and_then(|given| amount.minus(given)).ok_or_else(overflow)?;
    for (part, own) in parts.iter().zip(&mut shares) {
        let more = room(part).minus(*own).ok_or_else(overflow)?.min(left);
        *own = own.plus(more).ok_or_else(overflow)?;
        left = left.minus(more).ok_or_else(overflow)?;
    }
    Ok(shares)
}

/// Stores the parts of a payment, each to settle on its due date.
pub async fn open(tx: &Tx, scope: Scope, of: TransactionId, parts: &[NewReceivable]) -> Result<()> {
    for (installment, part) in (1..).zip(parts) {
        let id = ReceivableId::new(tx);
        store::insert(tx, scope, of, id, installment, part).await?;
        let job = Settle { merchant: scope.merchant, mode: scope.mode, of, installment };
        queue::job::push(tx, id.0, scope.due(part.due_at), &job).await?;
    }
    Ok(())
}

/// Lists the parts of a payment in their order.
pub async fn of(tx: &Tx, scope: Scope, of: TransactionId) -> Result<Vec<Receivable>> {
    store::list(tx, scope, of).await
}

/// Settles a due part; `None` if it was settled before.
pub async fn settle(
    tx: &Tx,
    scope: Scope,
    of: TransactionId,
    installment: i64,
) -> Result<Option<Receivable>> {
    store::settle(tx, scope, of, installment).await
}

/// Takes up to an amount from the unsettled parts, the last one first; returns how much.
pub async fn deduct(
    tx: &Tx,
    scope: Scope,
    of: TransactionId,
    by: Uuid,
    wanted: Cents,
) -> Result<Deduction> {
    let parts = store::list(tx, scope, of).await?;
    let mut taken = Deduction { amount: Cents::ZERO, pledges: Vec::new() };
    for (part, share) in shares(&parts, wanted).ok_or_else(overflow)? {
        if !store::deduct(tx, scope, part, &share).await? {
            return Err(tx.collision("the receivable changed while it was being debited").into());
        }
        let amount = share.total().ok_or_else(overflow)?;
        store::record_deduction(tx, scope, of, by, part.installment, amount).await?;
        taken.amount = taken.amount.plus(amount).ok_or_else(overflow)?;
        taken.pledges.extend(share.broken(part));
    }
    Ok(taken)
}

/// Gives back what was taken; the next call finds nothing more.
pub async fn restore(tx: &Tx, scope: Scope, of: TransactionId, by: Uuid) -> Result<Restored> {
    let mut restored = Restored { pending: Cents::ZERO, settled: Cents::ZERO };
    for (installment, amount) in store::delete_deductions(tx, scope, of, by).await? {
        let sum = if store::restore(tx, scope, of, installment, amount).await? {
            &mut restored.pending
        } else {
            &mut restored.settled
        };
        *sum = sum.plus(amount).ok_or_else(overflow)?;
    }
    Ok(restored)
}

/// Sums of parts for the reconciliation: what unsettled ones are worth, what of them is pledged and
/// was taken, what was ever pledged, and amounts and fees of all.
pub async fn sums(tx: &Tx, of: Option<Scope>) -> Result<Sums<6>> {
    store::sums(tx, of).await
}

/// Sums of what refunds and disputes took of unsettled parts, and of all.
pub async fn sums_of_deductions(tx: &Tx, of: Option<Scope>) -> Result<Sums<2>> {
    store::sums_of_deductions(tx, of).await
}

#[cfg(test)]
mod tests {
    use db::time::Timestamp;
    use ledger::cents::Cents;

    use super::{NewReceivable, after_boleto, after_card, parts};

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).expect("is an instant")
    }

    #[test]
    fn a_boleto_settles_on_the_next_business_day() {
        let table = [
            // A Friday's boleto settles on Monday; the day of Zumbi is not a business day.
            ("2026-11-13T15:00:00Z", "2026-11-16T03:00:00Z"),
            ("2026-11-19T15:00:00Z", "2026-11-23T03:00:00Z"),
            // It is still Tuesday in São Paulo.
            ("2026-11-18T01:00:00Z", "2026-11-18T03:00:00Z"),
        ];
        for (paid, settled) in table {
            assert_eq!(after_boleto(at(paid)), at(settled), "{paid}");
        }
    }

    #[test]
    fn an_installment_settles_thirty_days_after_the_one_before_on_a_business_day() {
        // 23 December, 22 January, and 21 February, which is a Sunday.
        let days = ["2026-12-23", "2027-01-22", "2027-02-22"];
        for (number, day) in (1..).zip(days) {
            let settled = after_card(at("2026-11-23T15:00:00Z"), number);
            assert_eq!(settled, at(&format!("{day}T03:00:00Z")), "{number}");
        }
    }

    #[test]
    fn the_shares_of_a_fee_are_the_fee() {
        let day = at("2026-12-23T03:00:00Z");
        let amounts = [3_334, 3_333, 3_333].map(|amount| (day, Cents::new(amount)));
        // 500 × 3334 / 10000 = 166.7, twice 166.65; what rounding down leaves is the first one's.
        let fees: Vec<_> = parts(&amounts, Cents::new(500), Cents::ZERO)
            .unwrap()
            .iter()
            .map(|part| part.fee.get())
            .collect();
        assert_eq!(fees, [168, 166, 166]);
        let one = parts(&[(day, Cents::new(100))], Cents::new(3), Cents::ZERO).unwrap();
        let (fee, commission) = (Cents::new(3), Cents::ZERO);
        assert_eq!(one, [NewReceivable { due_at: day, amount: Cents::new(100), fee, commission }]);
        assert!(parts(&[], Cents::ZERO, Cents::ZERO).unwrap().is_empty());
    }

    #[test]
    fn a_commission_is_shared_like_a_fee_and_no_part_holds_more_than_it_has() {
        let day = at("2026-12-23T03:00:00Z");
        let table = [
            // 1,000 × 3,334 / 10,000 = 333.4, twice 333.3; the first has the cent that is left.
            (500, 1_000, [(168, 334), (166, 333), (166, 333)]),
            // All that the fee leaves: 3,334 - 168, and twice 3,333 - 166.
            (500, 9_500, [(168, 3_166), (166, 3_167), (166, 3_167)]),
            // 3,333.6… and twice 3,332.6… leave two cents; a part has room for one of them.
            (0, 9_999, [(0, 3_334), (0, 3_333), (0, 3_332)]),
        ];
        for (fee, commission, shares) in table {
            let amounts = [3_334, 3_333, 3_333].map(|amount| (day, Cents::new(amount)));
            let parts = parts(&amounts, Cents::new(fee), Cents::new(commission)).unwrap();
            let pairs = parts.iter().map(|part| (part.fee.get(), part.commission.get()));
            assert_eq!(pairs.collect::<Vec<_>>(), shares, "{fee} {commission}");
        }
    }
}
