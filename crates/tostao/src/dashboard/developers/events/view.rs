//! What the pages of events show.

use askama::Template;

use crate::dashboard::api_call::ApiCall;
use crate::dashboard::developers::events::filter::FilterForm;
use crate::dashboard::form::{Field, WrongField};
use crate::dashboard::listing::Found;
use crate::dashboard::parts::{Action, Choice, State};
use crate::dashboard::shell::Shell;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// The list of events.
#[derive(Template)]
#[template(path = "dashboard/developers/events/list.html")]
pub struct ListPage {
    pub lang: Lang,
    pub shell: Shell,
    pub list_url: String,
    pub form: FilterForm,
    pub fields: FilterFields,
    pub found: Found<Row>,
    pub api: Vec<ApiCall>,
}

/// The filter form as it was sent.
pub struct FilterFields {
    pub events: Vec<Choice>,
    pub statuses: Vec<Choice>,
    pub object_id: Field,
    pub from: Field,
    pub to: Field,
    /// The list without a filter, if one is set.
    pub all_url: Option<String>,
    pub wrong: Vec<WrongField>,
}

/// An event in the list.
pub struct Row {
    pub when: String,
    pub name: &'static str,
    pub url: String,
    pub object: String,
    pub state: State,
    /// To how many webhooks of how many it was delivered; `None` if there were none.
    pub delivered: Option<String>,
}

/// An event.
#[derive(Template)]
#[template(path = "dashboard/developers/events/event.html")]
pub struct EventPage {
    pub lang: Lang,
    pub shell: Shell,
    pub list_url: String,
    pub name: &'static str,
    pub state: State,
    pub why: String,
    pub facts: Vec<(&'static str, String)>,
    /// The page of the object, where it has one that the reader may open.
    pub object_url: Option<String>,
    /// The payload, or the permissions that are missing to see it.
    pub payload: Result<String, String>,
    pub deliveries: Vec<DeliveryRow>,
    /// Sends it to each webhook again.
    pub resend: Action,
    pub attempt: String,
    pub api: Vec<ApiCall>,
}

/// The delivery to a webhook.
pub struct DeliveryRow {
    pub address: String,
    pub id: String,
    pub url: String,
    pub state: State,
    pub why: Option<String>,
    pub attempts: i64,
    pub last: Option<String>,
    pub resend: Action,
}
