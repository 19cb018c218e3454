//! Searching and listing referrals and what was moved of their rewards.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::platform::error::Result;
use crate::platform::http::page::{Page, PageQuery};
use crate::referrals::Status;

/// What the history accepts.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct HistoryQuery {
    /// The page number, from 1.
    #[schemars(range(min = 1))]
    page: Option<i64>,
    /// The number of objects per page, 1 to 100.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<i64>,
    status: Option<Status>,
}

/// What the list of moved rewards accepts.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MovedQuery {
    /// The page number, from 1.
    #[schemars(range(min = 1))]
    page: Option<i64>,
    /// The number of objects per page, 1 to 100.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<i64>,
}

/// The validated filter.
#[derive(Debug, Clone)]
pub struct Filter {
    pub page: Page,
    pub status: Option<Status>,
}

impl HistoryQuery {
    /// The query of a page with a state.
    pub fn new(page: i64, limit: i64, status: Option<Status>) -> Self {
        Self { page: Some(page), limit: Some(limit), status }
    }

    /// Validates the query.
    pub fn read(self) -> Result<Filter> {
        Ok(Filter { page: numbered(self.page, self.limit)?, status: self.status })
    }
}

impl MovedQuery {
    /// The query of a page.
    pub fn new(page: i64, limit: i64) -> Self {
        Self { page: Some(page), limit: Some(limit) }
    }

    /// Validates the query.
    pub fn read(self) -> Result<Page> {
        numbered(self.page, self.limit)
    }
}

/// A page by its number alone.
pub fn numbered(page: Option<i64>, limit: Option<i64>) -> Result<Page> {
    PageQuery { page, limit, cursor: None }.read()
}
