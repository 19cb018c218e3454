//! What the pages about signing in show.

use askama::Template;
use documents::qr::Qr;

use crate::dashboard::api_call::ApiCall;
use crate::dashboard::form::{Field, WrongField};
use crate::dashboard::form_frame::FormFrame;
use crate::dashboard::parts::State;
use crate::dashboard::shell::Shell;
use crate::platform::assets;
use crate::platform::ids::SessionId;
use crate::platform::messages::Lang;

/// The second step, the password and the sessions of a person.
#[derive(Template)]
#[template(path = "dashboard/account/security.html")]
pub struct SecurityPage {
    pub lang: Lang,
    pub shell: Shell,
    pub step: State,
    pub step_why: String,
    /// How many backup codes are left; `None` without a second step.
    pub codes_left: Option<String>,
    pub sessions: Vec<SessionRow>,
    pub api: Vec<ApiCall>,
}

/// A session that has not ended.
pub struct SessionRow {
    pub id: SessionId,
    pub name: String,
    pub is_this: bool,
    pub state: State,
    pub facts: Vec<(&'static str, String)>,
}

/// What is said before a secret is made.
#[derive(Template)]
#[template(path = "dashboard/account/second_step.html")]
pub struct BeginPage {
    pub lang: Lang,
    pub shell: Shell,
    pub frame: FormFrame,
    pub password: Field,
    /// Where the person goes on once the step is on.
    pub next: String,
}

/// The secret of an app, until its first code is typed.
#[derive(Template)]
#[template(path = "dashboard/account/enrollment.html")]
pub struct EnrollmentPage {
    pub lang: Lang,
    pub shell: Shell,
    pub frame: FormFrame,
    pub qr: Qr,
    pub secret: String,
    pub app_url: String,
    pub code: Field,
    pub next: String,
}

/// A form that takes a password, a code, or both.
#[derive(Template)]
#[template(path = "dashboard/account/proof.html")]
pub struct ProofPage {
    pub lang: Lang,
    pub shell: Shell,
    pub frame: FormFrame,
    pub note: &'static str,
    pub fields: Vec<ProofField>,
}

/// A field of such a form: its name, its label, its hint, and what a browser fills in.
pub struct ProofField {
    pub name: &'static str,
    pub label: &'static str,
    pub hint: &'static str,
    pub is_password: bool,
    pub autocomplete: &'static str,
    pub field: Field,
}

impl BeginPage {
    /// Says what is wrong with the password.
    pub fn wrong(&mut self, error: &str) {
        self.password.error = Some(error.to_owned());
        let wrong = self.password.wrong("password", self.lang.entry_password());
        self.frame.wrong = wrong.into_iter().collect();
    }
}

impl ProofField {
    /// The field of a code.
    pub fn code(label: &'static str, hint: &'static str) -> Self {
        let (name, autocomplete) = ("code", "one-time-code");
        Self { name, label, hint, is_password: false, autocomplete, field: Field::default() }
    }

    /// A field of plain text.
    pub fn text(name: &'static str, label: &'static str, autocomplete: &'static str) -> Self {
        Self { name, label, hint: "", is_password: false, autocomplete, field: Field::default() }
    }

    /// The field of a password.
    pub fn password(name: &'static str, label: &'static str, autocomplete: &'static str) -> Self {
        Self { name, label, hint: "", is_password: true, autocomplete, field: Field::default() }
    }
}

impl ProofPage {
    /// Says what is wrong with a field.
    pub fn wrong(&mut self, name: &str, error: impl Into<String>) {
        self.frame.wrong = wrong(&mut self.fields, name, error.into());
    }
}

/// Says what is wrong with one of several fields; returns all that is wrong, for the summary.
pub fn wrong(fields: &mut [ProofField], name: &str, error: String) -> Vec<WrongField> {
    if let Some(one) = fields.iter_mut().find(|one| one.name == name) {
        one.field.error = Some(error);
    }
    fields.iter().filter_map(|one| one.field.wrong(one.name, one.label)).collect()
}
