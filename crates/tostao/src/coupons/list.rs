//! Finding coupons among many.

use db::time::Timestamp;
use db::value::pattern;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::coupons::Status;
use crate::error::{Error, Result};
use crate::http::page::{Page, PageQuery};

/// What a list of coupons accepts.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ListQuery {
    /// Which page, from 1.
    #[schemars(range(min = 1))]
    page: Option<i64>,
    /// How many a page, 1 to 100.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<i64>,
    /// Where to go on, from the last answer's `nextCursor`; instead of `page`.
    cursor: Option<String>,
    status: Option<Status>,
    /// Made at this instant or later.
    created_from: Option<Timestamp>,
    /// Made before this instant.
    created_to: Option<Timestamp>,
    /// Part of the code or of the description.
    #[schemars(length(max = 255))]
    q: Option<String>,
}

/// Which coupons, checked.
#[derive(Debug, Clone)]
pub struct Filter {
    pub page: Page,
    pub status: Option<Status>,
    pub created_from: i64,
    pub created_to: i64,
    pub pattern: Option<String>,
}

impl ListQuery {
    /// Checks what was asked.
    pub fn read(self) -> Result<Filter> {
        if self.q.as_ref().is_some_and(|q| q.chars().count() > 255) {
            return Err(Error::field("q", "INVALID_LENGTH", "must have at most 255 characters"));
        }
        let query = PageQuery { page: self.page, limit: self.limit, cursor: self.cursor };
        Ok(Filter {
            page: query.read()?,
            status: self.status,
            created_from: self.created_from.map_or(i64::MIN, Timestamp::micros),
            created_to: self.created_to.map_or(i64::MAX, Timestamp::micros),
            pattern: self.q.filter(|q| !q.is_empty()).map(|q| pattern(&q)),
        })
    }
}
