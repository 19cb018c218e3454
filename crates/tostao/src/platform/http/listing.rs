//! Lists of objects that a merchant creates: filtered by status, creation date and part of a text.

use db::time::Timestamp;
use db::value::{Arg, ToArg};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::platform::error::Result;
use crate::platform::http::page::{Page, PageQuery, TimeRange, search};
use crate::platform::ids::Scope;

/// The status of a kind of object that is listed like this.
pub trait Listable: Copy + ToArg {
    /// What `q` searches, for the API reference.
    const SEARCHED: &'static str;
}

/// What such a list accepts.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListQuery<S: Listable> {
    status: Option<S>,
    /// Created at or after this time.
    created_from: Option<Timestamp>,
    /// Created before this time.
    created_to: Option<Timestamp>,
    #[schemars(length(max = 255), extend("description" = S::SEARCHED))]
    q: Option<String>,
}

/// A validated filter.
#[derive(Debug, Clone)]
pub struct Filter<S> {
    pub page: Page,
    pub status: Option<S>,
    pub created: TimeRange,
    pub pattern: Option<String>,
}

impl<S: Listable> ListQuery<S> {
    /// What the search of a page asks for.
    pub fn new(status: Option<S>, q: Option<String>) -> Self {
        Self { status, created_from: None, created_to: None, q }
    }

    /// Validates the query.
    pub fn read(self, page: &PageQuery) -> Result<Filter<S>> {
        Ok(Filter {
            page: page.read()?,
            status: self.status,
            created: TimeRange::new(self.created_from, self.created_to),
            pattern: search(self.q.as_deref())?,
        })
    }
}

impl<S: Listable> Filter<S> {
    /// The parameters `$1` to `$6` of a statement: scope, status, period and pattern; then `more`.
    pub fn args<'a>(&'a self, scope: &'a Scope, more: &[Arg<'a>]) -> Vec<Arg<'a>> {
        let status = self.status.as_ref().map_or(Arg::Null, ToArg::to_arg);
        let TimeRange { from, to } = &self.created;
        let own =
            [scope.merchant.to_arg(), scope.mode.to_arg(), status, from.to_arg(), to.to_arg()];
        [own.as_slice(), &[self.pattern.to_arg()], more].concat()
    }
}
