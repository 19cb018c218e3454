//! What the pages of one link show.

use askama::Template;
use documents::qr::Qr;

use crate::dashboard::api_call::ApiCall;
use crate::dashboard::parts::{Action, Figure, State};
use crate::dashboard::shell::Shell;
use crate::dashboard::why::Why;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// A link.
#[derive(Template)]
#[template(path = "dashboard/links/link.html")]
pub struct LinkPage {
    pub lang: Lang,
    pub shell: Shell,
    pub list_url: String,
    pub title: String,
    pub price: String,
    pub state: State,
    pub why: Why,
    pub edit: Action,
    /// What the form is wanted for: to change the link, or to give it a new date.
    pub edit_name: &'static str,
    pub switch: Switch,
    pub duplicate: Action,
    /// The hidden field of the form that switches it on.
    pub attempt: String,
    pub address: Address,
    pub figures: Vec<Figure>,
    pub facts: Vec<(&'static str, String)>,
    pub json: String,
    pub api: Vec<ApiCall>,
}

/// What can be done about the link taking payments.
pub enum Switch {
    Off(Action),
    On(Action),
}

/// Where buyers find the link, and how they get there.
pub struct Address {
    pub url: String,
    pub qr: Qr,
    pub poster_url: String,
    pub whatsapp_url: String,
    pub mail_url: String,
}

/// What switching a link off does.
#[derive(Template)]
#[template(path = "dashboard/links/switch_off.html")]
pub struct SwitchOffPage {
    pub lang: Lang,
    pub shell: Shell,
    pub title: String,
    pub link_url: String,
    pub form_url: String,
    pub attempt: String,
    pub api: Vec<ApiCall>,
}
