//! Finding commissions among many.

use db::time::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::affiliates::commissions::Status;
use crate::error::Result;
use crate::http::page::{Page, PageQuery, Period};
use crate::ids::AffiliateProgramId;

/// What a list of commissions accepts.
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
    /// Of one programme alone.
    program_id: Option<AffiliateProgramId>,
    /// Made at this instant or later.
    created_from: Option<Timestamp>,
    /// Made before this instant.
    created_to: Option<Timestamp>,
}

/// Which commissions, checked.
#[derive(Debug, Clone)]
pub struct Filter {
    pub page: Page,
    pub status: Option<Status>,
    pub program: Option<AffiliateProgramId>,
    pub created: Period,
}

impl ListQuery {
    /// Checks what was asked.
    pub fn read(self) -> Result<Filter> {
        let query = PageQuery { page: self.page, limit: self.limit, cursor: self.cursor };
        Ok(Filter {
            page: query.read()?,
            status: self.status,
            program: self.program_id,
            created: Period::new(self.created_from, self.created_to),
        })
    }
}
