//! What the page of the history shows.

use askama::Template;

use crate::dashboard::account::audit::filter::FilterForm;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::form::WrongField;
use crate::dashboard::listing::Found;
use crate::dashboard::parts::Exports;
use crate::dashboard::shell::Shell;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// Who did what.
#[derive(Template)]
#[template(path = "dashboard/account/audit.html")]
pub struct AuditPage {
    pub lang: Lang,
    pub shell: Shell,
    pub list_url: String,
    pub form: FilterForm,
    /// Who can be chosen, and what: a value and a name each.
    pub actors: Vec<(String, String)>,
    pub actions: Vec<(&'static str, &'static str)>,
    /// The period in words, as browsers show dates in their own order.
    pub period: Option<String>,
    pub wrong: Vec<WrongField>,
    pub found: Found<AuditRow>,
    pub exports: Exports,
    pub api: Vec<ApiCall>,
}

/// An entry.
pub struct AuditRow {
    pub when: String,
    pub who: String,
    pub what: String,
    /// The mode, of what was done in one.
    pub mode: Option<&'static str>,
    /// How many times, where it was more than once.
    pub times: Option<String>,
    /// Details, most of them by their names in the API, and the object.
    pub details: Vec<String>,
    /// The address that it came from.
    pub place: String,
}
