//! What came to the available balance since the last withdrawal, or between two withdrawals.
//!
//! Both ends are entries of the account, each with the balance after it. So the sum is the
//! difference of two stored balances, whatever was posted between them, and the entries in between
//! are its list.

use std::ops::Range;

use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;
use ledger::statement::Leg;
use uuid::Uuid;

use crate::books::chart::AccountKind;
use crate::books::movements::MovementKind;
use crate::books::statement::{self, Filter, Subjects};
use crate::platform::error::{Error, Result, overflow};
use crate::platform::http::page::TimeRange;
use crate::platform::ids::{Scope, WithdrawalId};
use crate::withdrawals::{self, list};

/// What came between two withdrawals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SinceWithdrawal {
    /// The withdrawal that it is counted from; `None` for the first entry of the account.
    pub previous: Option<Previous>,
    /// The balance right after it.
    pub opening: Cents,
    /// The balance right before the later withdrawal, or now.
    pub closing: Cents,
    /// What the entries in between sum to.
    pub sum: Cents,
    /// The numbers of the entries in between.
    pub sequences: Range<i64>,
}

/// A withdrawal that something is counted from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Previous {
    pub id: WithdrawalId,
    pub requested_at: Timestamp,
}

/// Reads what came since the last withdrawal that was requested, or between one and the withdrawal
/// before it.
pub async fn read(tx: &Tx, scope: Scope, until: Option<WithdrawalId>) -> Result<SinceWithdrawal> {
    if let Some(id) = until {
        withdrawals::find(tx, scope, id).await?;
    }
    // Ids and entries of requests at one moment may have different orders, so the entries decide.
    let near = list::near(tx, scope, until).await?;
    let subjects = near.iter().map(|id| id.0).collect();
    let kind = Some(MovementKind::WithdrawalRequested);
    let requests = entries(tx, scope, kind, Some(subjects)).await?;
    let (next, closing) = match until {
        Some(id) => {
            let own = requests.iter().find(|leg| leg.subject == id.0);
            let own = own.ok_or(Error::NotFound("Withdrawal"))?;
            (own.sequence, own.balance.minus(own.amount).ok_or_else(overflow)?)
        }
        None => match entries(tx, scope, None, None).await?.first() {
            Some(last) => (last.sequence.saturating_add(1), last.balance),
            None => (1, Cents::ZERO),
        },
    };
    let previous = requests.iter().find(|leg| leg.sequence < next);
    let opening = previous.map_or(Cents::ZERO, |leg| leg.balance);
    let first = previous.map_or(1, |leg| leg.sequence.saturating_add(1));
    let previous =
        previous.map(|leg| Previous { id: WithdrawalId(leg.subject), requested_at: leg.at });
    let sum = closing.minus(opening).ok_or_else(overflow)?;
    Ok(SinceWithdrawal { previous, opening, closing, sum, sequences: first..next })
}

/// Some entries of the available balance, newest first.
async fn entries(
    tx: &Tx,
    scope: Scope,
    kind: Option<MovementKind>,
    subjects: Option<Vec<Uuid>>,
) -> Result<Vec<Leg>> {
    let filter = Filter {
        account: AccountKind::Available,
        kind,
        period: TimeRange::new(None, None),
        sequences: 1..i64::MAX,
        subjects: subjects.map(|ids| Subjects { ids, has_older: false }),
    };
    let limit = if filter.subjects.is_some() { i64::MAX } else { 1 };
    Ok(statement::page(tx, scope, &filter, None, limit).await?.legs)
}
