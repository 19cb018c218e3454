//! The links in mails that confirm and stop a change of a person's address.

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;

use crate::app::App;
use crate::auth::seat::SIGN_IN;
use crate::dashboard::entry::reset_pages::FORGOT;
use crate::dashboard::entry::view::{LinkPage, MessagePage};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::people::email_changes::api as changes;
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::path::TextParam;

/// GET /email-change/{token}
pub async fn show(
    State(app): State<App>,
    visit: Visit,
    TextParam(token): TextParam,
) -> Result<Response> {
    let lang = visit.lang;
    let change = match changes::find_to_confirm(&app, &visit.context, &token).await {
        Ok(found) => found.change,
        Err(error) => return refused(&visit, error),
    };
    let mut page = LinkPage::new(&visit, lang.email_confirm(), lang.email_confirm_do());
    page.note = lang.email_confirm_note(&change.email);
    if change.possible_at > app.now() {
        page.heading = lang.email_not_yet();
        page.note = lang.email_not_yet_note(lang.date_time(change.possible_at.micros()));
        page.button = None;
    }
    visit.page(&page, StatusCode::OK)
}

/// POST /email-change/{token}
pub async fn confirm(
    State(app): State<App>,
    visit: Visit,
    TextParam(token): TextParam,
) -> Result<Response> {
    match changes::use_to_confirm(&app, &visit.context, &token, visit.lang).await {
        Ok(()) => Ok(see_and_say(&app, SIGN_IN, visit.lang.email_confirmed())),
        Err(error) => refused(&visit, error),
    }
}

/// GET /email-change/{token}/stop
pub async fn show_stop(
    State(app): State<App>,
    visit: Visit,
    TextParam(token): TextParam,
) -> Result<Response> {
    let lang = visit.lang;
    if let Err(error) = changes::find_to_stop(&app, &visit.context, &token).await {
        return refused(&visit, error);
    }
    let mut page = LinkPage::new(&visit, lang.email_stop(), lang.email_stop_do());
    lang.email_stop_note().clone_into(&mut page.note);
    visit.page(&page, StatusCode::OK)
}

/// POST /email-change/{token}/stop
pub async fn stop(
    State(app): State<App>,
    visit: Visit,
    TextParam(token): TextParam,
) -> Result<Response> {
    let lang = visit.lang;
    if let Err(error) = changes::use_to_stop(&app, &visit.context, &token).await {
        return refused(&visit, error);
    }
    let way_out = Some((FORGOT, lang.entry_forgot()));
    let page = MessagePage::new(&visit, lang.email_stopped(), lang.email_stopped_note(), way_out);
    visit.page(&page, StatusCode::OK)
}

/// The page about a link that does nothing now; any other error stays an error.
fn refused(visit: &Visit, error: Error) -> Result<Response> {
    let lang = visit.lang;
    let sign_in = Some((SIGN_IN, lang.entry_sign_in()));
    let (page, status) = match error.code() {
        ErrorCode::EmailChangeInvalid => {
            let forgot = Some((FORGOT, lang.entry_forgot()));
            let (heading, note) = (lang.email_over(), lang.email_over_note());
            (MessagePage::new(visit, heading, note, forgot), StatusCode::GONE)
        }
        ErrorCode::AlreadyExists => {
            let (heading, note) = (lang.email_taken(), lang.email_taken_note());
            (MessagePage::new(visit, heading, note, sign_in), StatusCode::CONFLICT)
        }
        ErrorCode::InvalidStateTransition => {
            let (heading, note) = (lang.email_not_yet(), lang.email_not_yet_short());
            (MessagePage::new(visit, heading, note, sign_in), StatusCode::CONFLICT)
        }
        _ => return Err(error),
    };
    visit.page(&page, status)
}
