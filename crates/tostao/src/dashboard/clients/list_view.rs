//! What the list shows.

use askama::Template;

use crate::dashboard::api_call::ApiCall;
use crate::dashboard::listing::{Found, SearchFields};
use crate::dashboard::parts::Exports;
use crate::dashboard::shell::Shell;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// The list of clients.
#[derive(Template)]
#[template(path = "dashboard/clients/list.html")]
pub struct ListPage {
    pub lang: Lang,
    pub shell: Shell,
    pub list_url: String,
    pub fields: SearchFields,
    pub exports: Exports,
    pub found: Found<Row>,
    pub api: Vec<ApiCall>,
}

/// A client in the list.
pub struct Row {
    pub name: String,
    pub email: String,
    /// Without its middle digits.
    pub document: Option<String>,
    pub since: String,
    pub url: String,
}
