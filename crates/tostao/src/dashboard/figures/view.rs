//! What the list of a figure shows.

use askama::Template;

use crate::dashboard::api_call::ApiCall;
use crate::dashboard::parts::{Exports, Pager};
use crate::dashboard::shell::Shell;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// The entries that a figure sums.
#[derive(Template)]
#[template(path = "dashboard/figures/entries.html")]
pub struct EntriesPage {
    pub lang: Lang,
    pub shell: Shell,
    pub heading: &'static str,
    /// The figure: what all entries on all pages sum to.
    pub sum: String,
    pub rows: Vec<Row>,
    pub exports: Exports,
    pub pager: Pager,
    pub api: Vec<ApiCall>,
}

/// An entry.
pub struct Row {
    pub when: String,
    /// What the entry is about, and its id.
    pub what: &'static str,
    pub about: String,
    /// The payment, where it is one or a refund of one.
    pub url: Option<String>,
    pub amount: String,
}
