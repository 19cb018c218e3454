//! Searching and listing rewards.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::platform::error::Result;
use crate::platform::http::page::Page;
use crate::platform::ids::ReferralId;
use crate::referrals::list::numbered;
use crate::referrals::rewards::Status;

/// What the list of rewards accepts.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct RewardsQuery {
    /// The page number, from 1.
    #[schemars(range(min = 1))]
    page: Option<i64>,
    /// The number of objects per page, 1 to 100.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<i64>,
    status: Option<Status>,
    /// Filter by referral.
    referral_id: Option<ReferralId>,
}

/// The validated filter of rewards.
#[derive(Debug, Clone)]
pub struct RewardFilter {
    pub page: Page,
    pub status: Option<Status>,
    pub referral: Option<ReferralId>,
}

impl RewardsQuery {
    /// The query of a page with a state and a referral.
    pub fn new(
        page: i64,
        limit: i64,
        status: Option<Status>,
        referral_id: Option<ReferralId>,
    ) -> Self {
        Self { page: Some(page), limit: Some(limit), status, referral_id }
    }

    /// Validates the query.
    pub fn read(self) -> Result<RewardFilter> {
        let page = numbered(self.page, self.limit)?;
        Ok(RewardFilter { page, status: self.status, referral: self.referral_id })
    }
}
