//! What the pages of plans show.

use askama::Template;

use crate::dashboard::api_call::ApiCall;
use crate::dashboard::form_frame::FormFrame;
use crate::dashboard::listing::{Found, SearchFields};
use crate::dashboard::parts::{Action, Choice, Exports, State, Switch};
use crate::dashboard::shell::Shell;
use crate::dashboard::subscriptions::plans::form::PlanFields;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// The list of plans.
#[derive(Template)]
#[template(path = "dashboard/subscriptions/plans/list.html")]
pub struct ListPage {
    pub lang: Lang,
    pub shell: Shell,
    pub back_url: String,
    pub list_url: String,
    pub new: Action,
    pub fields: SearchFields,
    pub states: Vec<Choice>,
    pub exports: Exports,
    pub found: Found<Row>,
    pub api: Vec<ApiCall>,
}

/// A plan in the list.
pub struct Row {
    pub name: String,
    pub subscribers: String,
    pub state: State,
    pub price: String,
    pub url: String,
}

/// A plan.
#[derive(Template)]
#[template(path = "dashboard/subscriptions/plans/plan.html")]
pub struct PlanPage {
    pub lang: Lang,
    pub shell: Shell,
    pub list_url: String,
    pub list_name: &'static str,
    pub name: String,
    pub state: State,
    pub why: &'static str,
    pub facts: Vec<(&'static str, String)>,
    pub edit: Action,
    pub switch: Switch,
    /// Where buyers subscribe.
    pub address: String,
    /// The subscriptions to it.
    pub subscribers_url: String,
    pub attempt: String,
    pub api: Vec<ApiCall>,
}

/// The form of a plan.
#[derive(Template)]
#[template(path = "dashboard/subscriptions/plans/form.html")]
pub struct FormPage {
    pub lang: Lang,
    pub shell: Shell,
    pub frame: FormFrame,
    /// The interval of a plan that exists, which does not change.
    pub interval: Option<&'static str>,
    pub fields: PlanFields,
}
