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
        chosen(&self.status, parse)
    }

    /// The states to choose from, each by its value and its name.
    pub fn choices<S>(
        &self,
        all: &[S],
        named: impl Fn(&S) -> (&'static str, &'static str),
    ) -> Vec<Choice> {
        choices(&self.status, all, named)
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

    /// The same page of a list that has no filter, whatever the address says, and where it starts.
    pub fn unfiltered(self) -> Result<(Self, Page)> {
        let form = Self { cursor: self.cursor, ..Self::default() };
        let page = form.page().read()?;
        Ok((form, page))
    }

    /// Where the list goes on.
    pub fn pager<T>(&self, listed: &Listed<T>, page: Page, here: &str) -> Pager {
        by_cursor(&self.cursor, listed, page, |cursor| self.at_cursor(cursor).url(here))
    }

    /// Shows the rows of a page, or why there are none.
    pub fn found<T, R>(
        &self,
        listed: &Listed<T>,
        page: Page,
        here: &str,
        row: impl Fn(&T) -> R,
        empty: (&str, NothingYet),
    ) -> Found<R> {
        if listed.rows.is_empty() && self.cursor.is_empty() {
            return Found::none(self.is_set().then(|| here.to_owned()), empty);
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
    /// Why a list without a row has none; `all_url` is the list without its filter, if one is set.
    pub fn none(all_url: Option<String>, (none_match, nothing_yet): (&str, NothingYet)) -> Self {
        match all_url {
            Some(all_url) => {
                Self::NothingMatches(NothingMatches { heading: none_match.to_owned(), all_url })
            }
            None => Self::NothingYet(nothing_yet),
        }
    }

    /// What a read list shows, or what is wrong with its filter.
    pub fn or_wrong(read: Result<Self>) -> Result<(Self, Vec<FieldError>)> {
        match read {
            Ok(found) => Ok((found, Vec::new())),
            Err(Error::Invalid(wrong)) => Ok((Self::Nothing, wrong)),
            Err(error) => Err(error),
        }
    }
}

/// The chosen state of a filter; none if it is empty.
pub fn chosen<S>(status: &str, parse: impl FnOnce(&str) -> Option<S>) -> Result<Option<S>> {
    if status.is_empty() {
        return Ok(None);
    }
    let wrong = || Error::field("status", "INVALID_VALUE", "must be a status of the list");
    parse(status).map(Some).ok_or_else(wrong)
}

/// The states to choose from, each by its value and its name.
pub fn choices<S>(
    chosen: &str,
    all: &[S],
    named: impl Fn(&S) -> (&'static str, &'static str),
) -> Vec<Choice> {
    let choice = |status: &S| {
        let (value, name) = named(status);
        Choice { value, name, is_chosen: chosen == value }
    };
    all.iter().map(choice).collect()
}

/// Where a list goes on that is read from a cursor; `at` is its address from another one on.
pub fn by_cursor<T>(
    cursor: &str,
    listed: &Listed<T>,
    page: Page,
    at: impl Fn(&str) -> String,
) -> Pager {
    let next = page.pagination(listed).next_cursor;
    Pager {
        first_url: (!cursor.is_empty()).then(|| at("")),
        next_url: next.map(|cursor| at(&cursor)),
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
