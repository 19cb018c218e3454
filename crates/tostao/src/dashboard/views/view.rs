//! What the page about the views of a list shows.

use askama::Template;

use crate::dashboard::api_call::ApiCall;
use crate::dashboard::form::{Field, WrongField};
use crate::dashboard::shell::Shell;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// The views of a list, and the form that saves the filter with which the page was opened.
#[derive(Template)]
#[template(path = "dashboard/views.html")]
pub struct ViewsPage {
    pub lang: Lang,
    pub shell: Shell,
    pub heading: String,
    /// The list, its address and its name in the API.
    pub list: (String, &'static str),
    pub list_name: &'static str,
    /// This page, where views are saved.
    pub here: String,
    pub form: Option<SaveFields>,
    pub refused: Option<&'static str>,
    pub wrong: Vec<WrongField>,
    pub rows: Vec<ViewRow>,
    pub attempt: String,
    pub api: Vec<ApiCall>,
}

/// The form that saves a filter.
pub struct SaveFields {
    pub name: Field,
    pub name_hint: String,
    pub query: String,
    pub query_error: Option<String>,
    /// What the filter says, and the list that it gives.
    pub filter: (String, String),
}

/// A saved view.
pub struct ViewRow {
    pub id: String,
    pub name: String,
    pub filter: String,
    pub url: String,
}
