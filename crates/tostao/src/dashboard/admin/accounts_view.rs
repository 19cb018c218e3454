//! What the page about accounts shows.

use askama::Template;

use crate::dashboard::api_call::ApiCall;
use crate::dashboard::parts::{NothingYet, Pager, State};
use crate::dashboard::shell::Shell;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// How far accounts come, and the newest of them.
#[derive(Template)]
#[template(path = "dashboard/admin/accounts.html")]
pub struct AccountsPage {
    pub lang: Lang,
    pub shell: Shell,
    /// How many accounts the table counts.
    pub accounts: u64,
    /// The median time to the first delivered webhook.
    pub webhook_median: Option<String>,
    pub steps: Vec<StepRow>,
    pub rows: Vec<AccountRow>,
    pub nothing: NothingYet,
    pub pager: Pager,
    pub api: Vec<ApiCall>,
}

/// How many accounts come to a step.
pub struct StepRow {
    pub name: &'static str,
    pub reached: u64,
    pub stopped: u64,
    pub median: Option<String>,
}

/// An account.
pub struct AccountRow {
    pub name: String,
    pub email: String,
    pub signed_up: String,
    pub steps: Vec<TakenStep>,
    pub furthest: State,
}

/// A step that an account took, and how long after its sign-up.
pub struct TakenStep {
    pub name: &'static str,
    pub took: String,
}
