//! The filters of the history, as its address has them.

use db::time::Timestamp;
use serde::Deserialize;
use uuid::Uuid;

use crate::audit::Action;
use crate::audit::list::{Filter, ListQuery};
use crate::dashboard::form::day;
use crate::dashboard::listing::joined;
use crate::figures::period::{after, start};
use crate::platform::error::{Error, FieldError, Result};
use crate::platform::http::page::PageQuery;

/// The path of the list in the API.
const API: &str = "/api/audit";
/// How many rows a page has.
const ROWS: i64 = 50;

/// The fields of the filter form; a form sends those that are empty, too.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct FilterForm {
    pub actor_id: String,
    pub action: String,
    /// The first and the last day.
    pub from: String,
    pub to: String,
    pub cursor: String,
}

impl FilterForm {
    /// The API's filter.
    pub fn read(&self) -> Result<Filter> {
        self.query()?.read(&self.page())
    }

    /// Whether it leaves anything out.
    pub fn is_set(&self) -> bool {
        let Self { actor_id, action, from, to, .. } = self;
        [actor_id, action, from, to].iter().any(|it| !it.is_empty())
    }

    /// The same filter from a place in the list on.
    #[must_use]
    pub fn at_cursor(&self, cursor: &str) -> Self {
        Self { cursor: cursor.to_owned(), ..self.clone() }
    }

    /// The address of a list with this filter.
    pub fn url(&self, list: &str) -> String {
        let fields = [
            ("actorId", &self.actor_id),
            ("action", &self.action),
            ("from", &self.from),
            ("to", &self.to),
            ("cursor", &self.cursor),
        ];
        let given = fields.into_iter().filter(|(_, value)| !value.is_empty());
        joined(list, given.map(|(name, value)| (name, value.clone())))
    }

    /// The same list in the API.
    pub fn api_path(&self) -> String {
        let query = self.query().unwrap_or_default();
        let instant = |at: Option<Timestamp>| at.map(|at| at.to_string());
        let fields = [
            ("actorId", Some(self.actor_id.clone())),
            ("action", Some(self.action.clone())),
            ("createdFrom", instant(query.created_from)),
            ("createdTo", instant(query.created_to)),
            ("limit", Some(ROWS.to_string())),
            ("cursor", Some(self.cursor.clone())),
        ];
        let given = fields.into_iter().filter_map(|(name, value)| Some((name, value?)));
        joined(API, given.filter(|(_, value)| !value.is_empty()))
    }

    fn page(&self) -> PageQuery {
        PageQuery { limit: Some(ROWS), page: None, cursor: Some(self.cursor.clone()) }
    }

    fn query(&self) -> Result<ListQuery> {
        let mut wrong = Vec::new();
        let mut note = |field: &str, code| {
            wrong.push(FieldError { field: field.to_owned(), code, message: String::new() });
        };
        let mut query = ListQuery::default();
        match day(&self.from) {
            Ok(from) => query.created_from = from.map(start),
            Err(_) => note("from", "INVALID_DATE"),
        }
        match day(&self.to) {
            Ok(to) => query.created_to = to.map(|last| start(after(last))),
            Err(_) => note("to", "INVALID_DATE"),
        }
        if !self.actor_id.is_empty() {
            match self.actor_id.parse::<Uuid>() {
                Ok(actor) => query.actor_id = Some(actor),
                Err(_) => note("actorId", "INVALID_UUID"),
            }
        }
        if !self.action.is_empty() {
            query.action = Action::parse(&self.action);
            if query.action.is_none() {
                note("action", "INVALID_VALUE");
            }
        }
        if wrong.is_empty() { Ok(query) } else { Err(Error::Invalid(wrong)) }
    }
}

#[cfg(test)]
mod tests {
    use super::FilterForm;
    use crate::platform::error::Error;

    #[test]
    fn a_filter_is_the_same_in_the_address_of_the_page_and_of_the_api() {
        let form = FilterForm {
            action: "member.invited".to_owned(),
            from: "2026-11-01".to_owned(),
            to: "2026-11-30".to_owned(),
            ..FilterForm::default()
        };
        assert_eq!(
            form.url("/account/audit"),
            "/account/audit?action=member.invited&from=2026-11-01&to=2026-11-30"
        );
        assert_eq!(
            form.api_path(),
            "/api/audit?action=member.invited&createdFrom=2026-11-01T03%3A00%3A00.000Z\
             &createdTo=2026-12-01T03%3A00%3A00.000Z&limit=50"
        );
        assert!(form.read().is_ok());
    }

    #[test]
    fn every_wrong_field_is_named() {
        let bad = || "x".to_owned();
        let form =
            FilterForm { actor_id: bad(), action: bad(), from: bad(), to: bad(), cursor: bad() };
        let Err(Error::Invalid(wrong)) = form.read() else { panic!("it is wrong") };
        let names: Vec<_> = wrong.iter().map(|wrong| wrong.field.as_str()).collect();
        assert_eq!(names, ["from", "to", "actorId", "action"]);
    }
}
