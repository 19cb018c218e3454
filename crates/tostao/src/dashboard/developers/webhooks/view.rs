//! What the pages of webhooks show.

use askama::Template;

use crate::dashboard::api_call::ApiCall;
use crate::dashboard::developers::webhooks::form::WebhookFields;
use crate::dashboard::form_frame::FormFrame;
use crate::dashboard::parts::{Action, Choice, NothingYet, Pager, State};
use crate::dashboard::shell::Shell;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// The list of webhooks.
#[derive(Template)]
#[template(path = "dashboard/developers/webhooks.html")]
pub struct ListPage {
    pub lang: Lang,
    pub shell: Shell,
    pub new: Action,
    pub rows: Vec<Row>,
    pub nothing: NothingYet,
    pub pager: Pager,
    pub api: Vec<ApiCall>,
}

/// A webhook in the list.
pub struct Row {
    pub address: String,
    pub url: String,
    pub state: State,
    pub why: String,
    pub events: String,
}

/// The form of a webhook: a new one, and one that is changed.
#[derive(Template)]
#[template(path = "dashboard/developers/webhook_form.html")]
pub struct FormPage {
    pub lang: Lang,
    pub shell: Shell,
    pub frame: FormFrame,
    pub fields: WebhookFields,
}

/// A webhook.
#[derive(Template)]
#[template(path = "dashboard/developers/webhook.html")]
pub struct WebhookPage {
    pub lang: Lang,
    pub shell: Shell,
    pub list_url: String,
    /// This page.
    pub url: String,
    pub address: String,
    pub description: Option<String>,
    pub state: State,
    pub why: String,
    pub events: String,
    pub created: String,
    pub recovery: Option<String>,
    pub actions: Actions,
    pub changes: Changes,
    /// The hidden field of the forms.
    pub attempt: String,
    pub deliveries: Vec<DeliveryRow>,
    pub pager: Pager,
    pub api: Vec<ApiCall>,
}

/// Where a webhook is changed, or why it is not.
pub struct Changes {
    pub edit: Action,
    pub rotate: Action,
    pub delete: Action,
    /// Where it is switched off; `None` if it is off, or the role may not.
    pub pause_url: Option<String>,
}

/// What a person may do with a webhook.
pub enum Actions {
    /// It is shown with the reason, not hidden.
    Refused(&'static str),
    /// It is switched off, so it gets nothing; it can be diagnosed.
    Enable,
    Send {
        events: Vec<Choice>,
        /// Since when to recover; empty while a recovery runs.
        spans: Vec<Span>,
    },
}

/// A time since when a recovery sends again.
pub struct Span {
    pub since: String,
    pub name: &'static str,
}

/// A delivery of an event.
pub struct DeliveryRow {
    pub event: String,
    pub event_url: String,
    pub id: String,
    pub when: String,
    pub state: State,
    pub why: Option<String>,
    pub attempts: Vec<AttemptRow>,
    /// Where it is sent again; `None` if the webhook gets nothing now, or the role may not.
    pub resend_url: Option<String>,
}

/// An attempt of a delivery.
pub struct AttemptRow {
    pub when: String,
    pub result: String,
    pub ms: u64,
    pub excerpt: Option<String>,
}

/// What a diagnosis found.
#[derive(Template)]
#[template(path = "dashboard/developers/diagnosis.html")]
pub struct DiagnosisPage {
    pub lang: Lang,
    pub shell: Shell,
    pub webhook_url: String,
    pub address: String,
    pub at: String,
    pub steps: Vec<StepRow>,
    pub probes_refusals: bool,
    pub api: Vec<ApiCall>,
}

/// A step of a diagnosis.
pub struct StepRow {
    pub name: &'static str,
    pub state: State,
    pub message: String,
    pub remedy: Option<String>,
    pub detail: Option<String>,
    pub ms: Option<u128>,
}
