//! Accepting an invitation.

use axum::extract::{Request, State};
use axum::response::Response;
use http::{HeaderMap, StatusCode};
use serde::Deserialize;

use crate::app::App;
use crate::auth::seat::SIGN_IN;
use crate::dashboard::entry::session_pages::{Arrival, Onward, enter};
use crate::dashboard::entry::sign_in_pages::too_many;
use crate::dashboard::entry::view::{InvitationPage, MessagePage, Notice};
use crate::dashboard::form::Field;
use crate::dashboard::shell;
use crate::dashboard::visit_pages::Visit;
use crate::dashboard::words;
use crate::merchants;
use crate::people;
use crate::people::invitations::Invitation;
use crate::people::invitations::acceptance::{self, AcceptBody};
use crate::platform::error::{Error, ErrorCode, FieldError, Result};
use crate::platform::http::card_data;
use crate::platform::http::device::Device;
use crate::platform::http::html::posted_to_correct;
use crate::platform::http::path::TextParam;
use crate::platform::ids::Mode;

/// The fields whose errors the form shows.
const SHOWN: [&str; 2] = ["name", "password"];

/// The fields of the form, by the names of the API's body.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct AcceptForm {
    name: String,
    password: String,
}

/// An open invitation, with the name of its account and whether its person is new.
struct Found {
    invitation: Invitation,
    account: String,
    is_new: bool,
}

/// GET /invitations/{token}
pub async fn show(
    State(app): State<App>,
    visit: Visit,
    TextParam(token): TextParam,
) -> Result<Response> {
    match find(&app, &visit, &token).await {
        Ok(found) => visit.page(&page(&visit, &found, &AcceptForm::default(), &[]), StatusCode::OK),
        Err(error) => over(&visit, error),
    }
}

/// POST /invitations/{token}
pub async fn accept(
    State(app): State<App>,
    visit: Visit,
    device: Device,
    headers: HeaderMap,
    TextParam(token): TextParam,
    request: Request,
) -> Result<Response> {
    let posted: AcceptForm = posted_to_correct(request, &SHOWN).await?;
    let found = match find(&app, &visit, &token).await {
        Ok(found) => found,
        Err(error) => return over(&visit, error),
    };
    if let Err(error) = card_data::refuse_typed([("name", posted.name.as_str())]) {
        return refused(&visit, &found, &AcceptForm::default(), error);
    }
    let (name, password) = (Some(posted.name.clone()), posted.password.clone());
    let body = AcceptBody { token, name, password };
    let joined = match acceptance::accept(&app, &visit.context, &device, body).await {
        Ok(joined) => joined,
        Err(error) => return refused(&visit, &found, &posted, error),
    };
    let who = app.read(async move |tx| people::signed_in(tx, joined.0, joined.1).await).await?;
    let who = who.ok_or(Error::NotFound("Account"))?;
    let arrival = Arrival { visit: &visit, headers: &headers, device: &device };
    let said = Some(visit.lang.entry_joined(&found.account));
    let onward = Onward { next: shell::url(Mode::Development, ""), said };
    enter(&app, &arrival, who, onward).await
}

async fn find(app: &App, visit: &Visit, token: &str) -> Result<Found> {
    let (invitation, known) = acceptance::find(app, &visit.context, token).await?;
    let merchant = invitation.merchant;
    let account = app.read(async move |tx| merchants::find(tx, merchant).await).await?.name;
    Ok(Found { invitation, account, is_new: known.is_none() })
}

/// The form again, with what is wrong with it.
fn refused(visit: &Visit, found: &Found, posted: &AcceptForm, error: Error) -> Result<Response> {
    let lang = visit.lang;
    let wrong = match &error {
        Error::Invalid(wrong) => wrong.clone(),
        _ => Vec::new(),
    };
    let mut page = page(visit, found, posted, &wrong);
    let mut say = |text: &str| {
        let text = text.to_owned();
        page.notice = Some(Notice { heading: lang.entry_invitation_refused(), text });
    };
    match &error {
        Error::Invalid(_) => {}
        Error::Unauthenticated(_) => {
            page.password.error = Some(lang.entry_wrong_password().to_owned());
        }
        Error::Refused(ErrorCode::AlreadyExists, _) => say(lang.entry_already_member()),
        Error::Refused(ErrorCode::InvalidStateTransition, _) => say(lang.entry_administrator()),
        Error::TooMany { .. } => {
            return too_many(visit, error, |notice| {
                page.notice = Some(notice);
                page
            });
        }
        _ => return over(visit, error),
    }
    visit.refused(&page)
}

/// The page about an invitation that cannot be accepted any more; any other error stays an error.
fn over(visit: &Visit, error: Error) -> Result<Response> {
    if error.code() != ErrorCode::InvitationInvalid {
        return Err(error);
    }
    let lang = visit.lang;
    let (heading, note) = (lang.entry_invitation_over(), lang.entry_invitation_over_note());
    let page = MessagePage::new(visit, heading, note, Some((SIGN_IN, lang.entry_sign_in())));
    visit.page(&page, StatusCode::GONE)
}

fn page(visit: &Visit, found: &Found, posted: &AcceptForm, wrong: &[FieldError]) -> InvitationPage {
    let lang = visit.lang;
    let name = Field::judged("name", &posted.name, wrong, lang);
    InvitationPage {
        lang,
        language_url: visit.language_url(),
        notice: None,
        account: found.account.clone(),
        email: found.invitation.email.clone(),
        role: words::role(found.invitation.role, lang),
        name: found.is_new.then_some(name),
        password: Field::judged("password", "", wrong, lang),
        place: visit.path.clone(),
    }
}
