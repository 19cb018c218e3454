//! Searching and listing withdrawals.

use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::Deserialize;
use uuid::Uuid;

use crate::platform::error::Result;
use crate::platform::http::page::{Listed, Page, PageQuery, TimeRange};
use crate::platform::ids::{MerchantId, Mode, Scope, WithdrawalId};
use crate::withdrawals::Withdrawal;
use crate::withdrawals::status::Status;

mod store;

/// How many withdrawals on each side are next to one.
const NEAR: i64 = 8;

/// What a list of a merchant's withdrawals accepts.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ListQuery {
    status: Option<Status>,
    /// Filter by the provider's reference.
    external_id: Option<String>,
    /// Created at or after this time.
    created_from: Option<Timestamp>,
    /// Created before this time.
    created_to: Option<Timestamp>,
}

/// What an administrator's list accepts.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AdminListQuery {
    status: Option<Status>,
    /// Filter by whether it was approved: `false` with status `PENDING` lists what awaits a
    /// decision.
    processed: Option<bool>,
    /// Filter by whether the provider contradicted the final status, or another order.
    contradicted: Option<bool>,
    /// Filter by account.
    user_id: Option<MerchantId>,
}

/// The validated filter of a merchant's withdrawals.
#[derive(Debug, Clone)]
pub struct Filter {
    pub page: Page,
    pub status: Option<Status>,
    pub external_id: Option<String>,
    pub created: TimeRange,
}

/// The validated filter of all merchants' withdrawals.
#[derive(Debug, Clone)]
pub struct AdminFilter {
    pub page: Page,
    pub status: Option<Status>,
    pub processed: Option<bool>,
    pub contradicted: Option<bool>,
    pub merchant: Option<MerchantId>,
}

/// What the withdrawals of a list sum to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListSum {
    /// What they took from the balance, fees included.
    pub amount: Cents,
    /// What banks sent back of them after they were paid.
    pub returned: Cents,
}

impl ListQuery {
    /// The withdrawals of a status, or all of them.
    pub fn of_status(status: Option<Status>) -> Self {
        Self { status, ..Self::default() }
    }

    /// Validates the query.
    pub fn read(self, page: &PageQuery) -> Result<Filter> {
        Ok(Filter {
            page: page.read()?,
            status: self.status,
            external_id: self.external_id,
            created: TimeRange::new(self.created_from, self.created_to),
        })
    }
}

impl AdminListQuery {
    /// Validates the query.
    pub fn read(self, page: &PageQuery) -> Result<AdminFilter> {
        Ok(AdminFilter {
            page: page.read()?,
            status: self.status,
            processed: self.processed,
            contradicted: self.contradicted,
            merchant: self.user_id,
        })
    }
}

/// Lists a merchant's withdrawals, newest first.
pub async fn list(tx: &Tx, scope: Scope, filter: &Filter) -> Result<Listed<Withdrawal>> {
    let rows = store::list(tx, scope, filter).await?;
    let total = store::count(tx, scope, filter).await?;
    Ok(filter.page.listed(rows, total, |withdrawal| withdrawal.id.0))
}

/// A page of the list, whose matches are not counted.
pub async fn page(tx: &Tx, scope: Scope, filter: &Filter) -> Result<Listed<Withdrawal>> {
    let rows = store::list(tx, scope, filter).await?;
    Ok(filter.page.uncounted(rows, |withdrawal| withdrawal.id.0))
}

/// Sums the list of a status, all of its pages.
pub async fn sum(tx: &Tx, scope: Scope, status: Status) -> Result<ListSum> {
    store::sum(tx, scope, status).await
}

/// The withdrawals that were requested next to one, itself included, or the last ones.
pub async fn near(tx: &Tx, scope: Scope, id: Option<WithdrawalId>) -> Result<Vec<WithdrawalId>> {
    let last = id.unwrap_or(WithdrawalId(Uuid::max()));
    let mut near = store::up_to(tx, scope, last, NEAR).await?;
    if let Some(id) = id {
        near.extend(store::after(tx, scope, id, NEAR).await?);
    }
    Ok(near)
}

/// Lists all merchants' withdrawals that wait for an administrator's decision, oldest first.
pub async fn waiting(tx: &Tx, mode: Mode, page: Page) -> Result<Listed<Withdrawal>> {
    let rows = store::list_waiting(tx, mode, page).await?;
    let total = store::count_waiting(tx, mode).await?;
    Ok(page.listed(rows, total, |withdrawal| withdrawal.id.0))
}

/// How many withdrawals wait for an administrator's decision; at most 1,001 are counted.
pub async fn count_waiting(tx: &Tx, mode: Mode) -> Result<i64> {
    store::count_waiting(tx, mode).await
}

/// Lists all merchants' withdrawals, newest first, for an administrator.
pub async fn of_all_accounts(
    tx: &Tx,
    mode: Mode,
    filter: &AdminFilter,
) -> Result<Listed<Withdrawal>> {
    let rows = store::list_all_accounts(tx, mode, filter).await?;
    let total = store::count_all_accounts(tx, mode, filter).await?;
    Ok(filter.page.listed(rows, total, |withdrawal| withdrawal.id.0))
}
