//! Filters for the audit log.

use db::time::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;
use uuid::Uuid;

use crate::audit::Action;
use crate::platform::error::Result;
use crate::platform::http::page::{Page, PageQuery, TimeRange};
use crate::platform::ids::MerchantId;

/// What the list of an account's entries accepts.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ListQuery {
    /// Filter by action.
    pub action: Option<Action>,
    /// Filter by who did it: the ID of a member or of an API key.
    pub actor_id: Option<Uuid>,
    /// Created at or after this time.
    pub created_from: Option<Timestamp>,
    /// Created before this time.
    pub created_to: Option<Timestamp>,
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
    pub actor: Option<Uuid>,
    pub created: TimeRange,
}

impl ListQuery {
    /// Validates the query.
    pub fn read(self, page: &PageQuery) -> Result<Filter> {
        let created = TimeRange::new(self.created_from, self.created_to);
        let (page, actor) = (page.read()?, self.actor_id);
        Ok(Filter { page, action: self.action, actor, created })
    }
}

impl AdminListQuery {
    /// Validates the query; also returns the account whose entries are wanted.
    pub fn read(self, page: &PageQuery) -> Result<(Option<MerchantId>, Filter)> {
        let created = TimeRange::new(self.created_from, self.created_to);
        let page = page.read()?;
        let filter = Filter { page, action: self.action, actor: None, created };
        Ok((self.user_id, filter))
    }
}
