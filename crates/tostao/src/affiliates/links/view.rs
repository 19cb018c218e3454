//! A link as its affiliate sees it, and as the programme's owner does.

use db::time::Timestamp;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::Serialize;

use crate::affiliates::links::{Membership, Stats};
use crate::affiliates::programs::view::ProgramProduct;
use crate::affiliates::terms::CommissionType;
use crate::ids::{AffiliateLinkId, AffiliateProgramId};
use crate::masked;

/// A link.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkView {
    id: AffiliateLinkId,
    program_id: AffiliateProgramId,
    /// What the buyer's address or a checkout's `affiliateCode` holds.
    code: String,
    /// Where to send buyers; null while the product is sold nowhere.
    url: Option<String>,
    is_active: bool,
    /// A visitor counts once an hour.
    clicks: i64,
    /// Sales that were paid.
    conversions: i64,
    /// What was released, less what was taken back since.
    total_earned_cents: Cents,
    /// What is held until its day.
    pending_cents: Cents,
    program: LinkProgram,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// What a link is for.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkProgram {
    id: AffiliateProgramId,
    commission_type: CommissionType,
    /// Hundredths of a percent, or cents for each piece.
    commission_value: i64,
    /// Null once it was deleted.
    product: Option<ProgramProduct>,
}

/// A link as the programme's owner sees it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EnrolledView {
    #[serde(flatten)]
    link: LinkView,
    affiliate: EnrolledAffiliate,
}

/// Who has joined.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EnrolledAffiliate {
    name: String,
    /// With most of it masked.
    email: String,
}

/// How an affiliate does with all his links.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatsView {
    total_links: i64,
    active_links: i64,
    /// A visitor counts once an hour for each link.
    total_clicks: i64,
    /// Sales that were paid.
    total_conversions: i64,
    /// What was released, less what was taken back since.
    total_earned_cents: Cents,
    /// What is held until its day.
    pending_cents: Cents,
}

impl From<Membership> for LinkView {
    fn from(membership: Membership) -> Self {
        let Membership { link, program, product, url, .. } = membership;
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

impl From<Membership> for EnrolledView {
    fn from(membership: Membership) -> Self {
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
