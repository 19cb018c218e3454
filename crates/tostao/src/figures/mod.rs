//! What a merchant sold in a period, day by day, and how much of what was issued was paid.
//!
//! Each figure is defined as a list: it has the URL of the list that sums to it. Money is summed
//! from the entries of `outside` between the sequences at two midnights. Entries are only added at
//! the end, so a day that is over cannot change: `daily_figures` keeps it, and only later days are
//! summed on read. Payments are counted; a count is kept, too, and repeated until payments of that
//! day have hardly any chance to be paid. No charge writes anything for it.

use std::ops::Range;

use db::tx::Tx;
use jiff::civil::Date;
use ledger::cents::Cents;
use ledger::turnover::Entry;

use crate::books::turnover::{self, Flow, Turnover};
use crate::figures::period::Period;
use crate::merchants;
use crate::platform::error::Result;
use crate::platform::ids::{MerchantId, Scope};
use crate::platform::permissions::{Permission, RequiredPermissions};
use crate::store::Sums;
use crate::transactions::Method;
use crate::transactions::list::{self, Issued};

pub mod api;
pub mod closing;
pub mod explanation;
pub mod export;
pub mod period;
mod store;

/// The methods by which payments are issued, in the order of [`ByMethod`].
pub const METHODS: [Method; 3] = [Method::Pix, Method::Boleto, Method::CreditCard];
/// For so many days, the present one included, payments are counted on read.
const COUNTED_ON_READ: i32 = 8;

/// Counts by the methods of [`METHODS`].
pub type ByMethod = [Issued; METHODS.len()];

/// Requires the permissions to read payments and to read the ledger.
#[derive(Debug, Clone, Copy)]
pub struct FiguresPermissions;

impl RequiredPermissions for FiguresPermissions {
    const PERMISSIONS: &'static [Permission] =
        &[Permission::TransactionsRead, Permission::WithdrawalsRead];
}

/// A day's entries of `outside`, and what they sum to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DayMoney {
    pub day: Date,
    pub entries: Range<i64>,
    pub money: Turnover,
}

/// The figures of a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Day {
    pub money: DayMoney,
    pub payments: ByMethod,
}

/// Where the figures of a scope begin, and which of its days are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Ground {
    first_entry: i64,
    /// How often the development data was reset.
    resets: i64,
    kept: Option<Kept>,
    /// Whether days and counts are kept that are of data which an older version has reset.
    is_stale: bool,
}

/// The days that are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Kept {
    first: Date,
    first_entry: i64,
    last: Date,
    next_entry: i64,
}

/// Reads the figures of a period by day, oldest first.
pub async fn read(tx: &Tx, scope: Scope, period: Period) -> Result<Vec<Day>> {
    let ground = ground(tx, scope).await?;
    let money = sum(tx, scope, ground, period).await?;
    let payments = count(tx, scope, ground, period).await?;
    Ok(money.into_iter().zip(payments).map(|(money, payments)| Day { money, payments }).collect())
}

/// The entries of several days and what they sum to.
pub fn total(days: &[Day]) -> Result<(Range<i64>, Turnover, ByMethod)> {
    let entries = match days {
        [first, .., last] => first.money.entries.start..last.money.entries.end,
        [only] => only.money.entries.clone(),
        [] => 0..0,
    };
    let (mut money, mut payments) = (Turnover::default(), ByMethod::default());
    for day in days {
        money = money.plus(day.money.money)?;
        for (sum, counted) in payments.iter_mut().zip(day.payments) {
            sum.issued += counted.issued;
            sum.paid += counted.paid;
        }
    }
    Ok((entries, money, payments))
}

/// Lists the entries of a range that a figure sums, the last ones first, at most `limit`, and the
/// sequence number before which the list goes on, if more follow.
pub async fn entries(
    tx: &Tx,
    scope: Scope,
    flow: Flow,
    within: Range<i64>,
    limit: i64,
) -> Result<(Vec<Entry>, Option<i64>)> {
    let mut entries = turnover::flow(tx, scope, flow, within, limit + 1).await?;
    let shown = usize::try_from(limit).unwrap_or(usize::MAX);
    let has_more = entries.len() > shown;
    entries.truncate(shown);
    let next = entries.last().filter(|_| has_more).map(|last| last.sequence);
    Ok((entries, next))
}

/// What a figure sums in a range of entries.
pub async fn sum_of(tx: &Tx, scope: Scope, flow: Flow, within: Range<i64>) -> Result<Cents> {
    let Turnover { sold, refunded, charged_back, fees } =
        turnover::turnover(tx, scope, within).await?;
    Ok(match flow {
        Flow::Sold => sold,
        Flow::Refunded => refunded,
        Flow::ChargedBack => charged_back,
        Flow::Fees => fees,
    })
}

/// Starts over after the last entry, once development data was deleted; no entry from before
/// counts any more, and the clock is the machine's again.
pub async fn start_over(tx: &Tx, scope: Scope) -> Result<()> {
    // Days that were summed before must not be kept after.
    merchants::begin_clearing(tx, scope.merchant).await?;
    let next = turnover::next_entry(tx, scope).await?;
    start_at(tx, scope, next).await
}

