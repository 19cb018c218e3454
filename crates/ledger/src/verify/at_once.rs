//! Verification of the whole ledger in one pass over the transfers as they are stored.
//!
//! Reading the legs of each account in order finds every transfer twice, each time through an
//! index, which takes several times as long. Transfers are stored by what they are about, so nearly
//! in the order in which they were posted: a leg that comes before its turn is kept until the ones
//! before it have come. Where too much would have to be kept, and where anything is wrong, the pass
//! has no result, and the ledger is verified account by account.

use std::collections::HashMap;

use db::error::Result;
use db::tx::Tx;

use crate::chain::Side;
use crate::verify::account::AccountCheck;
use crate::verify::onward::positions_after;
use crate::verify::pages::{Accounts, FIRST};
use crate::verify::store::{self, Key, Leg, PAGE, Stored};
use crate::verify::{LEGS_PER_REPORT, Report, imbalance};

/// How much a pass keeps in memory.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    pub accounts: usize,
    /// Legs that wait for earlier ones.
    pub waiting: usize,
}

impl Bounds {
    /// Less than a hundred mebibytes.
    pub const USUAL: Self = Self { accounts: 50_000, waiting: 100_000 };
}

/// The accounts, and the legs that wait for earlier ones of theirs.
struct Pass {
    places: HashMap<Key, usize>,
    checks: Vec<AccountCheck>,
    /// By the account's place and their sequence.
    waiting: HashMap<(usize, i64), Leg>,
    waiting_max: usize,
}

/// Verifies the ledger; `None` if it is not sound or exceeds the bounds.
pub async fn verify(
    tx: &Tx,
    bounds: Bounds,
    watch: &(impl Fn(u64) + ?Sized),
) -> Result<Option<Report>> {
    let imbalance_cents = imbalance(tx).await?;
    let Some(mut pass) = Pass::begin(tx, bounds).await? else { return Ok(None) };
    let (mut legs, mut reported) = (0_u64, 0_u64);
    let mut page = store::transfers(tx, None).await?;
    while let Some(last) = page.last().map(Stored::place) {
        let is_last = page.len() < usize::try_from(PAGE).unwrap_or(usize::MAX);
        let next = if is_last { Vec::new() } else { store::transfers(tx, Some(last)).await? };
        for stored in page {
            legs = legs.saturating_add(2);
            if !pass.take(stored) {
                return Ok(None);
            }
        }
        if legs.saturating_sub(reported) >= LEGS_PER_REPORT {
            watch(legs);
            reported = legs;
        }
        page = next;
    }
    watch(legs);
    let mut report = Report { imbalance_cents, ..Report::default() };
    pass.checks.iter().for_each(|check| report.take(check));
    Ok(Some(report).filter(|report| pass.waiting.is_empty() && report.is_sound()))
}

impl Pass {
    /// Reads the accounts and the positions that earlier proofs stored.
    async fn begin(tx: &Tx, Bounds { accounts, waiting }: Bounds) -> Result<Option<Self>> {
        let mut known = HashMap::new();
        let mut after = FIRST;
        loop {
            let page = positions_after(tx, None, after).await?;
            let Some((last, _)) = page.last() else { break };
            after = *last;
            known.extend(page);
            if known.len() > accounts {
                return Ok(None);
            }
        }
        let (mut places, mut checks) = (HashMap::new(), Vec::new());
        let mut list = Accounts::open(tx, None).await?;
        while let Some(account) = list.next().await? {
            if checks.len() == accounts {
                return Ok(None);
            }
            let (key, known) = (account.key, known.remove(&account.key));
            places.insert(key, checks.len());
            checks.push(AccountCheck::new(key, Some(account), None).expecting(known));
        }
        let pass = Self { places, checks, waiting: HashMap::new(), waiting_max: waiting };
        Ok(Some(pass).filter(|_| known.is_empty()))
    }

    /// Takes both legs of a transfer; false if the pass can have no result any more.
    fn take(&mut self, Stored { debit, credit_hash }: Stored) -> bool {
        let credit = Leg { side: Side::Credit, hash: credit_hash, ..debit.clone() };
        self.take_leg(debit) && self.take_leg(credit)
    }

    fn take_leg(&mut self, leg: Leg) -> bool {
        let Some(&place) = self.places.get(&leg.key()) else { return false };
        let Some(check) = self.checks.get_mut(place) else { return false };
        let (due, sequence) = (check.next_sequence(), leg.end().sequence);
        if sequence != due {
            let is_new = self.waiting.insert((place, sequence), leg).is_none();
            return sequence > due && is_new && self.waiting.len() <= self.waiting_max;
        }
        check.take(leg);
        while !self.waiting.is_empty()
            && let Some(leg) = self.waiting.remove(&(place, check.next_sequence()))
        {
            check.take(leg);
        }
        true
    }
}
