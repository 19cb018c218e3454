//! Filters for the audit log.

use db::time::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::audit::Action;
use crate::platform::error::Result;
use crate::platform::http::page::{Page, PageQuery, TimeRange};
use crate::platform::ids::MerchantId;

/// What the list of an account's entries accepts.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ListQuery {
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
    pub created: TimeRange,
}

impl ListQuery {
    /// Validates the query.
    pub fn read(self, page: &PageQuery) -> Result<Filter> {
        let created = TimeRange::new(self.created_from, self.created_to);
        Ok(Filter { page: page.read()?, action: self.action, created })
    }
}

impl AdminListQuery {
    /// Validates the query; also returns the account whose entries are wanted.
    pub fn read(self, page: &PageQuery) -> Result<(Option<MerchantId>, Filter)> {
        let created = TimeRange::new(self.created_from, self.created_to);
        let filter = Filter { page: page.read()?, action: self.action, created };
        Ok((self.user_id, filter))
    }
}
