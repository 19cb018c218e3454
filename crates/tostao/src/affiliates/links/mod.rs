//! Links: which affiliates have joined a program, and the code that identifies their buyers.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;
use url::Url;

use crate::affiliates::programs::{self, Program};
use crate::merchants;
use crate::payment_links;
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::page::{Listed, Page};
use crate::platform::ids::{AffiliateLinkId, AffiliateProgramId, MerchantId, ProductId, Scope};
use crate::products::{self, Product};
use crate::store::Sums;

pub mod api;
pub mod code;
mod store;
pub mod view;

/// Two equal codes in a row are beyond all odds; more means a broken source of randomness.
const CODE_TRIES_MAX: u32 = 4;

/// An affiliate in a program.
#[derive(Debug, Clone)]
pub struct AffiliateLink {
    pub id: AffiliateLinkId,
    pub affiliate: MerchantId,
    pub code: String,
    pub active: bool,
    pub clicks: i64,
    /// Paid sales.
    pub conversions: i64,
    /// Pending commission.
    pub pending: Cents,
    /// Released commission, less clawbacks.
    pub earned: Cents,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// A link with its program.
#[derive(Debug, Clone)]
pub struct LinkWithProgram {
    pub link: AffiliateLink,
    pub program: Program,
    /// The scope that owns the program.
    pub owner: Scope,
    /// The affiliate.
    pub name: String,
    pub email: String,
    /// The product; `None` once it was deleted.
    pub product: Option<Product>,
    /// Where the affiliate sends buyers; `None` while the product is sold nowhere.
    pub url: Option<String>,
}

/// An affiliate's statistics over all their links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stats {
    pub links: i64,
    pub active: i64,
    pub clicks: i64,
    pub conversions: i64,
    pub pending: Cents,
    pub earned: Cents,
}

/// Joins a program; the caller is the affiliate.
pub async fn join(
    tx: &Tx,
    scope: Scope,
    checkout_url: &str,
    id: AffiliateProgramId,
) -> Result<LinkWithProgram> {
    let shown = programs::find_open(tx, scope, id).await?;
    if shown.owner == scope.merchant {
        let message = "This program is your own.";
        return Err(Error::refused(ErrorCode::SelfAffiliation, message));
    }
    let owner = merchants::scope(tx, shown.owner, scope.mode).await?;
    let affiliate = merchants::find(tx, scope.merchant).await?;
    for _ in 0..CODE_TRIES_MAX {
        let link = AffiliateLink {
            id: AffiliateLinkId::new(tx),
            affiliate: affiliate.id,
            code: code::make(&affiliate.name, tx.random()),
            active: true,
            clicks: 0,
            conversions: 0,
            pending: Cents::ZERO,
            earned: Cents::ZERO,
            created_at: owner.now(tx),
            updated_at: owner.now(tx),
        };
        if store::insert(tx, owner, id, &link).await? {
            return find(tx, owner, checkout_url, link.id).await;
        }
        if store::has_joined(tx, owner, id, affiliate.id).await? {
            let message = "You have already joined this program.";
            return Err(Error::refused(ErrorCode::AlreadyAffiliated, message));
        }
    }
    Err(Error::Internal(anyhow::anyhow!("no code is free")))
}

/// Finds a link of one of a merchant's own programs.
pub async fn find(
    tx: &Tx,
    scope: Scope,
    checkout_url: &str,
    id: AffiliateLinkId,
) -> Result<LinkWithProgram> {
    let found = store::find(tx, scope, id).await?.ok_or_else(missing)?;
    whole(tx, checkout_url, vec![found]).await?.pop().ok_or_else(missing)
}

/// Finds one of an affiliate's own links.
pub async fn find_own(
    tx: &Tx,
    scope: Scope,
    checkout_url: &str,
    id: AffiliateLinkId,
) -> Result<LinkWithProgram> {
    let found = store::find_own(tx, scope, id).await?.ok_or_else(missing)?;
    whole(tx, checkout_url, vec![found]).await?.pop().ok_or_else(missing)
}

