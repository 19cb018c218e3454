//! Searching and listing subscriptions.

use db::time::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::platform::error::Result;
use crate::platform::http::page::{Page, PageQuery, TimeRange, search};
use crate::platform::ids::{ClientId, PlanId};
use crate::subscriptions::status::Status;

/// What a list of subscriptions accepts.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ListQuery {
    pub status: Option<Status>,
    pub plan_id: Option<PlanId>,
    pub client_id: Option<ClientId>,
    /// Filter by whether the price counts as recurring: `ACTIVE` and `PAST_DUE` ones.
    pub paying: Option<bool>,
    /// Created at or after this time.
    pub created_from: Option<Timestamp>,
    /// Created before this time.
    pub created_to: Option<Timestamp>,
    /// Search in the subscriber's name and email and the plan's name.
    #[schemars(length(max = 255))]
    pub q: Option<String>,
}

/// The validated filter.
#[derive(Debug, Clone)]
pub struct Filter {
    pub page: Page,
    pub status: Option<Status>,
    pub plan: Option<PlanId>,
    pub client: Option<ClientId>,
    pub paying: Option<bool>,
    pub created: TimeRange,
    pub pattern: Option<String>,
}

impl Filter {
    /// A page of the subscriptions of one client.
    pub fn of_client(client: ClientId, page: Page) -> Self {
        let created = TimeRange::new(None, None);
        Self {
            page,
            status: None,
            plan: None,
            client: Some(client),
            paying: None,
            created,
            pattern: None,
        }
    }
}

impl ListQuery {
    /// Validates the query.
    pub fn read(self, page: &PageQuery) -> Result<Filter> {
        Ok(Filter {
            page: page.read()?,
            status: self.status,
            plan: self.plan_id,
            client: self.client_id,
            paying: self.paying,
            created: TimeRange::new(self.created_from, self.created_to),
            pattern: search(self.q.as_deref())?,
        })
    }
}
