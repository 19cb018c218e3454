//! The page that shows a secret once.

use askama::Template;

use crate::dashboard::shell::Shell;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// A secret, which is shown once.
#[derive(Template)]
#[template(path = "dashboard/secret.html")]
pub struct SecretPage {
    pub lang: Lang,
    pub shell: Shell,
    pub heading: String,
    /// What is done with it now.
    pub keep: &'static str,
    pub note: &'static str,
    /// How the old secret ends, if there was one.
    pub old: Option<String>,
    /// The secret, and the texts to paste that contain it: an id, a name, the text.
    pub lines: Vec<(&'static str, &'static str, String)>,
    /// Where the person goes on, and what the button says.
    pub next: (String, &'static str),
}
