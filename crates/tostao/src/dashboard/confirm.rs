//! The page that asks to type a name before something is gone for good.

use askama::Template;
use serde::Deserialize;

use crate::app::App;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt;
use crate::dashboard::form::{Field, WrongField};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::Visit;
use crate::platform::assets;
use crate::platform::error::Result;
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
    /// That it asks for the second step, and where a person who has none turns it on.
    pub needs_second_step: Option<(&'static str, String)>,
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

/// The deletion of an object, before it is confirmed.
pub struct Deletion {
    pub section: Section,
    pub heading: String,
    /// The name of the object's own page, or of its list.
    pub back: &'static str,
    pub effects: [&'static str; 2],
    /// What has to be typed.
    pub name: String,
    pub button: &'static str,
    pub of: DeletionOf,
}

/// What kind of object is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeletionOf {
    /// One with a page of its own, whose deletion programs rehearse.
    Object,
    /// One of a list, which only people revoke.
    Key,
    /// One of a list, which only people delete.
    Saved,
}

impl Deletion {
    /// The page that asks for it. The object is named by the path of its list, that of the list in
    /// the API, and its id.
    pub async fn page<P>(
        self,
        app: &App,
        seat: &Seat<P>,
        visit: &Visit,
        (list, api, id): (&str, &str, String),
    ) -> Result<ConfirmPage> {
        let mode = seat.scope.mode;
        let here = url(mode, &format!("{list}/{id}"));
        let (base_url, api) = (app.settings.base_url(), format!("{api}/{id}"));
        let (form_url, back, call) = match self.of {
            DeletionOf::Object => {
                let call = ApiCall::rehearsed_deletion(&base_url, &api);
                (format!("{here}/delete"), here, call)
            }
            DeletionOf::Key => {
                let call = ApiCall::of_person(&base_url, &api).deleting();
                (format!("{here}/revoke"), url(mode, list), call)
            }
            DeletionOf::Saved => {
                let call = ApiCall::of_person(&base_url, &api).deleting().in_mode(mode);
                (format!("{here}/delete"), url(mode, list), call)
            }
        };
        Ok(ConfirmPage {
            lang: visit.lang,
            shell: Shell::read(app, seat.holder(), mode, visit, self.section).await?,
            heading: self.heading,
            step: None,
            form_url,
            back: (back, self.back),
            needs_second_step: None,
            effects: self.effects.map(str::to_owned).into(),
            name: self.name,
            field: Field::default(),
            wrong: Vec::new(),
            button: self.button,
            attempt: attempt::fresh(app, seat.scope),
            api: vec![call],
        })
    }
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
