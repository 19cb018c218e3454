//! The filters of the request log, as its address has them.

use serde::Deserialize;

use crate::dashboard::listing::joined;
use crate::dashboard::parts::{Choice, Text};
use crate::platform::error::{Error, Result};
use crate::platform::http::page::PageQuery;
use crate::platform::ids::CredentialId;
use crate::platform::messages::Lang;
use crate::requests::list::{Filter, FilterQuery};

/// The path of the list in the API.
const API: &str = "/api/requests";
/// How many rows a page has.
const ROWS: i64 = 50;
/// The values of the filter by status, as the API takes them.
const STATUSES: [(&str, Text); 3] = [
    ("2xx", Lang::requests_good),
    ("4xx,5xx", Lang::requests_refused),
    ("5xx", Lang::requests_faults),
];
const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/// What a value of the filter by status is called.
pub fn status_name(value: &str, lang: Lang) -> Option<&'static str> {
    let known = STATUSES.iter().find(|(status, _)| *status == value);
    known.map(|(_, name)| name(lang))
}

/// The fields of the filter form, by the names of the API; a form sends those that are empty, too.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct FilterForm {
    pub status: String,
    pub method: String,
    pub route: String,
    pub code: String,
    pub idempotency_key: String,
    /// The id of an API key.
    pub credential_id: String,
    pub cursor: String,
}

impl FilterForm {
    /// The requests with one key.
    pub fn of_key(key: CredentialId) -> Self {
        Self { credential_id: key.to_string(), ..Self::default() }
    }

    /// The requests that were refused.
    pub fn of_refused() -> Self {
        Self { status: STATUSES[1].0.to_owned(), ..Self::default() }
    }

    /// The API's filter.
    pub fn read(&self) -> Result<Filter> {
        let given = |text: &String| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let query = FilterQuery {
            status: given(&self.status),
            method: given(&self.method),
            route: given(&self.route),
            code: given(&self.code),
            idempotency_key: given(&self.idempotency_key),
            credential_id: given(&self.credential_id).map(|id| key(&id)).transpose()?,
            ..FilterQuery::default()
        };
        query.read()
    }

    /// The page that is wanted.
    pub fn page(&self) -> PageQuery {
        PageQuery { limit: Some(ROWS), page: None, cursor: Some(self.cursor.clone()) }
    }

    /// Whether it leaves anything out.
    pub fn is_set(&self) -> bool {
        let Self { status, method, route, code, idempotency_key, credential_id, cursor: _ } = self;
        [status, method, route, code, idempotency_key, credential_id]
            .iter()
            .any(|it| !it.is_empty())
    }

    /// The same filter from a place in the list on.
    #[must_use]
    pub fn from_cursor(&self, cursor: &str) -> Self {
        Self { cursor: cursor.to_owned(), ..self.clone() }
    }

    /// The address of a list with this filter.
    pub fn url(&self, list: &str) -> String {
        joined(list, self.given())
    }

    /// The same list in the API.
    pub fn api_path(&self) -> String {
        joined(API, self.given().chain([("limit", ROWS.to_string())]))
    }

    /// The statuses to choose from.
    pub fn statuses(&self, lang: Lang) -> Vec<Choice> {
        let choice = |(value, name): (&'static str, Text)| Choice {
            value,
            name: name(lang),
            is_chosen: self.status == value,
        };
        STATUSES.map(choice).into()
    }

    /// The methods to choose from.
    pub fn methods(&self) -> Vec<Choice> {
        let choice =
            |name: &'static str| Choice { value: name, name, is_chosen: self.method == name };
        METHODS.map(choice).into()
    }

    fn given(&self) -> impl Iterator<Item = (&'static str, String)> {
        let fields = [
            ("status", &self.status),
            ("method", &self.method),
            ("route", &self.route),
            ("code", &self.code),
            ("idempotencyKey", &self.idempotency_key),
            ("credentialId", &self.credential_id),
            ("cursor", &self.cursor),
        ];
        let given = fields.into_iter().filter(|(_, value)| !value.is_empty());
        given.map(|(name, value)| (name, value.clone()))
    }
}

fn key(id: &str) -> Result<CredentialId> {
    let wrong = |_| Error::field("credentialId", "INVALID_UUID", "must be the id of an API key");
    id.parse().map_err(wrong)
}

#[cfg(test)]
mod tests {
    use super::FilterForm;

    #[test]
    fn a_filter_is_the_same_in_the_address_of_the_page_and_of_the_api() {
        let form = FilterForm {
            status: "4xx,5xx".to_owned(),
            route: "/api/v1/*".to_owned(),
            ..FilterForm::default()
        };
        let query = "status=4xx%2C5xx&route=%2Fapi%2Fv1%2F*";
        assert_eq!(form.url("/list"), format!("/list?{query}"));
        assert_eq!(form.api_path(), format!("/api/requests?{query}&limit=50"));
        assert!(form.read().is_ok());
        let wrong = FilterForm { status: "9xx".to_owned(), ..FilterForm::default() };
        assert!(wrong.read().is_err());
    }
}
