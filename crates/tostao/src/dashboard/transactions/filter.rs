//! The filters of the list, as its address has them.

use db::time::Timestamp;
use jiff::civil::Date;
use serde::Deserialize;

use crate::dashboard::listing::joined;
use crate::figures::period::{after, start};
use crate::platform::error::{Error, FieldError, Result};
use crate::platform::http::page::PageQuery;
use crate::platform::ids::{ClientId, PaymentLinkId};
use crate::transactions::Method;
use crate::transactions::list::{Filter, ListQuery};
use crate::transactions::status::Status;

/// The path of the list in the API.
pub const API: &str = "/api/v1/transactions";
/// How many rows a page has.
const ROWS: i64 = 50;

/// The fields of the filter form; a form sends those that are empty, too.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct FilterForm {
    pub q: String,
    pub status: String,
    pub method: String,
    /// The first and the last day.
    pub from: String,
    pub to: String,
    pub search_all: String,
    pub customer_id: String,
    pub payment_link_id: String,
    /// Those that were ever paid, if anything is here.
    pub paid: String,
    pub cursor: String,
}

impl FilterForm {
    /// The API's filter, or everything that is wrong with the fields.
    pub fn read(&self) -> Result<Filter> {
        let page = PageQuery { limit: Some(ROWS), page: None, cursor: Some(self.cursor.clone()) };
        self.query()?.read(&page)
    }

    /// Whether it leaves anything out.
    pub fn is_set(&self) -> bool {
        let Self { q, .. } = self;
        !q.is_empty() || self.has_details()
    }

    /// Whether anything but the text is set.
    pub fn has_details(&self) -> bool {
        let Self { status, method, from, to, customer_id, payment_link_id, paid, .. } = self;
        [status, method, from, to, customer_id, payment_link_id, paid]
            .iter()
            .any(|it| !it.is_empty())
    }

    /// Whether the text is searched in the last 30 days alone.
    pub fn is_recent(&self) -> bool {
        let is_open = self.from.is_empty() && self.to.is_empty() && self.search_all.is_empty();
        is_open && !self.q.is_empty()
    }

    /// The same filter over all payments.
    #[must_use]
    pub fn over_all(&self) -> Self {
        Self { search_all: "true".to_owned(), cursor: String::new(), ..self.clone() }
    }

    /// The same filter from a place in the list on.
    #[must_use]
    pub fn from_cursor(&self, cursor: &str) -> Self {
        Self { cursor: cursor.to_owned(), ..self.clone() }
    }

    /// The address of a list with this filter.
    pub fn url(&self, list: &str) -> String {
        let fields = [
            ("q", &self.q),
            ("status", &self.status),
            ("method", &self.method),
            ("from", &self.from),
            ("to", &self.to),
            ("searchAll", &self.search_all),
            ("customerId", &self.customer_id),
            ("paymentLinkId", &self.payment_link_id),
            ("paid", &self.paid),
            ("cursor", &self.cursor),
        ];
        let given = fields.into_iter().filter(|(_, value)| !value.is_empty());
        joined(list, given.map(|(name, value)| (name, value.clone())))
    }

    /// The same list in the API.
    pub fn api_path(&self) -> String {
        let instant = |at: Option<Timestamp>| at.map(|at| at.to_string()).unwrap_or_default();
        let fields = [
            ("q", self.q.clone()),
            ("status", self.status.clone()),
            ("method", self.method.clone()),
            ("createdFrom", instant(day(&self.from).map(start))),
            ("createdTo", instant(day(&self.to).map(|last| start(after(last))))),
            ("searchAll", if self.is_recent() { "false".to_owned() } else { String::new() }),
            ("customerId", self.customer_id.clone()),
            ("paymentLinkId", self.payment_link_id.clone()),
            ("paid", self.paid.clone()),
            ("limit", ROWS.to_string()),
            ("cursor", self.cursor.clone()),
        ];
        joined(API, fields.into_iter().filter(|(_, value)| !value.is_empty()))
    }

    fn query(&self) -> Result<ListQuery> {
        let mut wrong = Vec::new();
        let from = checked(&mut wrong, "from", "INVALID_DATE", &self.from, day);
        let to = checked(&mut wrong, "to", "INVALID_DATE", &self.to, day);
        let (customer, link) = (&self.customer_id, &self.payment_link_id);
        let query = ListQuery {
            status: checked(&mut wrong, "status", "INVALID_VALUE", &self.status, Status::parse),
            method: checked(&mut wrong, "method", "INVALID_VALUE", &self.method, Method::parse),
            customer_id: checked(&mut wrong, "customerId", "INVALID_UUID", customer, |text| {
                text.parse::<ClientId>().ok()
            }),
            payment_link_id: checked(&mut wrong, "paymentLinkId", "INVALID_UUID", link, |text| {
                text.parse::<PaymentLinkId>().ok()
            }),
            paid: checked(&mut wrong, "paid", "INVALID_VALUE", &self.paid, |text| {
                text.parse().ok()
            }),
            created_from: from.map(start),
            created_to: to.map(|last| start(after(last))),
            q: Some(self.q.clone()),
            search_all: Some(!self.search_all.is_empty()),
            ..ListQuery::default()
        };
        if wrong.is_empty() { Ok(query) } else { Err(Error::Invalid(wrong)) }
    }
}

/// Reads a field that may be empty; notes it by its name if it is wrong.
fn checked<T>(
    wrong: &mut Vec<FieldError>,
    name: &'static str,
    code: &'static str,
    text: &str,
    read: impl FnOnce(&str) -> Option<T>,
) -> Option<T> {
    if text.is_empty() {
        return None;
    }
    let value = read(text);
    if value.is_none() {
        wrong.push(FieldError { field: name.to_owned(), code, message: String::new() });
    }
    value
}

fn day(text: &str) -> Option<Date> {
    text.parse().ok().filter(|_| text.len() == 10)
}

#[cfg(test)]
mod tests {
    use super::FilterForm;
    use crate::platform::error::Error;

    #[test]
    fn a_filter_is_the_same_in_the_address_of_the_page_and_of_the_api() {
        let form = FilterForm {
            q: "café & cia".to_owned(),
            status: "PAID".to_owned(),
            from: "2026-11-01".to_owned(),
            to: "2026-11-30".to_owned(),
            ..FilterForm::default()
        };
        assert_eq!(
            form.url("/dashboard/dev/transactions"),
            "/dashboard/dev/transactions?q=caf%C3%A9+%26+cia&status=PAID&from=2026-11-01\
             &to=2026-11-30"
        );
        assert_eq!(
            form.api_path(),
            "/api/v1/transactions?q=caf%C3%A9+%26+cia&status=PAID\
             &createdFrom=2026-11-01T03%3A00%3A00.000Z&createdTo=2026-12-01T03%3A00%3A00.000Z\
             &limit=50"
        );
        assert!(form.read().is_ok());
        assert_eq!(FilterForm::default().url("/list"), "/list");
    }

    #[test]
    fn every_wrong_field_is_named() {
        let bad = || "x".to_owned();
        let form = FilterForm {
            status: bad(),
            method: bad(),
            from: bad(),
            to: bad(),
            customer_id: bad(),
            payment_link_id: bad(),
            ..FilterForm::default()
        };
        let Err(Error::Invalid(wrong)) = form.read() else { panic!("it is wrong") };
        let names: Vec<_> = wrong.iter().map(|wrong| wrong.field.as_str()).collect();
        assert_eq!(names, ["from", "to", "status", "method", "customerId", "paymentLinkId"]);
    }
}
