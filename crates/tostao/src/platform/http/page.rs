//! Pagination: by page number near the start, by cursor anywhere.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use db::time::Timestamp;
use db::value::pattern;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::platform::error::{Error, ErrorCode, Result};

const LIMIT_DEFAULT: i64 = 20;
const LIMIT_MAX: i64 = 100;
const DEPTH_MAX: i64 = 10_000;
const SEARCH_LENGTH_MAX: usize = 255;

/// What every list accepts; a list's own query names the same fields and hands them over.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct PageQuery {
    /// The page number, from 1.
    #[schemars(range(min = 1))]
    pub page: Option<i64>,
    /// The number of objects per page, 1 to 100.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
    /// The `nextCursor` of the previous page; use it instead of `page`.
    pub cursor: Option<String>,
}

/// Where a page starts and how long it is.
#[derive(Debug, Clone, Copy)]
pub struct Page {
    pub number: i64,
    pub limit: i64,
    /// Rows older than this one, if a cursor was given.
    pub before: Option<Uuid>,
    by_cursor: bool,
}

/// A range of times: at `from` or later, and before `to`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeRange {
    pub from: Timestamp,
    pub to: Timestamp,
}

/// The position of a page in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Pagination {
    /// The total number of objects; in a filtered list of transactions, at most 1,001.
    pub total: i64,
    /// The page number; 1 when a cursor was used.
    pub page: i64,
    /// The number of objects per page.
    pub limit: i64,
    /// The cursor of the next page; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// One page of rows, and the total number.
#[derive(Debug, Clone)]
pub struct Listed<T> {
    pub rows: Vec<T>,
    pub total: i64,
    /// The id of the last row, if more rows follow.
    pub next: Option<Uuid>,
}

impl PageQuery {
    /// Validates the numbers and decodes the cursor.
    pub fn read(&self) -> Result<Page> {
        let limit = self.limit.unwrap_or(LIMIT_DEFAULT);
        if !(1..=LIMIT_MAX).contains(&limit) {
            return Err(Error::field("limit", "OUT_OF_RANGE", "must be from 1 to 100"));
        }
        let number = self.page.unwrap_or(1);
        if number < 1 {
            return Err(Error::field("page", "OUT_OF_RANGE", "must be at least 1"));
        }
        let before = read_cursor(self.cursor.as_deref(), |bytes| Uuid::from_slice(bytes).ok())?;
        if before.is_some() {
            return Ok(Page { number: 1, limit, before, by_cursor: true });
        }
        if number.saturating_mul(limit) > DEPTH_MAX {
            let message = "Pages end at 10,000 rows. Continue with `cursor`.";
            return Err(Error::refused(ErrorCode::PaginationTooDeep, message));
        }
        let by_cursor = self.cursor.is_some();
        Ok(Page { number, limit, before: None, by_cursor })
    }
}

impl TimeRange {
    /// A missing bound leaves the range open on that side.
    pub fn new(from: Option<Timestamp>, to: Option<Timestamp>) -> Self {
        let (first, last) = (Timestamp::from_micros(i64::MIN), Timestamp::from_micros(i64::MAX));
        Self { from: from.unwrap_or(first), to: to.unwrap_or(last) }
    }

    /// Whether both bounds are missing.
    pub fn is_open(&self) -> bool {
        *self == Self::new(None, None)
    }
}

/// Validates a search text and returns the pattern that finds it anywhere in a row's text.
pub fn search(q: Option<&str>) -> Result<Option<String>> {
    let text = q.filter(|text| !text.is_empty());
    if text.is_some_and(|text| text.chars().count() > SEARCH_LENGTH_MAX) {
        return Err(Error::field("q", "INVALID_LENGTH", "must have at most 255 characters"));
    }
    Ok(text.map(pattern))
}

impl Page {
    /// The rows after one, or the first ones, of a list that is read from its start to its end.
    pub fn after(before: Option<Uuid>, limit: i64) -> Self {
        Self { number: 1, limit, before, by_cursor: true }
    }

    /// How many rows to skip.
    pub fn offset(&self) -> i64 {
        if self.by_cursor { 0 } else { (self.number - 1) * self.limit }
    }

    /// How many rows to read: one more than shown, to see whether there are more.
    pub fn fetch(&self) -> i64 {
        self.limit + 1
    }

    /// The greatest id to list, for `id < $n` conditions.
    pub fn before(&self) -> Uuid {
        self.before.unwrap_or(Uuid::max())
    }

    /// The id after which a list that is oldest first goes on, for `id > $n` conditions.
    pub fn beyond(&self) -> Uuid {
        self.before.unwrap_or(Uuid::nil())
    }

    /// Removes the extra row.
    pub fn listed<T>(&self, mut rows: Vec<T>, total: i64, id: impl Fn(&T) -> Uuid) -> Listed<T> {
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next = if more { rows.last().map(id) } else { None };
        Listed { rows, total, next }
    }

    /// The same for a page whose matches are not counted: `total` is only what it shows.
    pub fn uncounted<T>(&self, rows: Vec<T>, id: impl Fn(&T) -> Uuid) -> Listed<T> {
        let mut listed = self.listed(rows, 0, id);
        listed.total = i64::try_from(listed.rows.len()).unwrap_or(i64::MAX);
        listed
    }

    /// The pagination block of the response.
    pub fn pagination<T>(&self, listed: &Listed<T>) -> Pagination {
        Pagination {
            total: listed.total,
            page: self.number,
            limit: self.limit,
            next_cursor: listed.next.map(|id| URL_SAFE_NO_PAD.encode(id.as_bytes())),
        }
    }
}

/// Decodes a list's cursor; an empty one is the list's start, like none.
pub fn read_cursor<T>(
    given: Option<&str>,
    read: impl FnOnce(&[u8]) -> Option<T>,
) -> Result<Option<T>> {
    let Some(cursor) = given.filter(|cursor| !cursor.is_empty()) else { return Ok(None) };
    let position = URL_SAFE_NO_PAD.decode(cursor).ok().and_then(|bytes| read(&bytes));
    let message = "The cursor is not one that a list returned.";
    position.map(Some).ok_or_else(|| Error::refused(ErrorCode::InvalidCursor, message))
}
