//! What a figure of the balance consists of: what was there before a period, what each kind of
//! movement added or took in it, and what was there afterwards.
//!
//! A period that is not over ends with the last entry, so that its closing balance is the figure.

use db::text_enum;
use db::tx::Tx;
use ledger::cents::Cents;

use crate::books::api::AccountName;
use crate::books::movements::MovementKind;
use crate::books::statement::{self, PeriodSums};
use crate::figures::period::Period;
use crate::platform::error::{Result, overflow};
use crate::platform::http::page::TimeRange;
use crate::platform::ids::Scope;

pub mod api;

text_enum! {
    /// A figure of the balance.
    pub enum BalanceFigure as "BalanceFigure" {
        /// What can be withdrawn.
        Available = "available",
        /// What is not settled yet.
        Pending = "pending",
        /// What is disputed, or set aside until the merchant decides on it.
        Held = "held",
    }
}

/// What the movements of a kind added to a figure; negative for what they took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    pub account: AccountName,
    pub kind: String,
    pub amount: Cents,
}

/// What a figure consists of.
#[derive(Debug, Clone)]
pub struct Explanation {
    /// The instants of the period; those of one that is not over have no end.
    pub times: TimeRange,
    pub opening: Cents,
    pub moved: Vec<Moved>,
    pub closing: Cents,
}

/// Explains a figure in a period; reads the entries of the period alone.
pub async fn explain(
    tx: &Tx,
    scope: Scope,
    figure: BalanceFigure,
    period: Period,
) -> Result<Explanation> {
    let times = times_of(period, scope, tx);
    let (mut opening, mut closing, mut moved) = (Cents::ZERO, Cents::ZERO, Vec::new());
    for account in figure.accounts() {
        let PeriodSums { opening: before, by_kind, closing: after } =
            statement::sums(tx, scope, (*account).into(), times).await?;
        opening = opening.plus(before).ok_or_else(overflow)?;
        closing = closing.plus(after).ok_or_else(overflow)?;
        let of_kind = |(kind, amount)| Moved { account: *account, kind, amount };
        moved.extend(by_kind.into_iter().map(of_kind));
    }
    moved.sort_by_key(|moved| place(&moved.kind));
    Ok(Explanation { times, opening, moved, closing })
}

fn times_of(period: Period, scope: Scope, tx: &Tx) -> TimeRange {
    let TimeRange { from, to } = period.instants();
    let is_over = period.to < scope.today(tx.now());
    TimeRange::new(Some(from), is_over.then_some(to))
}

/// The place of a kind in the order of a sale's life; those of a later release are the last ones.
fn place(kind: &str) -> usize {
    let all = MovementKind::ALL;
    all.iter().position(|known| known.name() == kind).unwrap_or(all.len())
}

impl BalanceFigure {
    /// The accounts that sum to it.
    pub fn accounts(self) -> &'static [AccountName] {
        match self {
            Self::Available => &[AccountName::Available],
            Self::Pending => &[AccountName::Pending],
            Self::Held => &[AccountName::Disputed, AccountName::Suspense],
        }
    }
}