/// Lists an affiliate's own links, newest first.
pub async fn list_own(
    tx: &Tx,
    scope: Scope,
    checkout_url: &str,
    page: &Page,
) -> Result<Listed<LinkWithProgram>> {
    let rows = whole(tx, checkout_url, store::list_own(tx, scope, page).await?).await?;
    let total = store::count_own(tx, scope).await?;
    Ok(page.listed(rows, total, |row| row.link.id.0))
}

/// Lists the affiliates who joined a merchant's program, newest first.
pub async fn list_by_program(
    tx: &Tx,
    scope: Scope,
    checkout_url: &str,
    id: AffiliateProgramId,
    page: &Page,
) -> Result<Listed<LinkWithProgram>> {
    programs::find(tx, scope, id).await?;
    let rows = whole(tx, checkout_url, store::list_by_program(tx, scope, id, page).await?).await?;
    let total = store::count_joined(tx, scope, id).await?;
    Ok(page.listed(rows, total, |row| row.link.id.0))
}

/// Enables or disables a link of one of a merchant's own programs.
pub async fn switch(
    tx: &Tx,
    scope: Scope,
    checkout_url: &str,
    id: AffiliateLinkId,
    active: Option<bool>,
) -> Result<LinkWithProgram> {
    if let Some(active) = active
        && !store::switch(tx, scope, id, active).await?
    {
        return Err(missing());
    }
    find(tx, scope, checkout_url, id).await
}

/// Sums an affiliate's statistics.
pub async fn stats(tx: &Tx, scope: Scope) -> Result<Stats> {
    store::stats(tx, scope).await
}

/// Counts a click.
pub async fn count_click(tx: &Tx, scope: Scope, id: AffiliateLinkId) -> Result<()> {
    store::count_click(tx, scope, id).await
}

/// Counts the effect of a sale or a refund.
pub async fn count(
    tx: &Tx,
    scope: Scope,
    id: AffiliateLinkId,
    conversions: i64,
    pending: Cents,
    earned: Cents,
) -> Result<()> {
    store::count(tx, scope, id, conversions, pending, earned).await
}

/// Sums what is pending for a merchant's affiliates, and for the merchant as an affiliate.
pub async fn sum_pending_commissions(tx: &Tx, scope: Scope) -> Result<Cents> {
    store::sum_pending_commissions(tx, scope).await
}

/// Sums of the links' counters for their affiliates: what is pending, and what was earned.
pub async fn sums(tx: &Tx, of: Option<Scope>) -> Result<Sums<2>> {
    store::sums(tx, of).await
}

/// Adds the product, and where it is sold.
async fn whole(
    tx: &Tx,
    checkout_url: &str,
    mut rows: Vec<LinkWithProgram>,
) -> Result<Vec<LinkWithProgram>> {
    let ids: Vec<ProductId> = rows.iter().map(|row| row.program.product).collect();
    let known = products::find_anywhere(tx, &ids).await?;
    let mut sold_at: BTreeMap<ProductId, Option<String>> = BTreeMap::new();
    for row in &mut rows {
        let product = row.program.product;
        row.product = known.get(&product).cloned();
        if let Entry::Vacant(unknown) = sold_at.entry(product) {
            let link = payment_links::find_slug_by_product(tx, row.owner, product).await?;
            unknown.insert(link.map(|slug| format!("{checkout_url}/pay/{slug}")));
        }
        let page = sold_at.get(&product).and_then(Option::as_ref);
        let page = page.or(row.program.sales_page.as_ref());
        row.url = page.and_then(|page| with_code(page, &row.link.code));
    }
    Ok(rows)
}

fn with_code(page: &str, code: &str) -> Option<String> {
    let mut url = Url::parse(page).ok()?;
    url.query_pairs_mut().append_pair("aff", code);
    Some(url.into())
}

fn missing() -> Error {
    Error::NotFound("Affiliate link")
}
