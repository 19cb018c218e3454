//! The statements that multiply a charge.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use db::hex::hex;
use rusqlite::{Connection, OptionalExtension, params};

/// The number of merchants besides the first one.
const OTHERS: u32 = 99;
/// In 2023: before every ID that the product assigns.
const LONG_AGO: Times = Times { first_millis: 1_700_000_000_000, step_millis: 1 };
/// The original's place among the charges of its merchant while others are copied before it.
const FAR: u64 = 1_000_000_000_000;
/// The last copy is so much older than the original, so that their IDs have the order of time.
const BEFORE_ORIGINAL_MILLIS: i64 = 60_000;

/// The copies' buyers.
const BUYER: &str = "printf('loaded%d@example.com', i)";

/// Even charges are the first merchant's, odd ones the other merchants' in turn; the original comes
/// after all of them.
const CHARGES: &str = "
    with recursive numbers (i) as (
         select ?1 union all select i + 1 from numbers where i + 1 < ?2),
    charges as (
         select i, owners.id as merchant,
                case when i % 2 = 0 then i / 2 + 1 else i / 198 + 1 end as place
           from numbers
           join temp.owners as owners
             on owners.number = case when i % 2 = 0 then 0 else 1 + i / 2 % 99 end)";

/// The times of the copies: of the first one, and from one to the next.
#[derive(Debug, Clone, Copy)]
pub struct Times {
    first_millis: i64,
    step_millis: i64,
}

/// What differs in each copy: a column and its expression.
pub type Differences<'a> = &'a [(&'a str, &'a str)];

/// The charge to copy.
struct Original {
    transaction: String,
    client: String,
    merchant: String,
    webhook: String,
    delivered_event: String,
    /// The charge's events, in their order.
    events: Vec<String>,
    key: (String, String),
    amount: i64,
    fee: i64,
}

/// The statements that copy the charges from `?1` to below `?2`.
pub struct Plan {
    /// What the product keeps of every charge.
    pub kept: Vec<String>,
    /// Stored responses, events and deliveries, which housekeeping deletes after a while.
    pub recent: Vec<String>,
    original: Original,
}

/// Creates the other merchants, and the statements that copy a charge to these times.
pub fn plan(database: &Connection, times: Times) -> Result<Plan> {
    let original = Original::read(database)?;
    original.book(database, FAR)?;
    let id = |tag: u16| times.id(tag);
    let at = times.micros();
    database.execute_batch(&owners(database, &original)?)?;
    let Original { transaction, client, merchant, webhook, key, .. } = &original;
    let kept = vec![
        copy(
            database,
            "clients",
            &format!("t.merchant_id = {merchant} and t.mode = 0 and t.id = {client}"),
            &[("merchant_id", "merchant"), ("id", &id(1)), ("email", BUYER), ("created_at", &at)],
        )?,
        copy(
            database,
            "transactions",
            &format!("t.merchant_id = {merchant} and t.mode = 0 and t.id = {transaction}"),
            &[
                ("merchant_id", "merchant"),
                ("id", &id(2)),
                ("client_id", &id(1)),
                ("customer_email", BUYER),
                ("pix_txid", "printf('%032x', i)"),
                ("created_at", &at),
                ("paid_at", &at),
            ],
        )?,
        transfers(database, &original, times)?,
    ];
    let mut recent = vec![copy(
        database,
        "idempotency_keys",
        &format!(
            "t.merchant_id = {merchant} and t.mode = 0 and t.route = {} and t.key = {}",
            key.0, key.1
        ),
        &[("merchant_id", "merchant"), ("key", "printf('loaded-%d', i)")],
    )?];
    for (tag, event) in (16..).zip(&original.events) {
        let of = format!("t.merchant_id = {merchant} and t.mode = 0 and t.id = {event}");
        let differences = [("merchant_id", "merchant"), ("id", &*id(tag)), ("object_id", &*id(2))];
        recent.push(copy(database, "events", &of, &differences)?);
        if *event == original.delivered_event {
            let of = format!(
                "t.merchant_id = {merchant} and t.mode = 0 and t.webhook_id = {webhook}
                 and t.event_id = {event}"
            );
            let differences = [("merchant_id", "merchant"), ("event_id", &*id(tag))];
            recent.push(copy(database, "webhook_deliveries", &of, &differences)?);
        }
    }
    Ok(Plan { kept, recent, original })
}

