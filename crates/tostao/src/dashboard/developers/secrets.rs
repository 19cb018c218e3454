//! What keys and webhooks share: the form that gives another secret.

use std::time::Duration;

use askama::Template;
use serde::Deserialize;

use crate::app::App;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::parts::{Choice, Text};
use crate::dashboard::shell::Shell;
use crate::idempotency::Replayable;
use crate::platform::assets;
use crate::platform::error::{Error, Result};
use crate::platform::messages::Lang;

/// For how long the form that gave a secret shows it again: its first answer may have been lost.
const SHOWN_FOR: Duration = Duration::from_mins(10);
/// For how many seconds the old secret stays valid.
const GRACES: [(&str, Text); 4] = [
    ("86400", Lang::key_grace_day),
    ("3600", Lang::key_grace_hour),
    ("604800", Lang::key_grace_week),
    ("0", Lang::key_grace_none),
];

/// The form that gives another secret.
#[derive(Template)]
#[template(path = "dashboard/developers/rotate.html")]
pub struct RotatePage {
    pub lang: Lang,
    pub shell: Shell,
    pub heading: String,
    /// Where this leads back to, and its name.
    pub back: (String, String),
    pub note: &'static str,
    pub form_url: String,
    pub graces: [Choice; 4],
    pub attempt: String,
    pub api: Vec<ApiCall>,
}

/// What the form posts.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RotateForm {
    pub grace_period_seconds: String,
    pub attempt: String,
}

/// The choices of the form: what was chosen before the person had to prove who they are, or the
/// usual one, which is the first.
pub fn graces(kept: Option<&RotateForm>, lang: Lang) -> [Choice; 4] {
    let chosen = kept.map_or(GRACES[0].0, |kept| &kept.grace_period_seconds);
    GRACES.map(|(value, name)| Choice { value, name: name(lang), is_chosen: value == chosen })
}

/// What must be the same when a form that shows a secret is posted again: the person and the
/// session, too, so that the secret is shown again to no one else.
pub fn of_session<P>(seat: &Seat<P>, values: &str) -> String {
    format!("{} {} {values}", seat.person, seat.session)
}

/// Whether the secret of a response was shown too long ago to be shown again.
pub fn is_over<A>(app: &App, made: &Replayable<A>) -> bool {
    made.first_at().is_some_and(|at| app.now().since(at) >= SHOWN_FOR)
}

impl RotateForm {
    /// The chosen seconds, and how the old secret ends.
    pub fn grace(&self, lang: Lang) -> Result<(u64, String)> {
        let wrong = || Error::field("gracePeriodSeconds", "OUT_OF_RANGE", "must be a choice");
        let chosen = GRACES.iter().find(|(value, _)| *value == self.grace_period_seconds);
        let (value, name) = chosen.ok_or_else(wrong)?;
        let seconds = value.parse().map_err(|_| wrong())?;
        let old = if seconds == 0 {
            lang.key_old_over().to_owned()
        } else {
            lang.key_old_until(name(lang))
        };
        Ok((seconds, old))
    }
}
