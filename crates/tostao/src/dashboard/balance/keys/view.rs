//! What the pages of payout keys show.

use askama::Template;

use crate::dashboard::api_call::ApiCall;
use crate::dashboard::balance::keys::form::KeyFields;
use crate::dashboard::form_frame::FormFrame;
use crate::dashboard::parts::{Action, NothingYet, State};
use crate::dashboard::shell::Shell;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// The list of keys.
#[derive(Template)]
#[template(path = "dashboard/balance/keys/list.html")]
pub struct ListPage {
    pub lang: Lang,
    pub shell: Shell,
    pub balance_url: String,
    pub new: Action,
    pub rows: Vec<Row>,
    pub nothing: NothingYet,
    pub api: Vec<ApiCall>,
}

/// A key in the list.
pub struct Row {
    pub label: String,
    pub state: State,
    /// From when on it is usable.
    pub why: String,
    pub facts: Vec<(&'static str, String)>,
    /// With an id for its reason.
    pub delete: (String, Action),
}

/// The form of a new key.
#[derive(Template)]
#[template(path = "dashboard/balance/keys/form.html")]
pub struct FormPage {
    pub lang: Lang,
    pub shell: Shell,
    pub frame: FormFrame,
    /// When the key is usable.
    pub note: &'static str,
    pub fields: KeyFields,
}
