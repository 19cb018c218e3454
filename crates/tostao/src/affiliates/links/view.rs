//! A link as its affiliate sees it, and as the program's owner does.

use db::time::Timestamp;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::Serialize;

use crate::affiliates::links::{LinkWithProgram, Stats};
use crate::affiliates::programs::view::ProgramProduct;
use crate::affiliates::terms::CommissionType;
use crate::platform::ids::{AffiliateLinkId, AffiliateProgramId};
use crate::platform::masked;

/// An affiliate link.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AffiliateLink")]
pub struct LinkView {
    id: AffiliateLinkId,
    program_id: AffiliateProgramId,
    /// The affiliate code, used in the link's URL and as `affiliateCode`.
    code: String,
    /// The URL to promote; null while the product is not for sale.
    url: Option<String>,
    is_active: bool,
    /// The number of clicks; each visitor counts once an hour.
    clicks: i64,
    /// The number of paid sales.
    conversions: i64,
    /// Released commissions, net of clawbacks, in cents.
    total_earned_cents: Cents,
    /// Commissions not yet available, in cents.
    pending_cents: Cents,
    program: LinkProgram,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// The program of an affiliate link.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AffiliateLinkProgram")]
pub struct LinkProgram {
    id: AffiliateProgramId,
    commission_type: CommissionType,
    /// Basis points or cents per item, depending on `commissionType`.
    commission_value: i64,
    /// The product; null once deleted.
    product: Option<ProgramProduct>,
}

/// An affiliate link as the program's owner sees it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ProgramAffiliateLink")]
pub struct ProgramAffiliateLinkView {
    #[serde(flatten)]
    link: LinkView,
    affiliate: EnrolledAffiliate,
}

/// An affiliate in the program.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Affiliate")]
pub struct EnrolledAffiliate {
    name: String,
    /// The masked email.
    email: String,
}

/// The totals of an affiliate's links.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AffiliateStats")]
pub struct StatsView {
    total_links: i64,
    active_links: i64,
    /// The number of clicks; each visitor counts once an hour per link.
    total_clicks: i64,
    /// The number of paid sales.
    total_conversions: i64,
    /// Released commissions, net of clawbacks, in cents.
    total_earned_cents: Cents,
    /// Commissions not yet available, in cents.
    pending_cents: Cents,
}

impl From<LinkWithProgram> for LinkView {
    fn from(membership: LinkWithProgram) -> Self {
        let LinkWithProgram { link, program, product, url, .. } = membership;
        Self {
            id: link.id,
            program_id: program.id,
            code: link.code,
            url,
            is_active: link.active,
            clicks: link.clicks,
            conversions: link.conversions,
            total_earned_cents: link.earned,
            pending_cents: link.pending,
            program: LinkProgram {
                id: program.id,
                commission_type: program.terms.kind,
                commission_value: program.terms.value,
                product: product.map(ProgramProduct::from),
            },
            created_at: link.created_at,
            updated_at: link.updated_at,
        }
    }
}

impl From<LinkWithProgram> for ProgramAffiliateLinkView {
    fn from(membership: LinkWithProgram) -> Self {
        let (name, email) = (membership.name.clone(), masked::email(&membership.email));
        Self { link: membership.into(), affiliate: EnrolledAffiliate { name, email } }
    }
}

impl From<Stats> for StatsView {
    fn from(stats: Stats) -> Self {
        Self {
            total_links: stats.links,
            active_links: stats.active,
            total_clicks: stats.clicks,
            total_conversions: stats.conversions,
            total_earned_cents: stats.earned,
            pending_cents: stats.pending,
        }
    }
}
