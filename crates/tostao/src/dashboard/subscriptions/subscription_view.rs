//! What the pages of one subscription show.

use askama::Template;

use crate::dashboard::api_call::ApiCall;
use crate::dashboard::parts::{Action, Pager, State};
use crate::dashboard::shell::Shell;
use crate::dashboard::why::Why;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// A subscription.
#[derive(Template)]
#[template(path = "dashboard/subscriptions/subscription.html")]
pub struct SubscriptionPage {
    pub lang: Lang,
    pub shell: Shell,
    pub list_url: String,
    pub name: String,
    pub state: State,
    pub why: Why,
    pub controls: Vec<Control>,
    pub payments: Vec<PaymentRow>,
    pub pager: Pager,
    pub timeline: Vec<Step>,
    /// The subscriber, and their page; `None` for a role that may not read customers.
    pub client: Option<(String, String)>,
    /// The plan, and its page.
    pub plan: (String, String),
    /// The plan from the next period on, if it changes.
    pub next_plan: Option<(String, String)>,
    pub facts: Vec<(&'static str, String)>,
    /// In test mode alone.
    pub simulation: Option<Action>,
    pub attempt: String,
    pub api: Vec<ApiCall>,
}

/// A control: its id, its name, and where it leads or why not.
pub struct Control {
    pub id: &'static str,
    pub name: &'static str,
    pub action: Action,
    pub class: &'static str,
}

/// An attempt to charge a period.
pub struct PaymentRow {
    pub when: String,
    pub url: String,
    /// When the period starts that it is for.
    pub period: String,
    pub attempt: Option<String>,
    pub state: State,
    pub why: Option<String>,
    pub amount: String,
}

/// Something that happened.
pub struct Step {
    pub when: String,
    pub what: String,
    pub url: Option<String>,
}

/// The address at which the subscriber manages the subscription.
#[derive(Template)]
#[template(path = "dashboard/subscriptions/link.html")]
pub struct LinkPage {
    pub lang: Lang,
    pub shell: Shell,
    pub back_url: String,
    pub name: String,
    pub card_url: String,
    pub portal_url: String,
    pub whatsapp_url: String,
    pub mail_url: String,
    pub api: Vec<ApiCall>,
}
