//! What the pages of a person and their account share.

use crate::app::App;
use crate::auth::seat::PersonalSeat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt;
use crate::dashboard::form_frame::FormFrame;
use crate::dashboard::shell::{Section, Shell, account_url};
use crate::dashboard::visit_pages::Visit;
use crate::idempotency::Execution;
use crate::platform::error::{Permit, Result};
use crate::platform::ids::Mode;

/// What stands around the content.
pub async fn shell<P>(
    app: &App,
    seat: &PersonalSeat<P>,
    visit: &Visit,
    section: Section,
) -> Result<Shell> {
    Shell::read(app, seat.holder, None::<Mode>, visit, section).await
}

/// What stands around a form, by its path and by the path and the name of the page before it.
pub fn form<P>(
    app: &App,
    seat: &PersonalSeat<P>,
    path: &str,
    back: (&str, &'static str),
    (heading, button): (impl Into<String>, &'static str),
    api: Vec<ApiCall>,
) -> FormFrame {
    FormFrame {
        heading: heading.into(),
        back: (account_url(back.0), back.1),
        form_url: account_url(path),
        button,
        refused: None,
        wrong: Vec::new(),
        attempt: attempt::fresh(app, seat.scope()),
        drawn: String::new(),
        api,
    }
}

/// The execution of a form that takes effect once; `what` are the values that must be the same at a
/// repetition.
pub fn execution<P>(
    app: &App,
    seat: &PersonalSeat<P>,
    path: &str,
    (attempt, what): (&str, &str),
    permit: Permit,
) -> Result<Execution> {
    let what = format!("{} {what}", seat.holder.person);
    let key = attempt::key(app, seat.scope(), &account_url(path), attempt, &what)?;
    Ok(Execution::permitted(Some(key), permit))
}
