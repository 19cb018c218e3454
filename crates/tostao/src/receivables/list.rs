//! Lists receivables by due date: what settles when, and what has settled.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use brazil::calendar::sao_paulo_start_of_day;
use db::text_enum;
use db::time::Timestamp;
use db::tx::Tx;
use jiff::civil::Date;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::Deserialize;
use uuid::Uuid;

use crate::platform::error::{FieldErrors, FieldFault, Result};
use crate::platform::http::page::{TimeRange, read_cursor};
use crate::platform::ids::Scope;
use crate::receivables::{Receivable, store};

const LIMIT_DEFAULT: i64 = 20;
const LIMIT_MAX: i64 = 100;
const INSTANT_BYTES: usize = 8;

text_enum! {
    /// The status of a receivable.
    pub enum Status as "ReceivableStatus" {
        /// Not yet due.
        Pending = "PENDING",
        /// Settled to the balance or to the advance it secured.
        Settled = "SETTLED",
    }
}

/// What a list of receivables accepts.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ListQuery {
    status: Option<Status>,
    /// Due on or after this date in São Paulo, for example 2026-12-24.
    #[schemars(extend("format" = "date"))]
    from: Option<String>,
    /// Due before this date.
    #[schemars(extend("format" = "date"))]
    to: Option<String>,
    /// The number of objects, 1 to 100.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<i64>,
    /// The `nextCursor` of the previous page.
    cursor: Option<String>,
}

/// The validated filter.
#[derive(Debug, Clone, Copy)]
pub struct Filter {
    pub status: Option<Status>,
    pub period: TimeRange,
    pub after: ListPosition,
    pub limit: i64,
}

/// A receivable's position in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListPosition {
    pub due_at: Timestamp,
    pub id: Uuid,
}

impl ListQuery {
    /// A page of the receivables with a status.
    pub fn of(status: Status, limit: i64, cursor: Option<String>) -> Self {
        Self { status: Some(status), limit: Some(limit), cursor, ..Self::default() }
    }

    /// Validates the query.
    pub fn read(&self) -> Result<Filter> {
        let mut wrong = FieldErrors::new();
        let limit = self.limit.unwrap_or(LIMIT_DEFAULT);
        if !(1..=LIMIT_MAX).contains(&limit) {
            wrong.add("limit", FieldFault::new("OUT_OF_RANGE", "must be from 1 to 100"));
        }
        let from = wrong.read("from", day(self.from.as_deref())).flatten();
        let to = wrong.read("to", day(self.to.as_deref())).flatten();
        wrong.finish()?;
        let after = read_cursor(self.cursor.as_deref(), ListPosition::read)?;
        let period = TimeRange::new(from, to);
        Ok(Filter {
            status: self.status,
            period,
            after: after.unwrap_or(ListPosition::FIRST),
            limit,
        })
    }
}

/// Lists the parts of a merchant's payments, soonest due first; returns where to continue.
pub async fn due(
    tx: &Tx,
    scope: Scope,
    filter: &Filter,
) -> Result<(Vec<Receivable>, Option<ListPosition>)> {
    let mut rows = store::list_due(tx, scope, filter).await?;
    let limit = usize::try_from(filter.limit).unwrap_or(usize::MAX);
    let more = rows.len() > limit;
    rows.truncate(limit);
    let mark = |last: &Receivable| ListPosition { due_at: last.due_at, id: last.id.0 };
    let next = rows.last().filter(|_| more).map(mark);
    Ok((rows, next))
}

/// Sums what all parts bring that have not settled.
pub async fn sum_pending(tx: &Tx, scope: Scope) -> Result<Cents> {
    store::sum_pending(tx, scope).await
}

/// When the soonest part settles that brings the merchant money, on or after a day.
///
/// A commission that an affiliate waits for has no receivable, so it is pending without such a day.
pub async fn next_due(tx: &Tx, scope: Scope, day: Date) -> Result<Option<Timestamp>> {
    store::next_due(tx, scope, Timestamp::from_micros(sao_paulo_start_of_day(day))).await
}

impl ListPosition {
    /// Before every receivable.
    const FIRST: Self = Self { due_at: Timestamp::from_micros(i64::MIN), id: Uuid::nil() };

    /// The cursor that continues after it.
    pub fn cursor(&self) -> String {
        let due_at = self.due_at.micros().to_be_bytes();
        URL_SAFE_NO_PAD.encode([&due_at[..], self.id.as_bytes()].concat())
    }

    fn read(cursor: &[u8]) -> Option<Self> {
        let (due_at, id) = cursor.split_first_chunk::<INSTANT_BYTES>()?;
        let due_at = Timestamp::from_micros(i64::from_be_bytes(*due_at));
        Some(Self { due_at, id: Uuid::from_slice(id).ok()? })
    }
}

/// When a day starts in São Paulo.
fn day(given: Option<&str>) -> Result<Option<Timestamp>, FieldFault> {
    let Some(text) = given else { return Ok(None) };
    let day: Result<Date, _> = text.parse();
    let day =
        day.map_err(|_| FieldFault::new("INVALID_DATE", "must be a date, like 2026-12-24"))?;
    Ok(Some(Timestamp::from_micros(sao_paulo_start_of_day(day))))
}
