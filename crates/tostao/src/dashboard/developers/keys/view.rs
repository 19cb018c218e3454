//! What the pages of API keys show.

use askama::Template;

use crate::dashboard::api_call::ApiCall;
use crate::dashboard::developers::keys::form::KeyFields;
use crate::dashboard::form_frame::FormFrame;
use crate::dashboard::parts::{Action, NothingYet, State};
use crate::dashboard::shell::Shell;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// The list of keys.
#[derive(Template)]
#[template(path = "dashboard/developers/keys/list.html")]
pub struct ListPage {
    pub lang: Lang,
    pub shell: Shell,
    pub new: Action,
    pub rows: Vec<Row>,
    pub nothing: NothingYet,
    pub api: Vec<ApiCall>,
}

/// A key in the list.
pub struct Row {
    pub name: String,
    pub state: State,
    pub why: String,
    /// What is left of the key: how it begins and how it ends.
    pub ends: String,
    pub facts: Vec<(&'static str, String)>,
    /// What was asked with it; `None` if the reader may not see it.
    pub requests_url: Option<String>,
    /// Each with an id for its reason.
    pub rotate: (String, Action),
    pub revoke: (String, Action),
}

/// The form of a new key.
#[derive(Template)]
#[template(path = "dashboard/developers/keys/form.html")]
pub struct FormPage {
    pub lang: Lang,
    pub shell: Shell,
    pub frame: FormFrame,
    pub fields: KeyFields,
}
