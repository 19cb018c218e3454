//! What the pages about money set aside show.

use askama::Template;

use crate::dashboard::api_call::ApiCall;
use crate::dashboard::form::{Field, WrongField};
use crate::dashboard::listing::Found;
use crate::dashboard::parts::{Action, NamedSelect, State};
use crate::dashboard::shell::Shell;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// What waits for a decision.
#[derive(Template)]
#[template(path = "dashboard/transactions/unmatched.html")]
pub struct ListPage {
    pub lang: Lang,
    pub shell: Shell,
    pub back: (String, &'static str),
    pub found: Found<Row>,
    pub api: Vec<ApiCall>,
}

/// Money that waits.
pub struct Row {
    pub when: String,
    pub reason: &'static str,
    pub amount: String,
    /// Where it is decided on.
    pub url: String,
}

/// Money that was set aside, and what can be done with it.
#[derive(Template)]
#[template(path = "dashboard/transactions/decide.html")]
pub struct DecidePage {
    pub lang: Lang,
    pub shell: Shell,
    pub list_url: String,
    /// The payment that it names.
    pub payment_url: String,
    pub heading: String,
    pub state: State,
    pub reason: &'static str,
    /// Why it came back to be decided on again.
    pub failure: Option<&'static str>,
    pub facts: Vec<(&'static str, String)>,
    pub accept: Action,
    pub returned: Action,
    /// The key that the money goes to; `None` where it goes back as it came.
    pub payee: Option<Payee>,
    pub wrong: Vec<WrongField>,
    /// Why what was asked for was not done, where no field is the reason.
    pub refused: Option<&'static str>,
    pub api: Vec<ApiCall>,
}

/// The fields of a PIX key.
pub struct Payee {
    pub key: Field,
    pub key_type: NamedSelect,
}
