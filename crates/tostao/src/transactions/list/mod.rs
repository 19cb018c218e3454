//! Searching and listing payments.

use db::time::Timestamp;
use db::tx::Tx;
use schemars::JsonSchema;
use serde::Deserialize;
use uuid::Uuid;

use crate::platform::count_cache::CountCache;
use crate::platform::error::Result;
use crate::platform::http::page::{Listed, Page, PageQuery, TimeRange, search};
use crate::platform::ids::{ClientId, PaymentLinkId, Scope};
use crate::transactions::status::Status;
use crate::transactions::{Method, Transaction};

mod store;

/// What a list of payments accepts.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ListQuery {
    status: Option<Status>,
    method: Option<Method>,
    customer_id: Option<ClientId>,
    payment_link_id: Option<PaymentLinkId>,
    /// Filter by the merchant's own reference.
    external_id: Option<String>,
    /// Created at or after this time.
    created_from: Option<Timestamp>,
    /// Created before this time.
    created_to: Option<Timestamp>,
    /// The minimum amount in cents.
    amount_from: Option<i64>,
    /// The maximum amount in cents.
    amount_to: Option<i64>,
    /// Search in the buyer's name and email and the merchant's reference.
    #[schemars(length(max = 255))]
    q: Option<String>,
}

/// The validated filter.
#[derive(Debug, Clone)]
pub struct Filter {
    pub page: Page,
    pub status: Option<Status>,
    pub method: Option<Method>,
    pub client: Option<ClientId>,
    pub link: Option<PaymentLinkId>,
    pub external_id: Option<String>,
    pub created: TimeRange,
    pub amount_from: i64,
    pub amount_to: i64,
    pub pattern: Option<String>,
}

/// Counts a scope's open payments, starting at an id.
pub async fn count_open(tx: &Tx, scope: Scope, first: Uuid) -> Result<i64> {
    store::count_open(tx, scope, first).await
}

/// Whether a payment was ever paid.
pub async fn any_paid(tx: &Tx, scope: Scope) -> Result<bool> {
    store::any_paid(tx, scope).await
}

impl ListQuery {
    /// Validates the query.
    pub fn read(self, page: &PageQuery) -> Result<Filter> {
        Ok(Filter {
            page: page.read()?,
            status: self.status,
            method: self.method,
            client: self.customer_id,
            link: self.payment_link_id,
            external_id: self.external_id,
            created: TimeRange::new(self.created_from, self.created_to),
            amount_from: self.amount_from.unwrap_or(i64::MIN),
            amount_to: self.amount_to.unwrap_or(i64::MAX),
            pattern: search(self.q.as_deref())?,
        })
    }
}

impl Filter {
    /// Whether every payment matches.
    fn is_open(&self) -> bool {
        // Every field is listed, so that a new one cannot be forgotten.
        let Self {
            page: _,
            status,
            method,
            client,
            link,
            external_id,
            created,
            amount_from,
            amount_to,
            pattern,
        } = self;
        let any_text = external_id.is_none() && pattern.is_none();
        let any_kind = status.is_none() && method.is_none() && client.is_none() && link.is_none();
        let any_amount = (*amount_from, *amount_to) == (i64::MIN, i64::MAX);
        any_text && any_kind && any_amount && created.is_open()
    }
}

/// Lists payments as the scope's clock shows them, newest first.
pub async fn list(
    tx: &Tx,
    scope: Scope,
    filter: &Filter,
    counts: &CountCache,
) -> Result<Listed<Transaction>> {
    let now = scope.now(tx);
    let rows = store::list(tx, scope, filter).await?;
    let rows = rows.into_iter().map(|transaction| transaction.at(now)).collect();
    let total = if filter.is_open() {
        counts.count(tx, scope, store::count_since).await?
    } else {
        store::count(tx, scope, filter).await?
    };
    Ok(filter.page.listed(rows, total, |transaction: &Transaction| transaction.id.0))
}
