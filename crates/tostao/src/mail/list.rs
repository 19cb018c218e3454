//! Filters for the list of mails.

use db::text_enum;
use db::time::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::mail::{Kind, Status};
use crate::platform::error::Result;
use crate::platform::http::page::{Page, PageQuery, TimeRange};

/// What the list of mails accepts.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ListQuery {
    /// Filter by status.
    status: Option<Status>,
    /// Filter by what the mail is about.
    kind: Option<Kind>,
    /// Written at or after this time.
    created_from: Option<Timestamp>,
    /// Written before this time.
    created_to: Option<Timestamp>,
}

/// A validated filter.
#[derive(Debug, Clone)]
pub struct Filter {
    pub page: Page,
    pub status: Option<Status>,
    pub kind: Option<Kind>,
    pub created: TimeRange,
}

text_enum! {
    /// Why a mail has not left.
    pub enum UnsentStatus as "UnsentMailStatus" {
        /// It waits until the SMTP server accepts it.
        Waiting = "WAITING",
        /// It was refused or given up, and its text was erased.
        Failed = "FAILED",
    }
}

/// What the list of mails that have not left accepts.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct UnsentQuery {
    /// Filter by status.
    pub status: Option<UnsentStatus>,
}

/// Which mails that have not left to list.
#[derive(Debug, Clone)]
pub struct UnsentFilter {
    pub page: Page,
    pub status: Option<UnsentStatus>,
}

impl ListQuery {
    /// Validates the query.
    pub fn read(self, page: &PageQuery) -> Result<Filter> {
        let created = TimeRange::new(self.created_from, self.created_to);
        Ok(Filter { page: page.read()?, status: self.status, kind: self.kind, created })
    }
}
