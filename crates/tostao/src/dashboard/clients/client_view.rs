//! What the pages of a client show.

use askama::Template;

use crate::dashboard::api_call::ApiCall;
use crate::dashboard::clients::edit_form::EditFields;
use crate::dashboard::form_frame::FormFrame;
use crate::dashboard::parts::{Action, State};
use crate::dashboard::shell::Shell;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// A client.
#[derive(Template)]
#[template(path = "dashboard/clients/client.html")]
pub struct ClientPage {
    pub lang: Lang,
    pub shell: Shell,
    pub list_url: String,
    pub name: String,
    pub email: String,
    pub phone: Option<String>,
    pub document: ShownDocument,
    pub since: String,
    pub edit: Action,
    pub erase: Action,
    pub bought: Payments,
    pub owed: Payments,
    pub subscriptions: Vec<SubscriptionRow>,
    /// All of them.
    pub subscriptions_url: String,
    pub api: Vec<ApiCall>,
}

/// The document: what identifies the client is shown on demand.
pub enum ShownDocument {
    /// The client has none.
    Absent,
    /// Without its middle digits, and where the whole one is asked for.
    Masked {
        masked: String,
        show: Action,
    },
    Whole(String),
}

/// Some of the client's payments, and where all of them are.
pub struct Payments {
    pub rows: Vec<PaymentRow>,
    pub all_url: String,
}

/// A payment of the client.
pub struct PaymentRow {
    pub when: String,
    pub what: String,
    pub state: State,
    pub amount: String,
    pub url: String,
}

/// A subscription of the client.
pub struct SubscriptionRow {
    pub plan: String,
    pub url: String,
    pub state: State,
    pub price: String,
    /// When the next period is charged, unless it has ended.
    pub next: Option<String>,
}

/// The form of a client.
#[derive(Template)]
#[template(path = "dashboard/clients/edit.html")]
pub struct EditPage {
    pub lang: Lang,
    pub shell: Shell,
    pub frame: FormFrame,
    /// Without its middle digits.
    pub document: Option<String>,
    pub fields: EditFields,
}

/// What erasing a client means: step 1 of 2.
#[derive(Template)]
#[template(path = "dashboard/clients/erase.html")]
pub struct ErasePage {
    pub lang: Lang,
    pub shell: Shell,
    pub name: String,
    pub back_url: String,
    pub form_url: String,
    pub retention_years: u32,
    pub api: Vec<ApiCall>,
}