/// Books the original after its copies and sets every merchant's balances from their charges; the
/// hash chains start after them, and what was proved before counts no more.
pub fn settle(database: &Connection, plan: &Plan, copies: u64) -> Result<()> {
    plan.original.book(database, copies.div_ceil(2) + 1)?;
    let statement = "
        insert into ledger_accounts
               (owner_id, book, code, floor_cents, balance_cents, sequence, chained_after)
        select counts.id, book, code, floor_cents, balance_cents * charges, sequence * charges,
               sequence * charges
          from ledger_accounts as t
         cross join (
               select id, case when number = 0 then (?1 + 1) / 2 + 1
                               else max(0, (?1 / 2 - number + 99) / 99) end as charges
                 from temp.owners) as counts
         where t.owner_id = (select id from temp.owners where number = 0) and charges > 0
            on conflict (owner_id, book, code) do update
           set balance_cents = excluded.balance_cents, sequence = excluded.sequence,
               chained_after = excluded.sequence, chain_head = null";
    database.execute(statement, params![i64::try_from(copies)?])?;
    database.execute("delete from ledger_positions", [])?;
    Ok(())
}

impl Original {
    /// Gives its entries a place among those of its merchant's charges, as an entry of the ledger
    /// cannot be changed otherwise.
    fn book(&self, database: &Connection, place: u64) -> Result<()> {
        let guard = "select sql from sqlite_master where name = 'ledger_transfers_refuses_update'";
        let guard: String = database.query_row(guard, [], |row| row.get(0))?;
        let set = self.legs().map(|(column, value)| format!("{column} = {value}")).join(", ");
        Ok(database.execute_batch(&format!(
            "drop trigger ledger_transfers_refuses_update;
             update ledger_transfers as t set {set}
               from (select {place} as place)
              where t.subject_id = {};
             {guard}",
            self.transaction
        ))?)
    }

