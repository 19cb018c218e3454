//! Keeps the days that are over, a few in each unit; housekeeping runs it.

use db::time::Timestamp;
use db::tx::Tx;
use jiff::civil::Date;

use crate::books::turnover;
use crate::figures::period::{self, Period};
use crate::figures::{
    ByMethod, COUNTED_ON_READ, DayMoney, Ground, count_day, ground, start_at, store, sum,
};
use crate::merchants;
use crate::platform::error::{Error, Result};
use crate::platform::ids::Scope;
use crate::transactions::list;

/// How many days one unit keeps.
const DAYS: i32 = 31;
/// Payments of older days are not counted again.
const COUNTED_FOR: i32 = 45;

/// Days that are over and not kept yet, or that are counted again.
#[derive(Debug, Clone)]
pub struct Closing {
    /// What was kept when they were read, and of which data.
    ground: Ground,
    money: Vec<DayMoney>,
    payments: Vec<(Date, ByMethod)>,
    counted_at: Timestamp,
}

impl Closing {
    /// How many days it keeps.
    pub fn days(&self) -> u64 {
        u64::try_from(self.money.len() + self.payments.len()).unwrap_or(u64::MAX)
    }
}

/// Reads what is to be kept next of a scope, some days of it; `None` if nothing is.
pub async fn due(tx: &Tx, scope: Scope) -> Result<Option<Closing>> {
    let (now, today) = (scope.now(tx), scope.today(tx.now()));
    let ground = ground(tx, scope).await?;
    if ground.is_stale {
        let (money, payments) = (Vec::new(), Vec::new());
        return Ok(Some(Closing { ground, money, payments, counted_at: now }));
    }
    let money = match first_open(tx, scope, ground).await? {
        Some(from) => {
            let to = some_days(from).min(period::last_over(today, now));
            if from <= to { sum(tx, scope, ground, Period { from, to }).await? } else { Vec::new() }
        }
        None => Vec::new(),
    };
    let mut payments = Vec::new();
    for day in uncounted(tx, scope, today).await? {
        payments.push((day, count_day(tx, scope, day).await?));
    }
    let is_empty = money.is_empty() && payments.is_empty();
    Ok((!is_empty).then_some(Closing { ground, money, payments, counted_at: now }))
}

/// Stores what was read, unless another unit has kept days meanwhile or started over; returns
/// whether it did. What is kept of data that an older version has reset is forgotten first.
pub async fn keep(tx: &Tx, scope: Scope, closing: &Closing) -> Result<bool> {
    let is_open = if scope.mode.is_development() {
        // A reset that begins meanwhile waits.
        match merchants::lock(tx, scope.merchant).await {
            Err(Error::NotFound(_)) => false,
            locked => locked.map(|()| true)?,
        }
    } else {
        merchants::is_open(tx, scope.merchant).await?
    };
    if !is_open || ground(tx, scope).await? != closing.ground {
        return Ok(false);
    }
    if closing.ground.is_stale {
        start_at(tx, scope, closing.ground.first_entry).await?;
        return Ok(true);
    }
    for day in &closing.money {
        store::insert(tx, scope, day).await?;
    }
    for (day, counted) in &closing.payments {
        store::keep_payments(tx, scope, *day, counted, closing.counted_at).await?;
    }
    Ok(true)
}

/// The first day whose money is not kept; `None` before the first entry.
async fn first_open(tx: &Tx, scope: Scope, ground: Ground) -> Result<Option<Date>> {
    if let Some(kept) = ground.kept {
        return Ok(Some(period::after(kept.last)));
    }
    Ok(turnover::entered_at(tx, scope, ground.first_entry).await?.map(period::day_of))
}

/// Days whose payments were not counted yet, and those whose last count is from before today.
async fn uncounted(tx: &Tx, scope: Scope, today: Date) -> Result<Vec<Date>> {
    let until = period::before(today, COUNTED_ON_READ);
    let first = match store::last_counted(tx, scope).await? {
        Some(last) => Some(period::after(last)),
        None => list::oldest(tx, scope).await?.map(period::day_of),
    };
    let new = first.map(|from| Period { from, to: some_days(from).min(until) });
    let mut days: Vec<_> = new.into_iter().flat_map(Period::days).collect();
    let again = Period { from: period::before(today, COUNTED_FOR), to: until };
    let stale = store::counted_before(tx, scope, again, period::start(today), DAYS.into());
    days.extend(stale.await?);
    Ok(days)
}

fn some_days(from: Date) -> Date {
    period::before(from, 1 - DAYS)
}
