//! What the pages of a person show.

use askama::Template;

use crate::auth::elevation::ELEVATED_FOR;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::entry::view::Notice;
use crate::dashboard::form::{Field, WrongField};
use crate::dashboard::form_frame::FormFrame;
use crate::dashboard::parts::Action;
use crate::dashboard::shell::Shell;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// The form to prove again who is there.
#[derive(Template)]
#[template(path = "dashboard/account/elevate.html")]
pub struct ElevatePage {
    pub lang: Lang,
    pub language_url: String,
    pub notice: Option<Notice>,
    /// Whether it takes a code of the second step; the password otherwise.
    pub asks_for_code: bool,
    pub proof: Field,
    /// The page that asked for it.
    pub next: String,
}

impl ElevatePage {
    fn label(&self) -> &'static str {
        if self.asks_for_code { self.lang.entry_code() } else { self.lang.entry_password() }
    }

    fn hint(&self) -> &'static str {
        if self.asks_for_code { self.lang.entry_code_hint() } else { "" }
    }

    fn minutes() -> u64 {
        ELEVATED_FOR.as_secs() / 60
    }

    fn errors(&self) -> Vec<WrongField> {
        self.proof.wrong("proof", self.label()).into_iter().collect()
    }
}

/// A person's name, and what they see of themselves.
#[derive(Template)]
#[template(path = "dashboard/account/profile.html")]
pub struct ProfilePage {
    pub lang: Lang,
    pub shell: Shell,
    pub frame: FormFrame,
    pub name: Field,
    pub email: String,
    /// The accounts that they work in, and as what.
    pub accounts: Vec<String>,
}

/// What an account is called, and who it is.
#[derive(Template)]
#[template(path = "dashboard/account/business.html")]
pub struct BusinessPage {
    pub lang: Lang,
    pub shell: Shell,
    pub edit: Action,
    pub facts: Vec<(&'static str, String)>,
    pub api: Vec<ApiCall>,
}

/// The form of the same.
#[derive(Template)]
#[template(path = "dashboard/account/business_form.html")]
pub struct BusinessFields {
    pub lang: Lang,
    pub shell: Shell,
    pub frame: FormFrame,
    pub name: Field,
    pub phone: Field,
    pub document: Field,
    /// The document that the account has, which stays.
    pub stays: Option<String>,
}

/// Which mails are written: what each is about, and who gets it.
#[derive(Template)]
#[template(path = "dashboard/account/notices.html")]
pub struct NoticesPage {
    pub lang: Lang,
    pub shell: Shell,
    pub to: String,
    /// Whether this server sends no mails.
    pub sends_none: bool,
    pub rows: Vec<(&'static str, &'static str)>,
    pub api: Vec<ApiCall>,
}
