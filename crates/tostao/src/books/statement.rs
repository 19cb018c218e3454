//! The entries of one of a merchant's accounts, newest first, and what those of a period sum to.
//!
//! Each entry has the balance after it, so a period is summed from its own entries alone: what was
//! there before is the balance of the entry before its first one.

use std::collections::BTreeMap;
use std::ops::Range;

use db::tx::Tx;
use ledger::cents::Cents;
use ledger::posting::balance;
use ledger::statement::{Leg, about, legs};
use ledger::turnover::{by_kind, first_at};
use uuid::Uuid;

use crate::books::chart::AccountKind;
use crate::books::movements::MovementKind;
use crate::platform::error::Result;
use crate::platform::http::page::TimeRange;
use crate::platform::ids::Scope;

/// Which entries of an account are listed.
#[derive(Debug, Clone)]
pub struct Filter {
    pub account: AccountKind,
    pub kind: Option<MovementKind>,
    /// When they were posted, by the scope's clock.
    pub period: TimeRange,
    /// Their numbers in the account.
    pub sequences: Range<i64>,
    /// If given, only the entries about these subjects.
    pub subjects: Option<Subjects>,
}

/// What entries are about.
#[derive(Debug, Clone)]
pub struct Subjects {
    pub ids: Vec<Uuid>,
    /// Whether there are older ones, whose entries are left out.
    pub has_older: bool,
}

/// A page of entries.
#[derive(Debug, Clone)]
pub struct StatementPage {
    pub legs: Vec<Leg>,
    /// The entry before which the next page begins, if there is one.
    pub next: Option<i64>,
    /// Whether the entries about older subjects are left out.
    pub leaves_out_older: bool,
}

/// What moved an account in a period.
#[derive(Debug, Clone)]
pub struct PeriodSums {
    pub opening: Cents,
    pub by_kind: BTreeMap<String, Cents>,
    pub closing: Cents,
}

/// Lists the entries before one, or the newest, at most `limit`.
pub async fn page(
    tx: &Tx,
    scope: Scope,
    filter: &Filter,
    before: Option<i64>,
    limit: i64,
) -> Result<StatementPage> {
    let Filter { account, kind, period, sequences, subjects } = filter;
    let Range { start, end } = entries_of(tx, scope, *account, *period).await?;
    let (start, end) = (start.max(sequences.start), end.min(sequences.end));
    let within = start..before.map_or(end, |before| before.min(end));
    let (book, of, kind) = (scope.mode.book(), account.of(scope), kind.map(MovementKind::name));
    let most = limit.saturating_add(1);
    let mut legs = match subjects {
        Some(subjects) => about(tx, book, &of, within, kind, (&subjects.ids, most)).await?,
        None => legs(tx, book, &of, within, kind, most).await?,
    };
    let shown = usize::try_from(limit).unwrap_or(usize::MAX);
    let has_more = legs.len() > shown;
    legs.truncate(shown);
    let next = legs.last().filter(|_| has_more).map(|leg| leg.sequence);
    let leaves_out_older = subjects.as_ref().is_some_and(|subjects| subjects.has_older);
    Ok(StatementPage { legs, next, leaves_out_older })
}

/// Sums the entries of a period by the kind of movement.
pub async fn sums(
    tx: &Tx,
    scope: Scope,
    account: AccountKind,
    period: TimeRange,
) -> Result<PeriodSums> {
    let Range { start, end } = entries_of(tx, scope, account, period).await?;
    let by_kind = by_kind(tx, scope.mode.book(), &account.of(scope), start..end).await?;
    let opening = balance_before(tx, scope, account, start).await?;
    let closing = balance_before(tx, scope, account, end).await?;
    Ok(PeriodSums { opening, by_kind, closing })
}

/// The sequences of the entries of a period, found by halving the account's. A reset puts the
/// developer's clock back, so entries from before one may lie in days that are still to come.
async fn entries_of(
    tx: &Tx,
    scope: Scope,
    account: AccountKind,
    period: TimeRange,
) -> Result<Range<i64>> {
    let whole = TimeRange::new(None, None);
    if period.is_open() {
        return Ok(1..i64::MAX);
    }
    let (book, of) = (scope.mode.book(), account.of(scope));
    let end = balance(tx, book, &of).await?.sequence.saturating_add(1);
    let first = if period.from == whole.from {
        1
    } else {
        first_at(tx, book, &of, 1..end, period.from).await?
    };
    let next = if period.to == whole.to {
        end
    } else {
        first_at(tx, book, &of, first..end, period.to).await?
    };
    Ok(first..next)
}

/// The balance before an entry.
async fn balance_before(
    tx: &Tx,
    scope: Scope,
    account: AccountKind,
    sequence: i64,
) -> Result<Cents> {
    let of = account.of(scope);
    let last = legs(tx, scope.mode.book(), &of, 1..sequence, None, 1).await?;
    Ok(last.first().map_or(Cents::ZERO, |leg| leg.balance))
}
