//! Proofs in steps: of what follows a stored position, and of everything from the first transfer.
//!
//! A position is a prefix of an account's legs in which no fault was found. [`tail`] proves what
//! follows the positions of one owner's accounts in one book; [`catch_up`] moves them on. Neither
//! reads the legs before a position again, so [`step`] does, from the first leg of every account.
//! It moves a position back to the last posting before a fault, so that every later proof meets
//! the fault again.
//!
//! A position that contradicts its account, or its legs, is a fault itself, and no proof moves or
//! replaces it. Only `rechain` deletes it, where it restarts a chain.

use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Unbounded};

use db::error::Result;
use db::tx::Tx;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::verify::Report;
use crate::verify::account::{AccountCheck, Position, State};
use crate::verify::pages::AccountLegs;
use crate::verify::store::{self as rows, Account, Key, Scope};

mod store;

/// One owner's accounts in one book.
pub type Owned = (Uuid, i64);

/// The stored positions of one owner's accounts in one book, by the accounts' numbers.
type Known = BTreeMap<i64, Position>;

/// What a bounded proof of one owner's accounts found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tail {
    pub report: Report,
    /// How many legs the accounts have, and how many of them were not reached.
    pub legs: i64,
    pub left: i64,
    /// Whether nothing was taken from a stored position.
    pub is_from_start: bool,
}

/// How far the proof from the first transfer is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// What it found on the accounts that it has completed.
    pub report: Report,
    /// How many legs those have.
    legs: i64,
    /// The last completed account, or the one that the check is in.
    code: Option<i64>,
    state: Option<State>,
}

/// The result of a step.
#[derive(Debug, Clone)]
pub struct Step<T> {
    pub result: T,
    /// How many legs were read.
    pub legs: i64,
    /// Whether nothing is left.
    pub is_over: bool,
    /// The positions that it moved.
    pub moved: Moved,
}

/// Accounts' positions after a step; `None` where no leg is proved any more.
#[derive(Debug, Clone, Default)]
pub struct Moved(Vec<(i64, Option<Position>)>);

impl Moved {
    /// Whether every position is where it was.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Moves an account's position after a part of the proof from the first transfer: on, or back
    /// before a fault.
    ///
    /// One that contradicts the legs stays: what follows it does not continue it either.
    fn note(&mut self, code: i64, state: &State, known: Option<Position>) {
        let sequence = |at: Option<Position>| at.map_or(0, |at| at.sequence);
        let (proved, known) = (sequence(state.sound), sequence(known));
        let moves = if state.has_faults() { known > proved } else { proved > known };
        if moves && !state.is_rewritten {
            self.0.push((code, state.sound));
        }
    }
}

impl Progress {
    /// How many legs are checked.
    pub fn legs(&self) -> i64 {
        let current = self.state.as_ref().map_or(0, |state| state.at.sequence);
        self.legs.saturating_add(current)
    }

    /// The account that the check is in, or the next one.
    async fn account(&self, tx: &Tx, of: Owned, known: &Known) -> Result<Option<i64>> {
        if self.state.is_some() {
            return Ok(self.code);
        }
        code_after(tx, of, known, self.code.unwrap_or(i64::MIN)).await
    }

    /// What it has found so far.
    pub fn found(&self) -> Report {
        let mut report = self.report.clone();
        if let Some(state) = &self.state {
            let check = AccountCheck::resume(NOBODY, None, None, state.clone());
            report.take_part(&check);
        }
        report
    }
}

/// The findings of an unfinished check depend on no account.
const NOBODY: Key = (Uuid::nil(), 0, 0);

/// Proves at most `most` legs: all of them from the first one if there are no more, otherwise those
/// after the stored positions, or from the first one where the account contradicts its position.
pub async fn tail(tx: &Tx, of: Owned, most: i64) -> Result<Tail> {
    let positions = store::positions(tx, of).await?;
    let accounts = accounts(tx, of, &positions).await?;
    let sequences = accounts.iter().filter_map(|(_, account)| Some(account.as_ref()?.sequence));
    let all = sequences.fold(0_i64, i64::saturating_add);
    let is_from_start = all <= most;
    let mut begun: Vec<_> = accounts
        .into_iter()
        .map(|(key, account)| {
            let known = positions.get(&key.2).filter(|_| !is_from_start);
            let at = known.filter(|known| !known.contradicts(account.as_ref())).copied();
            (key, at.unwrap_or_else(|| Position::start(account.as_ref())), account)
        })
        .collect();
    let ahead = |at: &Position, account: &Option<Account>| {
        account.as_ref().map_or(0, |account| account.sequence.saturating_sub(at.sequence))
    };
    // The shortest ones first, so that one long tail leaves only itself unproved.
    begun.sort_by_key(|(_, at, account)| ahead(at, account));
    let mut tail = Tail { report: Report::default(), legs: all, left: 0, is_from_start };
    let mut budget = most;
    for (key, at, account) in begun {
        let sequence = account.as_ref().map_or(0, |account| account.sequence);
        let check = AccountCheck::resume(key, account, Some(of), State::after(at));
        let mut check = check.expecting(positions.get(&key.2).copied());
        let (legs, is_over) = walk(tx, key, &mut check, budget, Faults::Count).await?;
        budget = budget.saturating_sub(legs);
        if is_over {
            tail.report.take(&check);
        } else {
            tail.report.take_part(&check);
            let left = sequence.saturating_sub(check.state.at.sequence).max(1);
            tail.left = tail.left.saturating_add(left);
        }
    }
    Ok(tail)
}

