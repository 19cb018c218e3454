//! What the pages of a product show.

use askama::Template;

use crate::dashboard::api_call::ApiCall;
use crate::dashboard::form_frame::FormFrame;
use crate::dashboard::parts::{Action, State, Switch};
use crate::dashboard::products::form::ProductFields;
use crate::dashboard::shell::Shell;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// A product.
#[derive(Template)]
#[template(path = "dashboard/products/product.html")]
pub struct ProductPage {
    pub lang: Lang,
    pub shell: Shell,
    pub list_url: String,
    pub list_name: &'static str,
    pub name: String,
    pub state: State,
    pub why: String,
    pub facts: Vec<(&'static str, String)>,
    pub edit: Action,
    pub switch: Switch,
    pub delete: Action,
    /// A new link that sells it.
    pub link: Action,
    pub attempt: String,
    pub api: Vec<ApiCall>,
}

/// The form of a product.
#[derive(Template)]
#[template(path = "dashboard/products/form.html")]
pub struct FormPage {
    pub lang: Lang,
    pub shell: Shell,
    pub frame: FormFrame,
    pub fields: ProductFields,
}
