//! What the pages of mails show.

use askama::Template;

use crate::dashboard::api_call::ApiCall;
use crate::dashboard::listing::Found;
use crate::dashboard::parts::State;
use crate::dashboard::shell::Shell;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// The list of mails.
#[derive(Template)]
#[template(path = "dashboard/developers/mail/list.html")]
pub struct ListPage {
    pub lang: Lang,
    pub shell: Shell,
    pub note: &'static str,
    /// Why nothing leaves, if there is no mail server.
    pub no_server: Option<&'static str>,
    pub found: Found<Row>,
    pub api: Vec<ApiCall>,
}

/// A mail in the list.
pub struct Row {
    pub when: String,
    /// Its subject, or its kind where it has none any more.
    pub name: String,
    pub to: String,
    pub url: String,
    pub state: State,
    pub why: String,
}

/// A mail.
#[derive(Template)]
#[template(path = "dashboard/developers/mail/mail.html")]
pub struct MailPage {
    pub lang: Lang,
    pub shell: Shell,
    pub list_url: String,
    pub name: String,
    pub state: State,
    pub why: String,
    pub facts: Vec<(&'static str, String)>,
    /// The text; `None` in production, where it may have a link that only its recipient opens.
    pub text: Option<String>,
    /// The language of the text.
    pub language: &'static str,
    pub api: Vec<ApiCall>,
}