/// Proves at most `most` legs after the stored positions, and says where they are then. An account
/// without one, such as a new one, is proved from its start.
pub async fn catch_up(tx: &Tx, of: Owned, most: i64) -> Result<Step<()>> {
    let positions = store::positions(tx, of).await?;
    let mut step = Step { result: (), legs: 0, is_over: true, moved: Moved::default() };
    for (key, account) in accounts(tx, of, &positions).await? {
        let known = positions.get(&key.2).copied();
        if known.is_some_and(|known| known.contradicts(account.as_ref())) {
            continue;
        }
        let at = known.unwrap_or_else(|| Position::start(account.as_ref()));
        let left = most.saturating_sub(step.legs);
        if account.as_ref().is_some_and(|account| account.sequence <= at.sequence) {
            continue;
        }
        if left == 0 {
            step.is_over = false;
            break;
        }
        let mut check = AccountCheck::resume(key, account, Some(of), State::after(at));
        let (legs, is_over) = walk(tx, key, &mut check, left, Faults::End).await?;
        step.legs = step.legs.saturating_add(legs);
        if let Some(sound) = check.state.sound.filter(|sound| sound.sequence > at.sequence) {
            step.moved.0.push((key.2, Some(sound)));
            step.is_over &= is_over || check.state.has_faults();
        }
    }
    // What cannot move a position now does not move it the next time.
    step.is_over |= step.moved.is_empty();
    Ok(step)
}

/// Goes on with the proof from the first transfer, by about `most` legs.
pub async fn step(tx: &Tx, of: Owned, from: Progress, most: i64) -> Result<Step<Progress>> {
    let positions = store::positions(tx, of).await?;
    let mut step = Step { result: from, legs: 0, is_over: false, moved: Moved::default() };
    while step.legs < most {
        let Some(code) = step.result.account(tx, of, &positions).await? else {
            step.is_over = true;
            break;
        };
        let progress = &mut step.result;
        let key = (of.0, of.1, code);
        let account = rows::account(tx, key).await?;
        let known = positions.get(&code).copied();
        // A restarted chain, or an account that was restored, is checked from its first leg.
        let state = progress
            .state
            .take()
            .filter(|state| account.as_ref().is_none_or(|account| state.at.is_of(account)));
        let state = state.unwrap_or_else(|| State::after(Position::start(account.as_ref())));
        let check = AccountCheck::resume(key, account, Some(of), state);
        let mut check = check.expecting(known);
        let left = most.saturating_sub(step.legs);
        let (legs, is_over) = walk(tx, key, &mut check, left, Faults::Count).await?;
        step.legs = step.legs.saturating_add(legs.max(1));
        progress.code = Some(code);
        step.moved.note(code, &check.state, known);
        if is_over {
            progress.report.take(&check);
            progress.legs = progress.legs.saturating_add(check.state.at.sequence);
        } else {
            progress.state = Some(check.state);
        }
    }
    Ok(step)
}

/// Stores the positions that a step has moved.
pub async fn keep(tx: &Tx, of: Owned, moved: &Moved) -> Result<()> {
    for (code, position) in &moved.0 {
        let key = (of.0, of.1, *code);
        match position {
            Some(position) => store::keep(tx, key, position).await?,
            None => store::forget(tx, key).await?,
        }
    }
    Ok(())
}

/// Deletes the position of an account whose chain is restarted.
pub(super) async fn forget(tx: &Tx, key: Key) -> Result<()> {
    store::forget(tx, key).await
}

/// Reads a page of positions after an account's, in the order of accounts.
pub(super) async fn positions_after(
    tx: &Tx,
    of: Scope,
    after: Key,
) -> Result<Vec<(Key, Position)>> {
    store::positions_after(tx, of, after).await
}

/// The accounts of an owner, and the numbers that only legs or positions name.
async fn accounts(tx: &Tx, of: Owned, known: &Known) -> Result<Vec<(Key, Option<Account>)>> {
    let (mut found, mut last) = (Vec::new(), i64::MIN);
    while let Some(code) = code_after(tx, of, known, last).await? {
        let key = (of.0, of.1, code);
        found.push((key, rows::account(tx, key).await?));
        last = code;
    }
    Ok(found)
}

/// The next number, after another one, with which an owner has an account, legs or a position.
async fn code_after(tx: &Tx, of: Owned, known: &Known, code: i64) -> Result<Option<i64>> {
    let stored = rows::code_after(tx, of, code).await?;
    let proven = known.range((Excluded(code), Unbounded)).next().map(|(code, _)| *code);
    Ok([stored, proven].into_iter().flatten().min())
}

/// What a check does after a fault.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Faults {
    /// It counts the ones that follow.
    Count,
    /// It ends.
    End,
}

/// Checks at most `most` further legs of an account: how many there were, and whether none is left.
async fn walk(
    tx: &Tx,
    key: Key,
    check: &mut AccountCheck,
    most: i64,
    faults: Faults,
) -> Result<(i64, bool)> {
    let mut legs = AccountLegs::open(tx, key, check.state.at.sequence, most).await?;
    let mut read = 0_i64;
    while read < most {
        let Some(leg) = legs.next().await? else { break };
        check.take(leg);
        read = read.saturating_add(1);
        if faults == Faults::End && check.state.has_faults() {
            break;
        }
    }
    let is_over = legs.is_over();
    if is_over {
        check.end();
    }
    Ok((read, is_over))
}
