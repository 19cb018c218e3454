//! The hidden `attempt` of a form: one filling-in of it takes effect once, in one account and mode.
//!
//! Two tabs may be in two modes, and a person may have switched accounts in another tab. The
//! attempt names where its form was drawn, so a form never acts anywhere else.

use std::time::Duration;

use serde::Deserialize;
use uuid::Uuid;

use crate::app::App;
use crate::idempotency::IdempotencyKey;
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::ids::Scope;
use crate::platform::secrets::Purpose;
use crate::platform::signed_tokens::{sign_name, verify_name};

/// For how long a form that was drawn can be posted: less than the week for which its answer is
/// kept, so that a tab which a browser restores later repeats nothing.
const GOOD_FOR: Duration = Duration::from_hours(6 * 24);

/// The hidden field of a form without others.
#[derive(Debug, Deserialize)]
pub struct AttemptForm {
    pub attempt: String,
}

/// A fresh attempt for a form that is drawn for a scope.
pub fn fresh(app: &App, scope: Scope) -> String {
    let id = app.database.sources().new_id(app.now());
    sign_name(&app.secrets, Purpose::FormAttempt, scope, id)
}

/// The idempotency key of a posted form; `route` names its action, and `what` the values that must
/// be the same at a repetition.
pub fn key(
    app: &App,
    scope: Scope,
    route: &str,
    attempt: &str,
    what: &str,
) -> Result<IdempotencyKey> {
    let oldest = app.database.sources().first_id(app.now().minus(GOOD_FOR));
    let drawn = verify_name(&app.secrets, Purpose::FormAttempt, attempt, |id: Uuid| id);
    let is_here = drawn.is_some_and(|drawn| {
        (drawn.merchant, drawn.mode) == (scope.merchant, scope.mode) && drawn.id >= oldest
    });
    let key = IdempotencyKey::of_form(scope, route, attempt, what);
    key.filter(|_| is_here).ok_or_else(|| {
        let message =
            "The form was opened in another account or mode, or days ago. Open the page again.";
        Error::refused(ErrorCode::CrossSiteForm, message)
    })
}
