//! Filters for the list of mails.

use db::time::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::mail::{Kind, Status};
use crate::platform::error::Result;
use crate::platform::http::page::{Page, PageQuery, TimeRange};

/// What the list of mails accepts.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ListQuery {
    /// Filter by status.
    status: Option<Status>,
    /// Filter by what the mail is about.
    kind: Option<Kind>,
    /// Written at or after this time.
    created_from: Option<Timestamp>,
    /// Written before this time.
    created_to: Option<Timestamp>,
}

/// A validated filter.
#[derive(Debug, Clone)]
pub struct Filter {
    pub page: Page,
    pub status: Option<Status>,
    pub kind: Option<Kind>,
    pub created: TimeRange,
}

impl ListQuery {
    /// Validates the query.
    pub fn read(self, page: &PageQuery) -> Result<Filter> {
        let created = TimeRange::new(self.created_from, self.created_to);
        Ok(Filter { page: page.read()?, status: self.status, kind: self.kind, created })
    }
}
