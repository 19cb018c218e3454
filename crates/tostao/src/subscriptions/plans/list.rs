//! Searching and listing plans.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::platform::error::Result;
use crate::platform::http::page::{Page, PageQuery, search};

/// What a list of plans accepts.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ListQuery {
    /// Filter by whether the plan accepts new subscribers.
    pub active: Option<bool>,
    /// Search in name and description.
    #[schemars(length(max = 255))]
    pub q: Option<String>,
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
    pub fn read(self, page: &PageQuery) -> Result<Filter> {
        Ok(Filter { page: page.read()?, active: self.active, pattern: search(self.q.as_deref())? })
    }
}
