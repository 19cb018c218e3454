//! A new password without the old one: asking for a link by mail, and using it.

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;

use crate::app::App;
use crate::auth::seat::SIGN_IN;
use crate::dashboard::entry::sign_in_pages::too_many;
use crate::dashboard::entry::view::{ForgotPage, MessagePage, ResetPage};
use crate::dashboard::form::Field;
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::people::resets::api as resets;
use crate::platform::error::{Error, ErrorCode, FieldError, Result};
use crate::platform::http::html::posted;
use crate::platform::http::path::TextParam;

/// Where a link is asked for.
pub const FORGOT: &str = "/forgot";

/// What is posted to ask for a link.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ForgotForm {
    email: String,
}

/// The field of the form, by the name of the API's body.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ResetForm {
    new_password: String,
}

/// GET /forgot
pub async fn show(visit: Visit) -> Result<Response> {
    visit.page(&forgot(&visit, "", &[]), StatusCode::OK)
}

/// POST /forgot
///
/// The page after it is the same whether a person has the address.
pub async fn ask(State(app): State<App>, visit: Visit, request: Request) -> Result<Response> {
    let posted: ForgotForm = posted(request).await?;
    match resets::ask(&app, &visit.context, &posted.email, visit.lang).await {
        Ok(()) => {}
        Err(Error::Invalid(wrong)) => {
            return visit.refused(&forgot(&visit, &posted.email, &wrong));
        }
        Err(error) => {
            let mut page = forgot(&visit, &posted.email, &[]);
            return too_many(&visit, error, |notice| {
                page.notice = Some(notice);
                page
            });
        }
    }
    let lang = visit.lang;
    let (heading, note) = if app.mail.is_some() {
        (lang.entry_link_sent(), lang.entry_link_sent_note())
    } else {
        (lang.entry_forgot(), lang.entry_link_waits_note())
    };
    let page = MessagePage {
        lang,
        language_url: format!("{FORGOT}?lang={}", lang.other().tag()),
        heading,
        note,
        way_out: Some((SIGN_IN, lang.entry_sign_in())),
    };
    visit.page(&page, StatusCode::OK)
}

/// GET /reset/{token}
pub async fn open(
    State(app): State<App>,
    visit: Visit,
    TextParam(token): TextParam,
) -> Result<Response> {
    match resets::find(&app, &visit.context, &token).await {
        Ok(_) => visit.page(&reset(&visit, &[]), StatusCode::OK),
        Err(error) => over(&visit, error),
    }
}

/// POST /reset/{token}
pub async fn set_password(
    State(app): State<App>,
    visit: Visit,
    TextParam(token): TextParam,
    request: Request,
) -> Result<Response> {
    let posted: ResetForm = posted(request).await?;
    let (context, lang) = (&visit.context, visit.lang);
    match resets::set_password(&app, context, &token, posted.new_password, lang).await {
        Ok(()) => Ok(see_and_say(&app, SIGN_IN, lang.entry_password_set())),
        Err(Error::Invalid(wrong)) => visit.refused(&reset(&visit, &wrong)),
        Err(error @ Error::TooMany { .. }) => {
            let mut page = reset(&visit, &[]);
            too_many(&visit, error, |notice| {
                page.notice = Some(notice);
                page
            })
        }
        Err(error) => over(&visit, error),
    }
}

/// The page about a link that sets no password any more; any other error stays an error.
fn over(visit: &Visit, error: Error) -> Result<Response> {
    if error.code() != ErrorCode::PasswordResetInvalid {
        return Err(error);
    }
    let (heading, note) = (visit.lang.entry_link_over(), visit.lang.entry_link_over_note());
    let way_out = Some((FORGOT, visit.lang.entry_forgot()));
    let page = MessagePage::new(visit, heading, note, way_out);
    visit.page(&page, StatusCode::GONE)
}

fn forgot(visit: &Visit, email: &str, wrong: &[FieldError]) -> ForgotPage {
    ForgotPage {
        lang: visit.lang,
        language_url: visit.language_url(),
        notice: None,
        email: Field::judged("email", email, wrong, visit.lang),
    }
}

fn reset(visit: &Visit, wrong: &[FieldError]) -> ResetPage {
    ResetPage {
        lang: visit.lang,
        language_url: visit.language_url(),
        notice: None,
        new_password: Field::judged("newPassword", "", wrong, visit.lang),
        place: visit.path.clone(),
    }
}
