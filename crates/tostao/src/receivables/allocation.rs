//! Decides how much each part of a payment contributes.
//!
//! The last part gives first. Pledged cents have been paid out already, so they are used only when
//! everything that is free is taken.

use ledger::cents::Cents;

use crate::platform::ids::{AdvanceId, TransactionId};
use crate::receivables::Receivable;

/// What is deducted from receivables, and how much of it was collateral.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deduction {
    pub amount: Cents,
    /// The pledged part of it.
    pub pledges: Vec<LostCollateral>,
}

/// By how much an advance's collateral is reduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LostCollateral {
    pub to: AdvanceId,
    pub transaction: TransactionId,
    pub installment: i64,
    pub amount: Cents,
}

/// The contribution of one part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Contribution {
    pub free: Cents,
    pub pledged: Cents,
}

impl Contribution {
    pub fn total(&self) -> Option<Cents> {
        self.free.plus(self.pledged)
    }

    /// The collateral that it reduces, if any.
    pub fn broken(&self, part: &Receivable) -> Option<LostCollateral> {
        let pledge = part.pledge.filter(|_| !self.pledged.is_zero())?;
        let (transaction, installment) = (part.transaction, part.installment);
        Some(LostCollateral { to: pledge.to, transaction, installment, amount: self.pledged })
    }
}

/// The contribution of each part to an amount, until nothing is left; `None` if the amounts
/// overflow.
pub(super) fn shares(
    parts: &[Receivable],
    wanted: Cents,
) -> Option<Vec<(&Receivable, Contribution)>> {
    let unsettled = || parts.iter().rev().filter(|part| part.settled_at.is_none());
    let mut missing = wanted;
    let mut shares = Vec::new();
    for part in unsettled() {
        let free = missing.min(part.free());
        missing = missing.minus(free)?;
        shares.push((part, Contribution { free, pledged: Cents::ZERO }));
    }
    for (part, share) in &mut shares {
        share.pledged = missing.min(part.pledged());
        missing = missing.minus(share.pledged)?;
    }
    shares.retain(|(_, share)| !(share.free.is_zero() && share.pledged.is_zero()));
    Some(shares)
}

#[cfg(test)]
mod tests {
    use db::time::Timestamp;
    use ledger::cents::Cents;
    use uuid::Uuid;

    use super::shares;
    use crate::platform::ids::{AdvanceId, ReceivableId, TransactionId};
    use crate::receivables::{Pledge, Receivable};

    const NOW: Timestamp = Timestamp::from_micros(0);

    /// The part, the free and the pledged amount.
    type FreeAndPledged = (i64, i64, i64);

    fn part(installment: i64, amount: i64, pledged: i64, settled: bool) -> Receivable {
        let to = AdvanceId(Uuid::from_u128(1));
        Receivable {
            id: ReceivableId(Uuid::from_u128(2)),
            transaction: TransactionId(Uuid::from_u128(3)),
            installment,
            amount: Cents::new(amount),
            fee: Cents::ZERO,
            commission: Cents::ZERO,
            taken: Cents::ZERO,
            pledge: (pledged > 0).then_some(Pledge { to, amount: Cents::new(pledged) }),
            due_at: NOW,
            settled_at: settled.then_some(NOW),
        }
    }

    #[test]
    fn pledged_cents_are_used_last() {
        // Of three parts the first has settled, the second has 60 of 100 pledged, the third all.
        let parts = [part(1, 100, 0, true), part(2, 100, 60, false), part(3, 100, 100, false)];
        let table: [(i64, &[FreeAndPledged]); 6] = [
            (0, &[]),
            (40, &[(2, 40, 0)]),
            (41, &[(3, 0, 1), (2, 40, 0)]),
            (140, &[(3, 0, 100), (2, 40, 0)]),
            (150, &[(3, 0, 100), (2, 40, 10)]),
            // There is no more than 200.
            (999, &[(3, 0, 100), (2, 40, 60)]),
        ];
        for (wanted, expected) in table {
            let shares = shares(&parts, Cents::new(wanted)).expect("fits");
            let seen: Vec<_> = shares
                .iter()
                .map(|(part, share)| (part.installment, share.free.get(), share.pledged.get()))
                .collect();
            assert_eq!(seen, expected, "{wanted}");
        }
    }

    #[test]
    fn the_last_part_gives_first() {
        let parts = [part(1, 100, 0, false), part(2, 100, 0, false)];
        let shares = shares(&parts, Cents::new(130)).expect("fits");
        let seen: Vec<_> = shares.iter().map(|(p, s)| (p.installment, s.free.get())).collect();
        assert_eq!(seen, [(2, 100), (1, 30)]);
    }
}
