//! Lists with a search and a state: their address, the same list in the API, and what they show.

use serde::Deserialize;
use url::form_urlencoded::Serializer;

use crate::dashboard::form::{Field, WrongField};
use crate::dashboard::parts::{Choice, Exports, NothingMatches, NothingYet, Pager};
use crate::platform::error::{Error, FieldError, Result};
use crate::platform::http::page::{Listed, Page, PageQuery};
use crate::platform::messages::Lang;

/// How many rows a page has.
const ROWS: i64 = 50;

/// The fields of the search form; a form sends those that are empty, too.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ListForm {
    pub q: String,
    pub status: String,
    pub cursor: String,
    /// Filters that this list has beside these, by their names; a page adds what it has read.
    #[serde(skip)]
    pub more: Vec<(&'static str, String)>,
}

/// The search form as it was sent.
pub struct SearchFields {
    pub q: Field,
    /// The states to choose from; empty where objects have none.
    pub statuses: Vec<Choice>,
    /// The list without a filter, if one is set.
    pub all_url: Option<String>,
    pub wrong: Vec<WrongField>,
}

/// The rows, or why there are none.
pub enum Found<R> {
    Rows {
        rows: Vec<R>,
        pager: Pager,
    },
    NothingYet(NothingYet),
    NothingMatches(NothingMatches),
    /// The filter is wrong.
    Nothing,
}

impl ListForm {
    /// The page that is wanted.
    pub fn page(&self) -> PageQuery {
        PageQuery { limit: Some(ROWS), page: None, cursor: Some(self.cursor.clone()) }
    }

    /// The chosen state.
    pub fn status<S>(&self, parse: impl FnOnce(&str) -> Option<S>) -> Result<Option<S>> {
        if self.status.is_empty() {
            return Ok(None);
        }
        let wrong = || Error::field("status", "INVALID_VALUE", "must be a status of the list");
        parse(&self.status).map(Some).ok_or_else(wrong)
    }

    /// The states to choose from, each by its value and its name.
    pub fn choices<S>(
        &self,
        all: &[S],
        named: impl Fn(&S) -> (&'static str, &'static str),
    ) -> Vec<Choice> {
        let choice = |status: &S| {
            let (value, name) = named(status);
            Choice { value, name, is_chosen: self.status == value }
        };
        all.iter().map(choice).collect()
    }

    /// The text to search for.
    pub fn text(&self) -> Option<String> {
        Some(self.q.trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// The address of a list with this filter.
    pub fn url(&self, list: &str) -> String {
        let fields = [("q", &self.q), ("status", &self.status), ("cursor", &self.cursor)];
        let fields = fields.map(|(name, value)| (name, value.clone()));
        let given = self.more.iter().cloned().chain(fields);
        joined(list, given.filter(|(_, value)| !value.is_empty()))
    }

    /// The same list in the API.
    pub fn api_path(&self, api: &str) -> String {
        let q = self.text().unwrap_or_default();
        let (status, cursor) = (self.status.clone(), self.cursor.clone());
        let limit = ROWS.to_string();
        let fields = [("q", q), ("status", status), ("limit", limit), ("cursor", cursor)];
        let given = self.more.iter().cloned().chain(fields);
        joined(api, given.filter(|(_, value)| !value.is_empty()))
    }

    /// The whole list with this filter as a file, by the list's address.
    pub fn exports(&self, list: &str) -> Exports {
        Exports::of(&self.at_cursor("").url(&format!("{list}/export")))
    }

    /// The fields as they were sent, with what is wrong with them.
    pub fn fields(
        &self,
        statuses: Vec<Choice>,
        wrong: &[FieldError],
        here: &str,
        lang: Lang,
    ) -> SearchFields {
        let q = Field::judged("q", &self.q, wrong, lang);
        let status = Field::judged("status", &self.status, wrong, lang);
        let wrong =
            [q.wrong("q", lang.payments_search()), status.wrong("status", lang.payments_state())];
        SearchFields {
            q,
            statuses,
            all_url: self.is_set().then(|| here.to_owned()),
            wrong: wrong.into_iter().flatten().collect(),
        }
    }

    /// The same page of a list that has no filter, whatever the address says.
    #[must_use]
    pub fn unfiltered(self) -> Self {
        Self { cursor: self.cursor, ..Self::default() }
    }

    /// Where the list goes on.
    pub fn pager<T>(&self, listed: &Listed<T>, page: Page, here: &str) -> Pager {
        let next = page.pagination(listed).next_cursor;
        Pager {
            first_url: (!self.cursor.is_empty()).then(|| self.at_cursor("").url(here)),
            next_url: next.map(|cursor| self.at_cursor(&cursor).url(here)),
        }
    }

    /// Shows the rows of a page, or why there are none.
    pub fn found<T, R>(
        &self,
        listed: &Listed<T>,
        page: Page,
        here: &str,
        row: impl Fn(&T) -> R,
        (none_match, nothing_yet): (&str, NothingYet),
    ) -> Found<R> {
        if listed.rows.is_empty() && self.cursor.is_empty() {
            if !self.is_set() {
                return Found::NothingYet(nothing_yet);
            }
            let heading = none_match.to_owned();
            return Found::NothingMatches(NothingMatches { heading, all_url: here.to_owned() });
        }
        let pager = self.pager(listed, page, here);
        Found::Rows { rows: listed.rows.iter().map(row).collect(), pager }
    }

    /// Whether it leaves anything out.
    pub fn is_set(&self) -> bool {
        let has_more = self.more.iter().any(|(_, value)| !value.is_empty());
        !self.q.is_empty() || !self.status.is_empty() || has_more
    }

    fn at_cursor(&self, cursor: &str) -> Self {
        Self { cursor: cursor.to_owned(), ..self.clone() }
    }
}

impl<R> Found<R> {
    /// What a read list shows, or what is wrong with its filter.
    pub fn or_wrong(read: Result<Self>) -> Result<(Self, Vec<FieldError>)> {
        match read {
            Ok(found) => Ok((found, Vec::new())),
            Err(Error::Invalid(wrong)) => Ok((Self::Nothing, wrong)),
            Err(error) => Err(error),
        }
    }
}

/// A path with a query, after the one that it has already.
pub fn joined(path: &str, fields: impl Iterator<Item = (&'static str, String)>) -> String {
    let mut query = Serializer::new(String::new());
    query.extend_pairs(fields);
    let query = query.finish();
    let sign = if path.contains('?') { '&' } else { '?' };
    if query.is_empty() { path.to_owned() } else { format!("{path}{sign}{query}") }
}

#[cfg(test)]
mod tests {
    use super::ListForm;

    #[test]
    fn a_list_is_the_same_in_the_address_of_the_page_and_of_the_api() {
        let mut form = ListForm { q: "café".to_owned(), ..ListForm::default() };
        assert_eq!(form.url("/list"), "/list?q=caf%C3%A9");
        assert_eq!(form.api_path("/api/list"), "/api/list?q=caf%C3%A9&limit=50");
        form.more = vec![("planId", "1".to_owned()), ("paying", String::new())];
        assert_eq!(form.url("/list"), "/list?planId=1&q=caf%C3%A9");
        assert_eq!(form.api_path("/api/list"), "/api/list?planId=1&q=caf%C3%A9&limit=50");
        assert_eq!(ListForm::default().url("/list"), "/list");
        assert_eq!(form.url("/list?linkId=1"), "/list?linkId=1&planId=1&q=caf%C3%A9");
    }
}
