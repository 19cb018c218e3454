//! What the pages of the request log show.

use askama::Template;

use crate::dashboard::api_call::ApiCall;
use crate::dashboard::developers::requests::filter::FilterForm;
use crate::dashboard::form::WrongField;
use crate::dashboard::listing::Found;
use crate::dashboard::parts::{Choice, State};
use crate::dashboard::shell::Shell;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// The request log.
#[derive(Template)]
#[template(path = "dashboard/developers/requests.html")]
pub struct ListPage {
    pub lang: Lang,
    pub shell: Shell,
    pub list_url: String,
    pub form: FilterForm,
    pub statuses: Vec<Choice>,
    pub methods: Vec<Choice>,
    /// The keys to choose from; empty if the reader may not know their names.
    pub keys: Vec<KeyChoice>,
    pub wrong: Vec<WrongField>,
    /// What was refused, by its kind; empty where a filter is set.
    pub groups: Vec<Group>,
    pub found: Found<Row>,
    pub api: Vec<ApiCall>,
}

/// Refusals of one kind.
pub struct Group {
    pub what: String,
    pub why: String,
    pub times: String,
    /// The newest one.
    pub url: String,
}

/// A request in the list.
pub struct Row {
    pub when: String,
    pub what: String,
    pub url: String,
    pub state: State,
    pub status: u16,
    pub why: Option<String>,
    /// The name of the key.
    pub key: Option<String>,
    pub took: String,
}

/// A key to choose the requests of.
pub struct KeyChoice {
    pub id: String,
    pub name: String,
    pub is_chosen: bool,
}

/// A request.
#[derive(Template)]
#[template(path = "dashboard/developers/request.html")]
pub struct RequestPage {
    pub lang: Lang,
    pub shell: Shell,
    pub list_url: String,
    pub heading: String,
    pub state: State,
    pub status: u16,
    /// What it means; `None` if the request was not refused.
    pub why: Option<Refused>,
    /// What is worth a word of an answer that did nothing.
    pub notes: Vec<&'static str>,
    pub facts: Vec<(&'static str, String)>,
    pub sent: Option<String>,
    pub answered: Option<String>,
    pub api: Vec<ApiCall>,
}

/// Why a request was refused.
pub struct Refused {
    pub code: String,
    pub field: Option<String>,
    /// The page about the code.
    pub doc_url: String,
}
