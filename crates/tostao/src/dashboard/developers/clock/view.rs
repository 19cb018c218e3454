//! What the page of the test clock shows.

use askama::Template;

use crate::dashboard::api_call::ApiCall;
use crate::dashboard::form::{Field, WrongField};
use crate::dashboard::parts::{Action, Part};
use crate::dashboard::shell::Shell;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// The test clock.
#[derive(Template)]
#[template(path = "dashboard/developers/clock/clock.html")]
pub struct ClockPage {
    pub lang: Lang,
    pub shell: Shell,
    pub url: String,
    /// `None` in production, which has no clock of its own.
    pub face: Option<Face>,
    pub wrong: Vec<WrongField>,
    pub api: Vec<ApiCall>,
}

/// The clock in development.
pub struct Face {
    pub now: String,
    /// How far it runs ahead; `None` if it does not.
    pub ahead: Option<String>,
    pub attempt: String,
    pub steps: Vec<Step>,
    pub to: Field,
    /// Why the clock was not advanced, where no field is the reason.
    pub refused: Option<&'static str>,
    pub preview: Part<Preview>,
    pub reset: Action,
}

/// A step of the clock.
pub struct Step {
    pub seconds: i64,
    pub name: &'static str,
    pub preview_url: String,
    pub is_previewed: bool,
}

/// What would happen.
pub struct Preview {
    /// The time after the step.
    pub then: String,
    /// What happens, a sentence each; empty if nothing does.
    pub work: Vec<String>,
}
