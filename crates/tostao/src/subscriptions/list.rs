//! Finding subscriptions among many.

use db::time::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::error::Result;
use crate::http::page::{Page, PageQuery, Period, search};
use crate::ids::{ClientId, PlanId};
use crate::subscriptions::status::Status;

/// What a list of subscriptions accepts.
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
    plan_id: Option<PlanId>,
    client_id: Option<ClientId>,
    /// Made at this instant or later.
    created_from: Option<Timestamp>,
    /// Made before this instant.
    created_to: Option<Timestamp>,
    /// Part of the subscriber's name or address, or of the plan's name.
    #[schemars(length(max = 255))]
    q: Option<String>,
}

/// Which subscriptions, checked.
#[derive(Debug, Clone)]
pub struct Filter {
    pub page: Page,
    pub status: Option<Status>,
    pub plan: Option<PlanId>,
    pub client: Option<ClientId>,
    pub created: Period,
    pub pattern: Option<String>,
}

impl ListQuery {
    /// Checks what was asked.
    pub fn read(self) -> Result<Filter> {
        let query = PageQuery { page: self.page, limit: self.limit, cursor: self.cursor };
        Ok(Filter {
            page: query.read()?,
            status: self.status,
            plan: self.plan_id,
            client: self.client_id,
            created: Period::new(self.created_from, self.created_to),
            pattern: search(self.q.as_deref())?,
        })
    }
}
