//! What the pages of a person show.

use askama::Template;

use crate::auth::elevation::ELEVATED_FOR;
use crate::dashboard::account::security::view::{ProofField, wrong};
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::entry::view::Notice;
use crate::dashboard::form::{Field, WrongField};
use crate::dashboard::form_frame::FormFrame;
use crate::dashboard::parts::{Action, State};
use crate::dashboard::shell::Shell;
use crate::merchants::look::Logo;
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
    /// Whether a change of it waits.
    pub changes: bool,
    /// The accounts that they work in, and as what.
    pub accounts: Vec<String>,
}

/// The form to change the address that a person signs in with, and the change that waits.
#[derive(Template)]
#[template(path = "dashboard/account/email.html")]
pub struct EmailPage {
    pub lang: Lang,
    pub shell: Shell,
    pub frame: FormFrame,
    /// Whether this server sends no mails.
    pub sends_none: bool,
    pub current: String,
    /// Whether the link works only a day later.
    pub waits: bool,
    pub pending: Option<PendingEmail>,
    pub fields: Vec<ProofField>,
}

/// A change that waits for its confirmation.
pub struct PendingEmail {
    pub note: String,
    pub cancel_url: String,
}

impl EmailPage {
    /// Says what is wrong with a field.
    pub fn wrong(&mut self, name: &str, error: &str) {
        self.frame.wrong = wrong(&mut self.fields, name, error.to_owned());
    }
}

/// What an account is called, and who it is.
#[derive(Template)]
#[template(path = "dashboard/account/business.html")]
pub struct BusinessPage {
    pub lang: Lang,
    pub shell: Shell,
    pub edit: Action,
    pub look: Action,
    pub close: Action,
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

/// The accent colour and the logo of the shop: a form each, and one that removes the logo.
#[derive(Template)]
#[template(path = "dashboard/account/look.html")]
pub struct LookPage {
    pub lang: Lang,
    pub shell: Shell,
    pub back_url: String,
    pub page_url: String,
    /// Why nothing was done, where no field is the reason.
    pub refused: Option<&'static str>,
    pub wrong: Vec<WrongField>,
    pub accent: Field,
    /// The accent as it was drawn.
    pub drawn: String,
    pub file: Field,
    pub logo: Option<Logo>,
    pub attempts: [String; 3],
    pub api: Vec<ApiCall>,
}

/// What closing the account means, and the form that does it.
#[derive(Template)]
#[template(path = "dashboard/account/close.html")]
pub struct ClosePage {
    pub lang: Lang,
    pub shell: Shell,
    pub back_url: String,
    pub form_url: String,
    /// Why nothing was done, where no field is the reason.
    pub refused: Option<&'static str>,
    pub wrong: Vec<WrongField>,
    /// What keeps the account open.
    pub obstacles: Vec<String>,
    /// Until when what was paid is kept.
    pub stays: String,
    /// What has to be typed.
    pub name: String,
    pub typed: Field,
    pub proofs: Vec<ProofField>,
    pub api: Vec<ApiCall>,
}

/// Which mails are written: what each is about, who gets it, and which ones are a choice.
#[derive(Template)]
#[template(path = "dashboard/account/notices.html")]
pub struct NoticesPage {
    pub lang: Lang,
    pub shell: Shell,
    pub to: String,
    /// Whether this server sends no mails.
    pub sends_none: bool,
    pub rows: Vec<NoticeRow>,
    /// The kinds that the person can switch on or off.
    pub choices: Vec<NoticeChoice>,
    pub refused: Option<&'static str>,
    pub form_url: String,
    pub attempt: String,
    pub api: Vec<ApiCall>,
}

/// A box to tick.
pub struct NoticeChoice {
    /// The name of the kind.
    pub name: &'static str,
    pub label: &'static str,
    pub is_ticked: bool,
}

/// A kind of mail.
pub struct NoticeRow {
    pub what: &'static str,
    pub who: &'static str,
    pub state: State,
    /// Why it is always written, or who chooses.
    pub why: &'static str,
}
