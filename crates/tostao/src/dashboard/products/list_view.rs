//! What the list shows.

use askama::Template;

use crate::dashboard::api_call::ApiCall;
use crate::dashboard::listing::{Found, SearchFields};
use crate::dashboard::parts::{Action, Exports, State};
use crate::dashboard::shell::Shell;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// The list of products.
#[derive(Template)]
#[template(path = "dashboard/products/list.html")]
pub struct ListPage {
    pub lang: Lang,
    pub shell: Shell,
    pub list_url: String,
    pub new: Action,
    pub fields: SearchFields,
    pub exports: Exports,
    pub found: Found<Row>,
    pub api: Vec<ApiCall>,
}

/// A product in the list.
pub struct Row {
    pub name: String,
    /// What is in stock, and how many of that are reserved.
    pub stock: String,
    pub state: State,
    pub price: String,
    pub url: String,
}
