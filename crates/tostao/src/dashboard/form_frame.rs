//! What stands around the fields of a form that makes or changes an object.

use crate::app::App;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt;
use crate::dashboard::form::WrongField;
use crate::dashboard::shell::url;
use crate::platform::ids::Scope;

/// What `dashboard/form.html` shows around the fields.
pub struct FormFrame {
    pub heading: String,
    /// Where this leads back to, and its name.
    pub back: (String, &'static str),
    pub form_url: String,
    pub button: &'static str,
    /// Why nothing was done, where no field is the reason.
    pub refused: Option<&'static str>,
    pub wrong: Vec<WrongField>,
    pub attempt: String,
    /// The form as it was drawn; empty where it makes an object.
    pub drawn: String,
    pub api: Vec<ApiCall>,
}

impl FormFrame {
    /// Around the form of a new object, by the paths of its list and of the list in the API.
    pub fn of_new(
        app: &App,
        scope: Scope,
        (list, api): (&str, &str),
        [heading, back, button]: [&'static str; 3],
    ) -> Self {
        let list_url = url(scope.mode, list);
        Self {
            heading: heading.to_owned(),
            form_url: format!("{list_url}/new"),
            back: (list_url, back),
            button,
            refused: None,
            wrong: Vec::new(),
            attempt: attempt::fresh(app, scope),
            drawn: String::new(),
            api: vec![ApiCall::get(&app.settings.base_url(), api)],
        }
    }

    /// Around the form of an object that exists, with the form as it was drawn.
    pub fn of_existing(
        app: &App,
        scope: Scope,
        (list, api, id): (&str, &str, String),
        heading: String,
        [back, button]: [&'static str; 2],
        drawn: &str,
    ) -> Self {
        let here = url(scope.mode, &format!("{list}/{id}"));
        Self {
            heading,
            form_url: format!("{here}/edit"),
            back: (here, back),
            drawn: drawn.to_owned(),
            ..Self::of_new(app, scope, (list, &format!("{api}/{id}")), ["", "", button])
        }
    }
}
