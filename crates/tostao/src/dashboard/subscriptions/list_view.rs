//! What the list shows.

use askama::Template;

use crate::dashboard::api_call::ApiCall;
use crate::dashboard::listing::{Found, SearchFields};
use crate::dashboard::parts::{Action, Exports, Figure, NamedSelect, State};
use crate::dashboard::shell::Shell;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// The list of subscriptions.
#[derive(Template)]
#[template(path = "dashboard/subscriptions/list.html")]
pub struct ListPage {
    pub lang: Lang,
    pub shell: Shell,
    pub list_url: String,
    pub plans_url: String,
    pub metrics_url: String,
    /// What recurs and what is late, without a filter.
    pub figures: Vec<Figure>,
    /// Those that are past due, without a filter.
    pub late: Late,
    pub fields: SearchFields,
    pub plans: NamedSelect,
    /// Filters without a field, which a search keeps, and what they leave.
    pub kept: Vec<(&'static str, String)>,
    pub kept_note: Vec<&'static str>,
    /// How many there are, and what they pay in a month.
    pub sum: String,
    pub exports: Exports,
    pub found: Found<Row>,
    pub api: Vec<ApiCall>,
}

/// Those that are past due.
#[derive(Default)]
pub struct Late {
    pub total: i64,
    pub rows: Vec<LateRow>,
    pub all_url: String,
}

/// A subscription that is past due: why, what comes next, and what can be done.
pub struct LateRow {
    /// The ids of the two controls.
    pub retry_id: String,
    pub link_id: String,
    pub name: String,
    pub url: String,
    pub why: String,
    pub next: String,
    pub retry: Action,
    pub link: Action,
}

/// A subscription in the list.
pub struct Row {
    /// The subscriber, or what stands in the place of a name that a role may not see.
    pub who: String,
    pub plan: String,
    pub state: State,
    pub next: String,
    pub price: String,
    pub url: String,
}
