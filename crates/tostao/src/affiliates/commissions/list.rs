//! Searching and listing commissions.

use db::time::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::affiliates::commissions::Status;
use crate::platform::error::Result;
use crate::platform::http::page::{Page, PageQuery, TimeRange};
use crate::platform::ids::{AffiliateLinkId, AffiliateProgramId};

/// What a list of commissions accepts.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ListQuery {
    status: Option<Status>,
    /// Filter by program.
    program_id: Option<AffiliateProgramId>,
    /// Filter by affiliate link.
    link_id: Option<AffiliateLinkId>,
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
    pub link: Option<AffiliateLinkId>,
    pub created: TimeRange,
}

impl ListQuery {
    /// The query of a page with a state and a link.
    pub fn new(status: Option<Status>, link_id: Option<AffiliateLinkId>) -> Self {
        Self { status, link_id, ..Self::default() }
    }

    /// Validates the query.
    pub fn read(self, page: &PageQuery) -> Result<Filter> {
        Ok(Filter {
            page: page.read()?,
            status: self.status,
            program: self.program_id,
            link: self.link_id,
            created: TimeRange::new(self.created_from, self.created_to),
        })
    }
}