/// Forgets what is kept, and lets the figures begin at an entry; the unit holds the merchant's row.
async fn start_at(tx: &Tx, scope: Scope, first_entry: i64) -> Result<()> {
    clear(tx, scope, i64::MAX).await?;
    store::start_at(tx, scope.merchant, first_entry).await
}

/// Forgets where the figures of development data begin, with the account that they are of.
pub async fn forget_start(tx: &Tx, merchant: MerchantId) -> Result<()> {
    store::forget_start(tx, merchant).await
}

/// Deletes at most `most` kept days; returns how many.
pub async fn clear(tx: &Tx, scope: Scope, most: i64) -> Result<u64> {
    let deleted = store::clear_money(tx, scope, most).await?;
    let left = crate::store::remaining(most, deleted);
    Ok(deleted + store::clear_payments(tx, scope, left).await?)
}

/// What the kept days should be, by the transfers, and that plus what they differ by, by merchant
/// and mode.
pub async fn sums(tx: &Tx, of: Option<Scope>) -> Result<Sums<2>> {
    store::sums(tx, of).await
}

/// Where the figures of a scope begin, and which days are kept.
///
/// A reset by an older version leaves its entry after those that it knows of, the days that were
/// kept before, and perhaps days that lie in the future of a clock that was put back.
async fn ground(tx: &Tx, scope: Scope) -> Result<Ground> {
    let kept = store::kept(tx, scope).await?;
    if !scope.mode.is_development() {
        return Ok(Ground { first_entry: 1, resets: 0, kept, is_stale: false });
    }
    let (first_entry, resets) = store::start(tx, scope.merchant).await?.unwrap_or((1, 0));
    let open = kept.map_or(first_entry, |kept| kept.next_entry);
    let next_entry = turnover::next_entry(tx, scope).await?;
    let reset = turnover::last_reset(tx, scope, open..next_entry).await?;
    let today = scope.today(tx.now());
    if reset.is_none() && kept.is_none_or(|kept| kept.last < today) {
        return Ok(Ground { first_entry, resets, kept, is_stale: false });
    }
    let first_entry = reset.map_or(first_entry, |reset| reset + 1);
    Ok(Ground { first_entry, resets, kept: None, is_stale: true })
}

/// Sums the days of a period; the last kept day says where the next one begins.
async fn sum(tx: &Tx, scope: Scope, ground: Ground, period: Period) -> Result<Vec<DayMoney>> {
    let end = turnover::next_entry(tx, scope).await?;
    let stored = match ground.kept {
        Some(_) => store::money(tx, scope, period).await?,
        None => Vec::new(),
    };
    let mut stored = stored.into_iter().peekable();
    let mut days = Vec::new();
    let mut begins = None;
    for day in period.days() {
        let known = stored.next_if(|known| known.day == day);
        let known = match known {
            Some(known) => known,
            None => sum_day(tx, scope, ground, (day, begins), end).await?,
        };
        begins = Some(known.entries.end);
        days.push(known);
    }
    Ok(days)
}

async fn sum_day(
    tx: &Tx,
    scope: Scope,
    Ground { first_entry, kept, .. }: Ground,
    (day, begins): (Date, Option<i64>),
    end: i64,
) -> Result<DayMoney> {
    if let Some(first) = kept.filter(|kept| day < kept.first).map(|kept| kept.first_entry) {
        return Ok(DayMoney { day, entries: first..first, money: Turnover::default() });
    }
    let first = if let Some(begins) = begins {
        begins
    } else {
        let first = kept.map_or(first_entry, |kept| kept.next_entry);
        turnover::first_entry_at(tx, scope, first..end, period::start(day)).await?
    };
    let next = period::start(period::after(day));
    let entries = first..turnover::first_entry_at(tx, scope, first..end, next).await?;
    let money = turnover::turnover(tx, scope, entries.clone()).await?;
    Ok(DayMoney { day, entries, money })
}

/// Counts the payments of each day of a period, the latest days again.
async fn count(tx: &Tx, scope: Scope, ground: Ground, period: Period) -> Result<Vec<ByMethod>> {
    let since = period::before(scope.today(tx.now()), COUNTED_ON_READ - 1);
    let stored =
        if ground.is_stale { Vec::new() } else { store::payments(tx, scope, period).await? };
    let mut stored = stored.into_iter().peekable();
    let mut counts = Vec::new();
    for day in period.days() {
        let known = stored.next_if(|(known, _)| *known == day).filter(|_| day < since);
        counts.push(match known {
            Some((_, counted)) => counted,
            None => count_day(tx, scope, day).await?,
        });
    }
    Ok(counts)
}

async fn count_day(tx: &Tx, scope: Scope, day: Date) -> Result<ByMethod> {
    let instants = Period { from: day, to: day }.instants();
    let counted = list::issued(tx, scope, instants).await?;
    let of = |method| {
        let found = counted.iter().find(|(counted, _)| *counted == method);
        found.map(|(_, issued)| *issued).unwrap_or_default()
    };
    Ok(METHODS.map(of))
}
