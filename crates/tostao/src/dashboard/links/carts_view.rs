//! What the list of a link's carts shows.

use askama::Template;

use crate::dashboard::api_call::ApiCall;
use crate::dashboard::listing::{Found, SearchFields};
use crate::dashboard::parts::State;
use crate::dashboard::shell::Shell;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// The carts of a link.
#[derive(Template)]
#[template(path = "dashboard/links/carts.html")]
pub struct CartsPage {
    pub lang: Lang,
    pub shell: Shell,
    pub title: String,
    pub link_url: String,
    pub carts_url: String,
    pub fields: SearchFields,
    /// How many match.
    pub count: String,
    pub found: Found<CartRow>,
    pub api: Vec<ApiCall>,
}

/// A checkout that a buyer began.
pub struct CartRow {
    pub when: String,
    /// The buyer; `None` for a role that may not read customers, and once their data is erased.
    pub who: Option<String>,
    pub state: State,
    /// What the buyer paid after coming back.
    pub payment_url: Option<String>,
}
