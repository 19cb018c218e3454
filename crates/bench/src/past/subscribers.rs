//! Many subscribers whose trials have ended: two that the product created, multiplied.

use std::path::Path;

use anyhow::{Result, ensure};
use rusqlite::Connection;

use crate::past::copies::{Differences, id, id_text, multiply};
use crate::past::{close, open};

/// The subscriber whose card is declined.
pub const DECLINED: &str = "declined@example.com";
/// The subscriber whose card is charged.
pub const PAYING: &str = "paying@example.com";

/// One in ten copies is of the subscriber whose card is declined.
const DECLINED_EVERY: u64 = 10;
const NUMBERS: (&str, &str) = (
    "with recursive numbers (i) as (
          select ?1 union all select i + ?2 from numbers where i + ?2 < ?3)",
    "numbers",
);

/// The subscribers' status.
#[derive(Debug, Clone, Copy)]
pub struct Billed {
    pub paid: u64,
    pub declined: u64,
}

/// Copies the two subscribers of a database until there are that many whose trials have ended;
/// nothing wakes them yet.
pub fn load(file: &Path, count: u64) -> Result<Billed> {
    let database = open(file)?;
    let originals = originals(&database)?;
    database.execute_batch("begin immediate")?;
    let email = "printf('loaded%d@example.com', i)";
    for (name, range) in each(&originals, count)? {
        let rows: [(&str, String, Differences<'_>); 2] = [
            (
                "clients",
                format!("t.id = (select client_id from subscriptions where id = {name})"),
                &[("id", &id(1)), ("email", email)],
            ),
            (
                "subscriptions",
                format!("t.id = {name}"),
                &[
                    ("id", &id(2)),
                    ("client_id", &id(1)),
                    ("customer_email", email),
                    ("identity", email),
                    ("trial_end_told", "1"),
                ],
            ),
        ];
        for (table, of, differences) in rows {
            database.execute(&multiply(&database, NUMBERS, table, &of, differences)?, range)?;
        }
    }
    let seats = database.execute("update plans set seats = seats + ?1", [i64::try_from(count)?])?;
    ensure!(seats == 1, "{seats} plans instead of one");
    // As after advancing the developer's clock to the end of the trials.
    database.execute_batch(
        "update merchants
            set dev_ahead_micros = (select max(trial_ends_at - created_at) from subscriptions)
          where id in (select merchant_id from subscriptions);
         commit",
    )?;
    close(&database, file)?;
    let declined = count.div_ceil(DECLINED_EVERY);
    Ok(Billed { paid: count - declined, declined })
}

/// Makes every copy due.
pub fn wake(file: &Path, count: u64) -> Result<()> {
    let database = open(file)?;
    let originals = originals(&database)?;
    let payload = format!("json_set(t.payload, '$.id', {})", id_text(2));
    database.execute_batch("begin immediate")?;
    for (name, range) in each(&originals, count)? {
        let differences: Differences<'_> =
            &[("id", &id(2)), ("run_at", "0"), ("payload", &payload)];
        // By its key: a scan of the lane would pass every earlier copy.
        let sql = format!(
            "select run_at from jobs
              where lane = 'work' and kind = 'wake_subscription' and id = {name}"
        );
        let run_at: i64 = database.query_row(&sql, [], |row| row.get(0))?;
        let of = format!("t.lane = 'work' and t.run_at = {run_at} and t.id = {name}");
        database.execute(&multiply(&database, NUMBERS, "jobs", &of, differences)?, range)?;
    }
    database.execute_batch("commit")?;
    close(&database, file).map(drop)
}

/// How many subscribers have been charged, with any result.
pub fn charged(file: &Path) -> Result<u64> {
    let database = Connection::open(file)?;
    let sql = "select count(*) from subscriptions where status in ('ACTIVE', 'PAST_DUE')";
    let charged: i64 = database.query_row(sql, [], |row| row.get(0))?;
    Ok(u64::try_from(charged)?)
}

/// The subscribers to copy: first the one whose card is declined, then the paying one.
fn originals(database: &Connection) -> Result<[String; 2]> {
    let sql = "select hex(id) from subscriptions where customer_email = ?1";
    let one = |email: &str| -> Result<String> {
        let id: String = database.query_row(sql, [email], |row| row.get(0))?;
        Ok(format!("x'{id}'"))
    };
    Ok([one(DECLINED)?, one(PAYING)?])
}

/// The copies of an original: first, step and end.
fn each(originals: &[String; 2], count: u64) -> Result<Vec<(&str, [i64; 3])>> {
    let (step, end) = (i64::try_from(DECLINED_EVERY)?, i64::try_from(count)?);
    let [declined, paying] = originals;
    let name = |first| if first == 0 { declined } else { paying };
    Ok((0..step.min(end)).map(|first| (name(first).as_str(), [first, step, end])).collect())
}
