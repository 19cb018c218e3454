//! What the list of links shows.

use askama::Template;

use crate::dashboard::api_call::ApiCall;
use crate::dashboard::listing::{Found, SearchFields};
use crate::dashboard::parts::{Action, Exports, State};
use crate::dashboard::shell::Shell;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// The list of links.
#[derive(Template)]
#[template(path = "dashboard/links/list.html")]
pub struct ListPage {
    pub lang: Lang,
    pub shell: Shell,
    pub list_url: String,
    /// A new link.
    pub new: Action,
    pub fields: SearchFields,
    pub exports: Exports,
    pub found: Found<Row>,
    pub api: Vec<ApiCall>,
}

/// A link in the list.
pub struct Row {
    pub title: String,
    pub slug: String,
    pub url: String,
    pub created: String,
    pub state: State,
    pub sold: String,
    /// What a buyer pays now; in words where one of its products is not for sale.
    pub price: String,
}