    /// The sequence numbers and balances of its two transfers, line by line, in the three accounts
    /// of a merchant with `place` such charges.
    fn legs(&self) -> [(&'static str, String); 4] {
        let Self { amount, fee, .. } = self;
        let net = amount - fee;
        let by_line = |first: &str, second: &str| {
            format!("case t.line when 0 then {first} else {second} end")
        };
        [
            ("debit_sequence", by_line("place", "2 * place")),
            (
                "debit_balance_cents",
                by_line(&format!("-{amount} * place"), &format!("{net} * place")),
            ),
            ("credit_sequence", by_line("2 * place - 1", "place")),
            (
                "credit_balance_cents",
                by_line(&format!("{net} * (place - 1) + {amount}"), &format!("{fee} * place")),
            ),
        ]
    }

    fn read(database: &Connection) -> Result<Self> {
        let blob = |sql: &str| -> Result<String> {
            let bytes: Option<Vec<u8>> =
                database.query_row(sql, [], |row| row.get(0)).optional()?;
            Ok(literal(&bytes.with_context(|| format!("nothing to copy: {sql}"))?))
        };
        let text = |sql: &str| -> Result<String> {
            let text: String = database.query_row(sql, [], |row| row.get(0))?;
            Ok(format!("'{}'", text.replace('\'', "''")))
        };
        let amount = |line: i64| -> Result<i64> {
            let sql = "select amount_cents from ledger_transfers where line = ?1";
            Ok(database.query_row(sql, [line], |row| row.get(0))?)
        };
        let count = "select count(*) from transactions where status = 'PAID'";
        let charges: i64 = database.query_row(count, [], |row| row.get(0))?;
        ensure!(charges == 1, "{charges} charges to copy instead of one");
        let key = "from idempotency_keys where route like '%checkout'";
        Ok(Self {
            transaction: blob("select id from transactions")?,
            client: blob("select client_id from transactions")?,
            merchant: blob("select merchant_id from transactions")?,
            webhook: blob("select webhook_id from webhook_deliveries")?,
            delivered_event: blob("select event_id from webhook_deliveries")?,
            events: events(database)?,
            key: (text(&format!("select route {key}"))?, text(&format!("select key {key}"))?),
            amount: amount(0)?,
            fee: amount(1)?,
        })
    }
}

fn events(database: &Connection) -> Result<Vec<String>> {
    let mut statement = database
        .prepare("select id from events where name <> 'payment_link.created' order by id")?;
    let ids = statement.query_map([], |row| row.get::<_, Vec<u8>>(0))?;
    ids.map(|id| Ok(literal(&id?))).collect()
}

/// A copy's entries follow those of its merchant's earlier charges.
fn transfers(database: &Connection, original: &Original, times: Times) -> Result<String> {
    let of = format!("t.subject_id = {}", original.transaction);
    let (id, at, legs) = (times.id(2), times.micros(), original.legs());
    let mut differences = vec![
        ("subject_id", &*id),
        ("booked_at", &*at),
        ("debit_owner_id", "merchant"),
        ("credit_owner_id", "merchant"),
    ];
    differences.extend(legs.iter().map(|(column, value)| (*column, &**value)));
    copy(database, "ledger_transfers", &of, &differences)
}

/// A table of the merchants by number, and the other merchants' accounts.
fn owners(database: &Connection, original: &Original) -> Result<String> {
    let (columns, values) = columns(
        database,
        "merchants",
        &[("id", "owners.id"), ("email", "printf('other%d@example.com', owners.number)")],
    )?;
    let (merchant, id) = (&original.merchant, id(0));
    Ok(format!(
        "create temp table owners (number integer primary key, id blob not null);
         insert into temp.owners values (0, {merchant});
         with recursive numbers (i) as (
              select 1 union all select i + 1 from numbers where i < {OTHERS})
         insert into temp.owners select i, {id} from numbers;
         insert into merchants ({columns})
         select {values}
           from temp.owners as owners
          cross join merchants as t
          where t.id = {merchant} and owners.number > 0;"
    ))
}

fn copy(
    database: &Connection,
    table: &str,
    of: &str,
    differences: Differences<'_>,
) -> Result<String> {
    multiply(database, (CHARGES, "charges"), table, of, differences)
}

/// Copies the rows that `of` selects, once for each row of a source that is defined before it.
pub fn multiply(
    database: &Connection,
    (definition, source): (&str, &str),
    table: &str,
    of: &str,
    differences: Differences<'_>,
) -> Result<String> {
    let (columns, values) = columns(database, table, differences)?;
    Ok(format!(
        "{definition}
         insert into {table} ({columns})
         select {values} from {source} cross join {table} as t where {of}"
    ))
}

/// A table's columns, and a copy's value for each.
fn columns(
    database: &Connection,
    table: &str,
    differences: Differences<'_>,
) -> Result<(String, String)> {
    let mut statement = database.prepare("select name from pragma_table_info(?1)")?;
    let names: rusqlite::Result<Vec<String>> =
        statement.query_map([table], |row| row.get(0))?.collect();
    let names = names?;
    for (column, _) in differences {
        ensure!(names.iter().any(|name| name == column), "{table} has no column {column}");
    }
    let value = |name: &String| {
        let own = differences.iter().find(|(column, _)| column == name);
        own.map_or_else(|| format!("t.{name}"), |(_, value)| (*value).to_owned())
    };
    let values: Vec<String> = names.iter().map(value).collect();
    Ok((names.join(", "), values.join(", ")))
}

impl Times {
    /// The times of so many copies, evenly over the time before an instant.
    pub fn before(now_millis: i64, copies: u64, over: Duration) -> Result<Self> {
        let copies = i64::try_from(copies)?.max(1);
        let step_millis = (i64::try_from(over.as_millis())? / copies).max(1);
        let first_millis = now_millis - BEFORE_ORIGINAL_MILLIS - copies * step_millis;
        Ok(Self { first_millis, step_millis })
    }

    /// The time of the copy `i`, in microseconds.
    fn micros(self) -> String {
        format!("({}) * 1000", self.millis())
    }

    fn millis(self) -> String {
        let Self { first_millis, step_millis } = self;
        format!("{first_millis} + i * {step_millis}")
    }

    /// An ID in the product's format, growing with the copy's number `i`; `tag` distinguishes
    /// kinds.
    fn id(self, tag: u16) -> String {
        format!("unhex({})", self.digits(tag))
    }

    fn digits(self, tag: u16) -> String {
        format!("printf('%012x7{tag:03x}8%015x', {}, i)", self.millis())
    }
}

/// An ID of long ago.
pub fn id(tag: u16) -> String {
    LONG_AGO.id(tag)
}

/// The same as text.
pub fn id_text(tag: u16) -> String {
    let digits = LONG_AGO.digits(tag);
    let part = |from: u8, length: u8| format!("substr({digits}, {from}, {length})");
    [part(1, 8), part(9, 4), part(13, 4), part(17, 4), part(21, 12)].join(" || '-' || ")
}

fn literal(bytes: &[u8]) -> String {
    format!("x'{}'", hex(bytes))
}
