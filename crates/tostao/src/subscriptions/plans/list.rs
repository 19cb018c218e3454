//! Searching and listing plans.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::platform::error::Result;
use crate::platform::http::page::{Page, PageQuery, search};

/// What a list of plans accepts.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ListQuery {
    /// The page number, from 1.
    #[schemars(range(min = 1))]
    page: Option<i64>,
    /// The number of objects per page, 1 to 100.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<i64>,
    /// The `nextCursor` of the previous page; use it instead of `page`.
    cursor: Option<String>,
    /// Filter by whether the plan accepts new subscribers.
    active: Option<bool>,
    /// Search in name and description.
    #[schemars(length(max = 255))]
    q: Option<String>,
}

/// The validated filter.
#[derive(Debug, Clone)]
pub struct Filter {
    pub page: Page,
    pub active: Option<bool>,
    pub pattern: Option<String>,
}

impl ListQuery {
    /// Validates the query.
    pub fn read(self) -> Result<Filter> {
        let query = PageQuery { page: self.page, limit: self.limit, cursor: self.cursor };
        Ok(Filter { page: query.read()?, active: self.active, pattern: search(self.q.as_deref())? })
    }
}
