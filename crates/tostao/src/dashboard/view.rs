//! The pages about what was refused.

use askama::Template;

use crate::dashboard::shell::Shell;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// What a refusal says.
pub struct Refusal {
    pub heading: &'static str,
    pub note: String,
    /// Who can give the permission that is missing.
    pub who_can: Vec<String>,
    /// Finds it in the server's log.
    pub reference: String,
    /// Where else what was not found may be, and the names of these.
    pub elsewhere: Vec<(String, String)>,
    /// Where to go from here, and the name of that.
    pub way_out: (String, &'static str),
}

/// A refusal, to a person who is signed in.
#[derive(Template)]
#[template(path = "dashboard/refused.html")]
pub struct RefusedPage {
    pub lang: Lang,
    pub shell: Shell,
    pub refusal: Refusal,
}

/// A refusal, to anyone else.
#[derive(Template)]
#[template(path = "dashboard/entry/refused.html")]
pub struct OutsidePage {
    pub lang: Lang,
    pub language_url: String,
    pub refusal: Refusal,
}
