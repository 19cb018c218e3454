//! A program as its owner and potential affiliates see it.

use db::time::Timestamp;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::Serialize;

use crate::affiliates::programs::{ListedProgram, ProgramStats};
use crate::affiliates::terms::CommissionType;
use crate::platform::ids::{AffiliateLinkId, AffiliateProgramId, ProductId};
use crate::products::Product;

/// An affiliate program.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AffiliateProgram")]
pub struct ProgramView {
    id: AffiliateProgramId,
    product_id: ProductId,
    commission_type: CommissionType,
    /// Basis points or cents per item, depending on `commissionType`.
    commission_value: i64,
    /// The number of days that a click is attributed.
    cookie_days: i64,
    is_active: bool,
    description: Option<String>,
    rules: Option<String>,
    affiliate_page: Option<String>,
    sales_page: Option<String>,
    /// Whether commission is earned on the whole order and on every subscription renewal.
    extended_commission: bool,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// The product; null once deleted.
    product: Option<ProgramProduct>,
    user: ProgramOwner,
    #[serde(rename = "_count")]
    count: ProgramCount,
    /// What came of the program; null in the marketplace.
    stats: Option<ProgramStatsView>,
    /// In the marketplace, the caller's affiliate link; null if they have not joined.
    link_id: Option<AffiliateLinkId>,
}

/// What came of an affiliate program, for its owner.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AffiliateProgramStats")]
pub struct ProgramStatsView {
    /// The number of clicks; each visitor counts once an hour per link.
    clicks: i64,
    /// The number of paid sales.
    conversions: i64,
    /// Commissions not yet available to the affiliates, in cents.
    pending_cents: Cents,
    /// Released commissions, net of clawbacks, in cents.
    total_earned_cents: Cents,
}

/// The product of an affiliate program.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AffiliateProgramProduct")]
pub struct ProgramProduct {
    id: ProductId,
    name: String,
    /// Amount in cents.
    price: Cents,
    image_url: Option<String>,
    description: Option<String>,
}

/// The merchant who runs an affiliate program.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AffiliateProgramOwner")]
pub struct ProgramOwner {
    name: String,
}

/// The counts of an affiliate program.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AffiliateProgramCounts")]
pub struct ProgramCount {
    /// The number of affiliates.
    links: i64,
}

impl From<ListedProgram> for ProgramView {
    fn from(shown: ListedProgram) -> Self {
        let program = shown.program;
        Self {
            id: program.id,
            product_id: program.product,
            commission_type: program.terms.kind,
            commission_value: program.terms.value,
            cookie_days: program.cookie_days,
            is_active: program.active,
            description: program.description,
            rules: program.rules,
            affiliate_page: program.affiliate_page,
            sales_page: program.sales_page,
            extended_commission: program.terms.extended,
            created_at: program.created_at,
            updated_at: program.updated_at,
            product: shown.product.map(ProgramProduct::from),
            user: ProgramOwner { name: shown.owner_name },
            count: ProgramCount { links: shown.links },
            stats: shown.stats.map(ProgramStatsView::from),
            link_id: shown.link,
        }
    }
}

impl From<ProgramStats> for ProgramStatsView {
    fn from(stats: ProgramStats) -> Self {
        Self {
            clicks: stats.clicks,
            conversions: stats.conversions,
            pending_cents: stats.pending,
            total_earned_cents: stats.earned,
        }
    }
}

impl From<Product> for ProgramProduct {
    fn from(product: Product) -> Self {
        Self {
            id: product.id,
            name: product.name,
            price: product.price,
            image_url: product.image_url,
            description: product.description,
        }
    }
}
