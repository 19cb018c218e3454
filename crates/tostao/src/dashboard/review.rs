//! The page that says what would happen, before it is confirmed.

use askama::Template;

use crate::dashboard::api_call::ApiCall;
use crate::dashboard::shell::Shell;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// What would happen, and the form that has it happen.
#[derive(Template)]
#[template(path = "dashboard/review.html")]
pub struct ReviewPage {
    pub lang: Lang,
    pub shell: Shell,
    pub heading: String,
    /// Where this leads back to, and its name.
    pub back: (String, &'static str),
    /// What happens, a sentence each.
    pub effects: Vec<String>,
    /// What was filled in before, by the names of the fields.
    pub filled: Vec<(&'static str, String)>,
    /// The form to change it in, where there is one.
    pub form_url: Option<String>,
    pub confirm_url: String,
    pub button: &'static str,
    /// Whether there is no way back.
    pub is_final: bool,
    pub attempt: String,
    pub api: Vec<ApiCall>,
}
