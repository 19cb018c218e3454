//! Searching and listing payments.
//!
//! A search without a period reads the payments of the last 30 days, because the text of a payment
//! has no index; the identifiers of a payment have one, and are found however old it is.

use std::time::Duration;

use db::time::Timestamp;
use db::tx::Tx;
use schemars::JsonSchema;
use serde::Deserialize;
use uuid::Uuid;

use crate::platform::count_cache::CountCache;
use crate::platform::error::Result;
use crate::platform::http::page::{Listed, Page, PageQuery, TimeRange};
use crate::platform::ids::{ClientId, PaymentLinkId, Scope, SubscriptionId};
use crate::transactions::list::needle::Needle;
use crate::transactions::status::Status;
use crate::transactions::{Method, Transaction};

mod needle;
mod store;

/// How far back a search reads that names no period.
pub const SEARCHED: Duration = Duration::from_secs(30 * 24 * 3600);
/// Up to how many matches a page of the dashboard counts.
pub const COUNTED_MAX: i64 = 1_001;
/// The id of a row is made within this time of its `created_at`.
const ID_SLACK: Duration = Duration::from_secs(24 * 3600);

/// What a list of payments accepts.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ListQuery {
    pub status: Option<Status>,
    pub method: Option<Method>,
    pub customer_id: Option<ClientId>,
    pub payment_link_id: Option<PaymentLinkId>,
    /// Filter by the merchant's own reference.
    pub external_id: Option<String>,
    /// Created at or after this time.
    pub created_from: Option<Timestamp>,
    /// Created before this time.
    pub created_to: Option<Timestamp>,
    /// The minimum amount in cents.
    pub amount_from: Option<i64>,
    /// The maximum amount in cents.
    pub amount_to: Option<i64>,
    /// Whether it was ever paid; a refund or a dispute does not change that.
    pub paid: Option<bool>,
    /// Search in the buyer's name and email and the merchant's reference, and for the exact amount
    /// (`49,90`), ID, `txid` or `endToEndId`.
    #[schemars(length(max = 255))]
    pub q: Option<String>,
    /// Whether `q` searches all payments. With false it searches those of the last 30 days, unless
    /// there is a period; an exact reference or identifier is found anyway. Defaults to true.
    pub search_all: Option<bool>,
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
    pub paid: Option<bool>,
    pub needle: Option<Needle>,
    /// Whether the search reads as far back as the other filters let it.
    pub search_all: bool,
    /// Up to how many matches are counted.
    pub counted_max: i64,
}

/// How many payments were issued, and how many of them were ever paid.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Issued {
    pub issued: i64,
    pub paid: i64,
}

/// The ids that payments created within a filter's period can have; smaller than `below`.
#[derive(Debug, Clone, Copy)]
struct IdRange {
    from: Uuid,
    below: Uuid,
}

/// Counts a scope's open payments, starting at an id.
pub async fn count_open(tx: &Tx, scope: Scope, first: Uuid) -> Result<i64> {
    store::count_open(tx, scope, first).await
}

/// Whether a payment was ever paid.
pub async fn any_paid(tx: &Tx, scope: Scope) -> Result<bool> {
    store::any_paid(tx, scope).await
}

/// Counts the payments created in a period by their method.
pub async fn issued(tx: &Tx, scope: Scope, created: TimeRange) -> Result<Vec<(Method, Issued)>> {
    store::issued(tx, scope, created, ids(tx, scope, created)).await
}

/// When the first payment was created.
pub async fn oldest(tx: &Tx, scope: Scope) -> Result<Option<Timestamp>> {
    store::oldest(tx, scope).await
}

impl ListQuery {
    /// A search of the last 30 days, unless the text is an identifier.
    pub fn recent() -> Self {
        Self { search_all: Some(false), ..Self::default() }
    }

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
            paid: self.paid,
            needle: Needle::read(self.q.as_deref())?,
            search_all: self.search_all.unwrap_or(true),
            counted_max: i64::MAX,
        })
    }
}

impl Filter {
    /// The same without a count of what matches.
    #[must_use]
    pub fn uncounted(self) -> Self {
        Self { counted_max: 0, ..self }
    }

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
            paid,
            needle,
            search_all: _,
            counted_max: _,
        } = self;
        let any_text = external_id.is_none() && needle.is_none() && paid.is_none();
        let any_kind = status.is_none() && method.is_none() && client.is_none() && link.is_none();
        let any_amount = (*amount_from, *amount_to) == (i64::MIN, i64::MAX);
        any_text && any_kind && any_amount && created.is_open()
    }

    /// From when on payments are searched by their text.
    fn searched_from(&self, now: Timestamp) -> Timestamp {
        if self.search_all || !self.created.is_open() {
            return self.created.from;
        }
        now.minus(SEARCHED)
    }
}

/// The ids of payments created in a period, so that others are not read.
fn ids(tx: &Tx, scope: Scope, created: TimeRange) -> IdRange {
    let unlimited = TimeRange::new(None, None);
    // The clock of development data was ahead by other times before.
    let is_exact = created.from > unlimited.from && !scope.mode.is_development();
    let from = if is_exact { tx.first_id(created.from.minus(ID_SLACK)) } else { Uuid::nil() };
    let below = match created.to {
        to if to < unlimited.to => tx.first_id(to.plus(ID_SLACK)),
        _ => Uuid::max(),
    };
    IdRange { from, below }
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

/// Lists the payments of a subscription as the scope's clock shows them, newest first.
pub async fn of_subscription(
    tx: &Tx,
    scope: Scope,
    id: SubscriptionId,
    page: Page,
) -> Result<Listed<Transaction>> {
    let now = scope.now(tx);
    let rows = store::of_subscription(tx, scope, id, page).await?;
    let rows = rows.into_iter().map(|transaction| transaction.at(now)).collect();
    let total = store::count_of_subscription(tx, scope, id).await?;
    Ok(page.listed(rows, total, |transaction: &Transaction| transaction.id.0))
}
