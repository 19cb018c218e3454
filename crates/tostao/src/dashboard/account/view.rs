//! What the pages of a person show.

use askama::Template;

use crate::dashboard::entry::view::Notice;
use crate::dashboard::form::{Field, WrongField};
use crate::people::elevation::ELEVATED_FOR;
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
