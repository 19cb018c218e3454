//! Lists that the API pages by number: their address, and where they go on.

use serde::Deserialize;

use crate::dashboard::listing::{Found, chosen, joined};
use crate::dashboard::parts::{NothingYet, Pager};
use crate::platform::error::Result;
use crate::platform::http::page::Listed;

/// How many rows a page has.
pub const ROWS: i64 = 50;

/// The state and the page that are wanted; a form sends a state that is empty, too.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct NumberedForm {
    pub status: String,
    page: Option<i64>,
}

impl NumberedForm {
    /// The number of the page, from 1.
    pub fn page(&self) -> i64 {
        self.page.unwrap_or(1)
    }

    /// The chosen state.
    pub fn status<S>(&self, parse: impl FnOnce(&str) -> Option<S>) -> Result<Option<S>> {
        chosen(&self.status, parse)
    }

    /// The same page of a list that has no states, whatever the address says.
    #[must_use]
    pub fn unfiltered(self) -> Self {
        Self { status: String::new(), ..self }
    }

    /// The same list in the API.
    pub fn api_path(&self, api: &str) -> String {
        let numbers = [("limit", ROWS.to_string()), ("page", self.page().to_string())];
        let status = [("status", self.status.clone())];
        let given = status.into_iter().filter(|(_, value)| !value.is_empty());
        joined(api, given.chain(numbers))
    }

    /// The address of a list with a state.
    pub fn with_status(list: &str, status: &str) -> String {
        joined(list, [("status", status.to_owned())].into_iter())
    }

    /// Shows the rows of a page, or why there are none.
    pub fn found<T, R>(
        &self,
        listed: &Listed<T>,
        here: &str,
        row: impl Fn(&T) -> R,
        empty: (&str, NothingYet),
    ) -> Found<R> {
        if listed.rows.is_empty() && self.page() == 1 {
            let is_set = !self.status.is_empty();
            return Found::none(is_set.then(|| here.to_owned()), empty);
        }
        let pager = Pager {
            first_url: (self.page() > 1).then(|| self.at(here, 1)),
            next_url: listed.next.map(|_| self.at(here, self.page().saturating_add(1))),
        };
        Found::Rows { rows: listed.rows.iter().map(row).collect(), pager }
    }

    fn at(&self, here: &str, page: i64) -> String {
        let page = if page > 1 { page.to_string() } else { String::new() };
        let fields = [("status", self.status.clone()), ("page", page)];
        joined(here, fields.into_iter().filter(|(_, value)| !value.is_empty()))
    }
}

#[cfg(test)]
mod tests {
    use super::NumberedForm;

    #[test]
    fn a_page_is_the_same_on_the_page_and_in_the_api() {
        let form = NumberedForm { status: "PENDING".to_owned(), page: Some(2) };
        assert_eq!(form.at("/list", 3), "/list?status=PENDING&page=3");
        assert_eq!(form.at("/list?referralId=1", 1), "/list?referralId=1&status=PENDING");
        assert_eq!(form.api_path("/api/list"), "/api/list?status=PENDING&limit=50&page=2");
    }
}
