//! What the pages of the recurring revenue show.

use askama::Template;

use crate::dashboard::api_call::ApiCall;
use crate::dashboard::chart::Chart;
use crate::dashboard::form::{Field, WrongField};
use crate::dashboard::parts::{Figure, Pager};
use crate::dashboard::shell::Shell;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// The recurring revenue in a period.
#[derive(Template)]
#[template(path = "dashboard/subscriptions/metrics.html")]
pub struct MetricsPage {
    pub lang: Lang,
    pub shell: Shell,
    pub list_url: String,
    pub here: String,
    pub from: Field,
    pub to: Field,
    pub wrong: Vec<WrongField>,
    /// The period in words; empty if it is wrong.
    pub period: String,
    pub figures: Vec<Figure>,
    pub changes: Vec<Figure>,
    /// `None` if nothing recurs.
    pub chart: Option<Chart>,
    pub counts: Vec<Figure>,
    pub api: Vec<ApiCall>,
}

/// The changes that a figure sums.
#[derive(Template)]
#[template(path = "dashboard/subscriptions/changes.html")]
pub struct ChangesPage {
    pub lang: Lang,
    pub shell: Shell,
    pub metrics_url: String,
    pub heading: String,
    /// What all changes on all pages come to.
    pub sum: String,
    pub period: String,
    /// How many subscribers who had paid are lost by them.
    pub lost: Option<String>,
    pub rows: Vec<ChangeRow>,
    pub pager: Pager,
    pub api: Vec<ApiCall>,
}

/// A change.
pub struct ChangeRow {
    pub when: String,
    pub what: &'static str,
    pub who: String,
    pub plan: String,
    pub url: String,
    pub amount: String,
}
