//! What the list shows.

use askama::Template;

use crate::dashboard::api_call::ApiCall;
use crate::dashboard::form::{Field, WrongField};
use crate::dashboard::parts::{Action, Choice, Exports, NothingMatches, NothingYet, Pager, State};
use crate::dashboard::shell::Shell;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// The list of payments.
#[derive(Template)]
#[template(path = "dashboard/transactions/list.html")]
pub struct ListPage {
    pub lang: Lang,
    pub shell: Shell,
    pub list_url: String,
    pub new: Action,
    /// Where money waits that came beside payments.
    pub unmatched: Action,
    pub fields: FilterFields,
    pub wrong: Vec<WrongField>,
    pub found: Found,
    pub api: Vec<ApiCall>,
}

/// The filter form as it was sent.
pub struct FilterFields {
    pub q: Field,
    pub from: Field,
    pub to: Field,
    pub statuses: Vec<Choice>,
    pub methods: Vec<Choice>,
    /// Filters that come by a link from another page, and stay.
    pub kept: Vec<(&'static str, String)>,
    /// Whether the filters beside the text are open.
    pub is_open: bool,
    /// The list without any filter, if one is set.
    pub all_url: Option<String>,
}

/// The rows, or why there are none.
pub enum Found {
    Rows {
        rows: Vec<Row>,
        /// How many match.
        count: String,
        /// The same search over all payments, where it was limited to the last days.
        over_all: Option<String>,
        exports: Exports,
        pager: Pager,
    },
    NothingYet(NothingYet),
    NothingMatches {
        empty: NothingMatches,
        over_all: Option<String>,
    },
    /// The filter is wrong.
    Nothing,
}

/// A payment in the list.
pub struct Row {
    pub when: String,
    /// The buyer; `None` for a role that may not read customers.
    pub who: Option<String>,
    pub what: String,
    pub method: String,
    pub state: State,
    /// Why it failed, or what waits for a decision.
    pub why: Option<String>,
    pub amount: String,
    pub url: String,
    pub id: String,
    pub api: ApiCall,
}
