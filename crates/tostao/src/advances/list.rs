//! Searching and listing advances.

use db::time::Timestamp;
use db::tx::Tx;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::advances::status::Status;
use crate::advances::{Advance, store, with_all_collateral};
use crate::platform::error::Result;
use crate::platform::http::page::{Listed, Page, PageQuery, TimeRange};
use crate::platform::ids::{MerchantId, Mode};

/// What a list of a merchant's advances accepts.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ListQuery {
    status: Option<Status>,
    /// Requested at or after this time.
    created_from: Option<Timestamp>,
    /// Requested before this time.
    created_to: Option<Timestamp>,
}

/// What an administrator's list accepts.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AdminListQuery {
    /// Filter by status; `PENDING` lists what awaits a decision.
    status: Option<Status>,
    /// Filter by account.
    user_id: Option<MerchantId>,
}

/// The validated filter of a merchant's advances.
#[derive(Debug, Clone)]
pub struct Filter {
    pub page: Page,
    pub status: Option<Status>,
    pub created: TimeRange,
}

/// The validated filter of all merchants' advances.
#[derive(Debug, Clone)]
pub struct AdminFilter {
    pub page: Page,
    pub status: Option<Status>,
    pub merchant: Option<MerchantId>,
}

impl ListQuery {
    /// Validates the query.
    pub fn read(self, page: &PageQuery) -> Result<Filter> {
        let created = TimeRange::new(self.created_from, self.created_to);
        Ok(Filter { page: page.read()?, status: self.status, created })
    }
}

impl AdminListQuery {
    /// Validates the query.
    pub fn read(self, page: &PageQuery) -> Result<AdminFilter> {
        Ok(AdminFilter { page: page.read()?, status: self.status, merchant: self.user_id })
    }
}

/// Lists all merchants' advances that wait for an administrator's decision, oldest first.
pub async fn waiting(tx: &Tx, mode: Mode, page: Page) -> Result<Listed<Advance>> {
    let rows = store::list_waiting(tx, mode, page).await?;
    let total = store::count_waiting(tx, mode).await?;
    Ok(page.listed(rows, total, |advance| advance.id.0))
}

/// How many advances wait for an administrator's decision; at most 1,001 are counted.
pub async fn count_waiting(tx: &Tx, mode: Mode) -> Result<i64> {
    store::count_waiting(tx, mode).await
}

/// Lists all merchants' advances, newest first, for an administrator.
pub async fn of_all_accounts(tx: &Tx, mode: Mode, filter: &AdminFilter) -> Result<Listed<Advance>> {
    let rows = store::list_all_accounts(tx, mode, filter).await?;
    let total = store::count_all_accounts(tx, mode, filter).await?;
    let listed = filter.page.listed(rows, total, |advance| advance.id.0);
    with_all_collateral(tx, mode, listed).await
}
