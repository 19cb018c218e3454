//! The filters of the list of events, as its address has them.

use db::time::Timestamp;
use serde::Deserialize;
use uuid::Uuid;

use crate::dashboard::developers::events::view::FilterFields;
use crate::dashboard::developers::webhooks::wording;
use crate::dashboard::form::{Field, day, given};
use crate::dashboard::listing::joined;
use crate::dashboard::parts::Choice;
use crate::events::names::Name;
use crate::figures::period::{after, start};
use crate::platform::error::{FieldError, FieldErrors, FieldFault, Result};
use crate::platform::http::page::PageQuery;
use crate::platform::messages::Lang;
use crate::webhooks::deliveries::Status;
use crate::webhooks::history::Filter;
use crate::webhooks::history::api::ListQuery;

/// The path of the list in the API.
pub const API: &str = "/api/webhooks/events";
/// How many rows a page has.
const ROWS: i64 = 50;
const STATUSES: [Status; 3] = [Status::Delivered, Status::Pending, Status::Failed];

/// The fields of the filter form; a form sends those that are empty, too.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct FilterForm {
    pub event: String,
    pub status: String,
    pub object_id: String,
    /// The first and the last day.
    pub from: String,
    pub to: String,
    pub cursor: String,
}

impl FilterForm {
    /// The API's filter, or everything that is wrong with the fields.
    pub fn read(&self) -> Result<Filter> {
        self.query()?.read()
    }

    /// The page that is wanted.
    pub fn page(&self) -> PageQuery {
        PageQuery { limit: Some(ROWS), page: None, cursor: Some(self.cursor.clone()) }
    }

    /// Whether it leaves anything out.
    pub fn is_set(&self) -> bool {
        let Self { event, status, object_id, from, to, cursor: _ } = self;
        [event, status, object_id, from, to].iter().any(|it| !it.is_empty())
    }

    /// The same filter from a place in the list on.
    #[must_use]
    pub fn from_cursor(&self, cursor: &str) -> Self {
        Self { cursor: cursor.to_owned(), ..self.clone() }
    }

    /// The address of a list with this filter.
    pub fn url(&self, list: &str) -> String {
        let fields = [
            ("event", &self.event),
            ("status", &self.status),
            ("objectId", &self.object_id),
            ("from", &self.from),
            ("to", &self.to),
            ("cursor", &self.cursor),
        ];
        let set = fields.into_iter().filter(|(_, value)| !value.is_empty());
        joined(list, set.map(|(name, value)| (name, value.clone())))
    }

    /// The same list in the API.
    pub fn api_path(&self) -> String {
        let ListQuery { from, to, .. } = self.query().unwrap_or_default();
        let instant = |at: Option<Timestamp>| at.map(|at| at.to_string()).unwrap_or_default();
        let fields = [
            ("event", self.event.clone()),
            ("status", self.status.clone()),
            ("objectId", given(&self.object_id).unwrap_or_default()),
            ("from", instant(from)),
            ("to", instant(to)),
            ("limit", ROWS.to_string()),
            ("cursor", self.cursor.clone()),
        ];
        joined(API, fields.into_iter().filter(|(_, value)| !value.is_empty()))
    }

    /// The fields as they were sent, with what is wrong with them.
    pub fn fields(&self, wrong: &[FieldError], here: &str, lang: Lang) -> FilterFields {
        let field = |name, value| Field::judged(name, value, wrong, lang);
        let event = |name: &Name| Choice {
            value: name.text(),
            name: name.text(),
            is_chosen: self.event == name.text(),
        };
        let status = |status: Status| Choice {
            value: status.name(),
            name: wording::delivery_status(status, lang),
            is_chosen: self.status == status.name(),
        };
        let (object_id, from, to) =
            (field("objectId", &self.object_id), field("from", &self.from), field("to", &self.to));
        let summary = [
            field("event", "").wrong("event", lang.event_type()),
            field("status", "").wrong("status", lang.event_delivery()),
            object_id.wrong("objectId", lang.event_object()),
            from.wrong("from", lang.payments_from()),
            to.wrong("to", lang.payments_to()),
        ];
        FilterFields {
            events: Name::ALL.iter().map(event).collect(),
            statuses: STATUSES.map(status).into(),
            object_id,
            from,
            to,
            all_url: self.is_set().then(|| here.to_owned()),
            wrong: summary.into_iter().flatten().collect(),
        }
    }

    fn query(&self) -> Result<ListQuery> {
        let mut wrong = FieldErrors::new();
        let event = wrong.read("event", choice(&self.event, Name::parse));
        let status = wrong.read("status", choice(&self.status, Status::parse));
        let object_id = wrong.read("objectId", object(&self.object_id));
        let (from, to) = (wrong.read("from", day(&self.from)), wrong.read("to", day(&self.to)));
        wrong.finish()?;
        Ok(ListQuery {
            event: event.flatten().map(|name| name.text().to_owned()),
            status: status.flatten(),
            object_id: object_id.flatten(),
            from: from.flatten().map(start),
            to: to.flatten().map(|last| start(after(last))),
            ..ListQuery::default()
        })
    }
}

/// One of some values; `None` if the field is empty.
fn choice<T>(text: &str, parse: impl FnOnce(&str) -> Option<T>) -> Result<Option<T>, FieldFault> {
    if text.is_empty() {
        return Ok(None);
    }
    let wrong = || FieldFault::new("INVALID_VALUE", "must be one of the list");
    parse(text).map(Some).ok_or_else(wrong)
}

fn object(text: &str) -> Result<Option<Uuid>, FieldFault> {
    let Some(text) = given(text) else { return Ok(None) };
    let wrong = |_| FieldFault::new("INVALID_UUID", "must be the id of an object");
    text.parse().map(Some).map_err(wrong)
}

#[cfg(test)]
mod tests {
    use super::FilterForm;
    use crate::platform::error::Error;

    #[test]
    fn a_filter_is_the_same_in_the_address_of_the_page_and_of_the_api() {
        let form = FilterForm {
            event: "transaction.paid".to_owned(),
            status: "FAILED".to_owned(),
            from: "2026-11-01".to_owned(),
            ..FilterForm::default()
        };
        let query = "event=transaction.paid&status=FAILED";
        assert_eq!(form.url("/list"), format!("/list?{query}&from=2026-11-01"));
        let from = "from=2026-11-01T03%3A00%3A00.000Z";
        assert_eq!(form.api_path(), format!("/api/webhooks/events?{query}&{from}&limit=50"));
        assert!(form.read().is_ok());
    }

    #[test]
    fn every_wrong_field_is_named() {
        let bad = || "x".to_owned();
        let form = FilterForm {
            event: bad(),
            status: bad(),
            object_id: bad(),
            from: bad(),
            to: bad(),
            cursor: String::new(),
        };
        let Err(Error::Invalid(wrong)) = form.read() else { panic!("it is wrong") };
        let names: Vec<_> = wrong.iter().map(|wrong| wrong.field.as_str()).collect();
        assert_eq!(names, ["event", "status", "objectId", "from", "to"]);
    }
}
