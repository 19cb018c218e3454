//! Filters for a link's carts.

use db::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::carts::Status;
use crate::platform::error::Result;
use crate::platform::http::page::{Page, PageQuery, TimeRange};

/// What a list of carts accepts.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ListQuery {
    pub status: Option<Status>,
    /// First recorded at or after this time.
    pub created_from: Option<Timestamp>,
    /// First recorded before this time.
    pub created_to: Option<Timestamp>,
}

/// A validated filter.
#[derive(Debug, Clone)]
pub struct Filter {
    pub page: Page,
    pub status: Option<Status>,
    pub created: TimeRange,
    /// How many carts of the period are counted.
    pub counted_max: i64,
}

/// The number of cart abandonments in the requested period, by status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "CartAbandonmentTotals")]
pub struct Totals {
    pub total: i64,
    pub abandoned: i64,
    pub recovered: i64,
}

impl ListQuery {
    /// Validates the query.
    pub fn read(self, page: &PageQuery) -> Result<Filter> {
        Ok(Filter {
            page: page.read()?,
            status: self.status,
            created: TimeRange::new(self.created_from, self.created_to),
            counted_max: i64::MAX,
        })
    }
}

impl Totals {
    /// The count of a status, or of all.
    pub fn of(self, status: Option<Status>) -> i64 {
        match status {
            None => self.total,
            Some(Status::Abandoned) => self.abandoned,
            Some(Status::Recovered) => self.recovered,
        }
    }
}
