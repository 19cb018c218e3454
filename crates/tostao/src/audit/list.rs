//! Filters for the audit log.

use db::time::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::audit::Action;
use crate::platform::error::Result;
use crate::platform::http::page::{Page, PageQuery, Period};
use crate::platform::ids::MerchantId;

/// What the list of an account's entries accepts.
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
    /// Filter by action.
    action: Option<Action>,
    /// Created at or after this time.
    created_from: Option<Timestamp>,
    /// Created before this time.
    created_to: Option<Timestamp>,
}

/// What an administrator's list accepts.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AdminListQuery {
    /// The page number, from 1.
    #[schemars(range(min = 1))]
    page: Option<i64>,
    /// The number of objects per page, 1 to 100.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<i64>,
    /// The `nextCursor` of the previous page; use it instead of `page`.
    cursor: Option<String>,
    /// Filter by action.
    action: Option<Action>,
    /// Created at or after this time.
    created_from: Option<Timestamp>,
    /// Created before this time.
    created_to: Option<Timestamp>,
    /// Filter by account.
    user_id: Option<MerchantId>,
}

/// A validated filter.
#[derive(Debug, Clone)]
pub struct Filter {
    pub page: Page,
    pub action: Option<Action>,
    pub created: Period,
}

impl ListQuery {
    /// Validates the query.
    pub fn read(self) -> Result<Filter> {
        let query = PageQuery { page: self.page, limit: self.limit, cursor: self.cursor };
        let created = Period::new(self.created_from, self.created_to);
        Ok(Filter { page: query.read()?, action: self.action, created })
    }
}

impl AdminListQuery {
    /// Validates the query; also returns the account whose entries are wanted.
    pub fn read(self) -> Result<(Option<MerchantId>, Filter)> {
        let query = PageQuery { page: self.page, limit: self.limit, cursor: self.cursor };
        let created = Period::new(self.created_from, self.created_to);
        let filter = Filter { page: query.read()?, action: self.action, created };
        Ok((self.user_id, filter))
    }
}
