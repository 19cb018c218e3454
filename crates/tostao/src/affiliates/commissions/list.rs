//! Searching and listing commissions.

use db::time::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::affiliates::commissions::Status;
use crate::platform::error::Result;
use crate::platform::http::page::{Page, PageQuery, TimeRange};
use crate::platform::ids::AffiliateProgramId;

/// What a list of commissions accepts.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ListQuery {
    status: Option<Status>,
    /// Filter by program.
    program_id: Option<AffiliateProgramId>,
    /// Created at or after this time.
    created_from: Option<Timestamp>,
    /// Created before this time.
    created_to: Option<Timestamp>,
}

/// The validated filter.
#[derive(Debug, Clone)]
pub struct Filter {
    pub page: Page,
    pub status: Option<Status>,
    pub program: Option<AffiliateProgramId>,
    pub created: TimeRange,
}

impl ListQuery {
    /// Validates the query.
    pub fn read(self, page: &PageQuery) -> Result<Filter> {
        Ok(Filter {
            page: page.read()?,
            status: self.status,
            program: self.program_id,
            created: TimeRange::new(self.created_from, self.created_to),
        })
    }
}
