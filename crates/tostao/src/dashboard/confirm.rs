//! The page that asks to type a name before something is gone for good.

use askama::Template;
use serde::Deserialize;

use crate::dashboard::api_call::ApiCall;
use crate::dashboard::form::{Field, WrongField};
use crate::dashboard::shell::Shell;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// What was typed.
#[derive(Debug, Deserialize)]
pub struct ConfirmForm {
    pub attempt: String,
    #[serde(default)]
    pub typed: String,
}

/// The name of the field, and its id.
pub const FIELD: &str = "typed";

/// What would be gone, and the field to type its name in.
#[derive(Template)]
#[template(path = "dashboard/confirm.html")]
pub struct ConfirmPage {
    pub lang: Lang,
    pub shell: Shell,
    pub heading: String,
    /// Which of how many steps it is, where there are others.
    pub step: Option<String>,
    /// Where this leads back to, and its name.
    pub back: (String, &'static str),
    /// What happens, a sentence each.
    pub effects: Vec<String>,
    pub form_url: String,
    /// What has to be typed.
    pub name: String,
    pub field: Field,
    pub wrong: Vec<WrongField>,
    pub button: &'static str,
    pub attempt: String,
    pub api: Vec<ApiCall>,
}

impl ConfirmPage {
    /// The page again, after something else was typed.
    #[must_use]
    pub fn mistyped(mut self, typed: &str) -> Self {
        let error = Some(self.lang.confirm_mistyped(&self.name));
        self.field = Field { value: typed.to_owned(), error };
        self.wrong = self.field.wrong(FIELD, self.lang.confirm_label()).into_iter().collect();
        self
    }
}

/// Whether the name was typed, whatever its case and the blanks around it.
pub fn is_typed(name: &str, typed: &str) -> bool {
    name.trim().to_lowercase() == typed.trim().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::is_typed;

    #[test]
    fn a_name_is_typed_without_regard_to_its_case() {
        assert!(is_typed("CAFE10", " cafe10 ") && is_typed("Ação", "AÇÃO"));
        assert!(!is_typed("CAFE10", "CAFE1") && !is_typed("CAFE10", ""));
    }
}
