//! What the search shows.

use askama::Template;

use crate::dashboard::api_call::ApiCall;
use crate::dashboard::parts::State;
use crate::dashboard::shell::Shell;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// The search, and what was found.
#[derive(Template)]
#[template(path = "dashboard/search.html")]
pub struct SearchPage {
    pub lang: Lang,
    pub shell: Shell,
    pub search_url: String,
    /// What was searched; never a pasted key.
    pub q: String,
    /// Why nothing was searched.
    pub wrong: Option<String>,
    pub groups: Vec<Group>,
    /// Where was searched.
    pub searched: Option<String>,
    /// The list of payments of any date with the same search, where they were searched.
    pub over_all: Option<String>,
    pub api: Vec<ApiCall>,
}

/// The objects of a kind.
pub struct Group {
    pub name: &'static str,
    pub rows: Vec<Row>,
    /// The list with the same search, where more were found.
    pub all_url: Option<String>,
}

/// An object.
pub struct Row {
    pub name: String,
    pub url: String,
    pub when: Option<String>,
    pub state: Option<State>,
    pub amount: Option<String>,
}
