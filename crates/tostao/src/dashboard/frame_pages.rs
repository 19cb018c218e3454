//! Wraps every page of the dashboard: who may post to it, and what a refusal looks like.

use askama::Template;
use axum::extract::{FromRequestParts, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use db::tx::Tx;
use http::HeaderMap;

use crate::app::App;
use crate::auth::seat::{EndedSession, SIGN_IN, SeatHolder, is_of_account, mode_of};
use crate::dashboard::account::elevate_pages;
use crate::dashboard::account::look_pages::{UPLOAD, UPLOAD_BYTES_MAX};
use crate::dashboard::account::security::second_step_pages;
use crate::dashboard::elsewhere_pages;
use crate::dashboard::entry::sign_in_pages;
use crate::dashboard::host_pages::is_own;
use crate::dashboard::kept_form;
use crate::dashboard::shell::{self, Section, Shell};
use crate::dashboard::view::{OutsidePage, Refusal, RefusedPage};
use crate::dashboard::visit_pages::Visit;
use crate::dashboard::words;
use crate::people;
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::body::{BODY_BYTES_MAX, read};
use crate::platform::http::error_response::{RenderedError, UnrenderedError};
use crate::platform::http::own_forms::{FormSource, source};
use crate::platform::ids::Mode;
use crate::platform::messages::Lang;
use crate::platform::permissions::PersonalPermission;

/// Where a form is drawn again that was refused.
#[derive(Debug, Clone)]
struct KeptAt(String);

/// Wraps the pages: nothing changes but by a form of ours, and refusals are pages.
pub async fn frame(State(app): State<App>, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    let headers = parts.headers.clone();
    let visit = match Visit::from_request_parts(&mut parts, &app).await {
        Ok(visit) => visit,
        Err(error) => return error.into_response(),
    };
    let is_safe = parts.method.is_safe();
    let mut response = match admit(&app, &headers, is_safe) {
        Ok(()) if is_safe => next.run(Request::from_parts(parts, body)).await,
        Ok(()) => posted(&app, &visit, Request::from_parts(parts, body), next).await,
        Err(error) => error.into_response(),
    };
    let error = response.extensions().get::<UnrenderedError>().cloned();
    let back = response.extensions().get().map_or(visit.address(), |KeptAt(back)| back.clone());
    if let Some(UnrenderedError(error)) = error
        && let Ok(page) = rendered(&app, &headers, &visit, &error, &back).await
    {
        response.extensions_mut().insert(RenderedError(page.into()));
    }
    response
}

/// Runs what was posted. If the session has ended, or the person has to prove again who they are,
/// the form is kept until they are back.
async fn posted(app: &App, visit: &Visit, request: Request, next: Next) -> Response {
    // What the forms before the dashboard take is short, or secret: it is typed again.
    let mode = mode_of(&visit.path);
    if mode.is_none() && !is_of_account(&visit.path) {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    let headers = parts.headers.clone();
    let is_upload = visit.path == UPLOAD;
    let most = if is_upload { UPLOAD_BYTES_MAX } else { BODY_BYTES_MAX };
    let posted = match read(Request::from_parts(parts.clone(), body), most).await {
        Ok(posted) => posted,
        // The form comes back and says so.
        Err(error) if is_upload && error.code() == ErrorCode::PayloadTooLarge => Bytes::new(),
        Err(error) => return error.into_response(),
    };
    let mut response = next.run(Request::from_parts(parts, posted.clone().into())).await;
    // A browser lets no page choose a file again.
    let posted = if is_upload { Bytes::new() } else { posted };
    let kept = |who| kept_form::page_of(app, who, &visit.path, &posted);
    let asked = if let Some(EndedSession(merchant, person)) = response.extensions().get().copied() {
        kept((merchant, person)).and_then(|back| sign_in_pages::ask_again(app, visit, back))
    } else if let Some(code) = missing_proof(&response)
        && let Ok(Some(SeatHolder { merchant, person, .. })) =
            SeatHolder::find(app, &headers, mode.unwrap_or(Mode::Production)).await
    {
        match kept((merchant, person)) {
            Ok(back) if code == ErrorCode::TwoFactorMissing => {
                response.extensions_mut().insert(KeptAt(back));
                return response;
            }
            kept => kept.map(|back| elevate_pages::lead(&back)),
        }
    } else {
        return response;
    };
    asked.unwrap_or_else(IntoResponse::into_response)
}

/// What a person has to do before what they asked for: prove again who they are, or turn on a
/// second step.
fn missing_proof(response: &Response) -> Option<ErrorCode> {
    let UnrenderedError(error) = response.extensions().get::<UnrenderedError>()?;
    let asks = [ErrorCode::ElevationRequired, ErrorCode::TwoFactorMissing];
    Some(error.code()).filter(|code| asks.contains(code))
}

/// The address of no page.
pub async fn not_found() -> Error {
    Error::NotFound("Page")
}

/// Refuses hosts that are not the dashboard's, and forms that are not ours.
fn admit(app: &App, headers: &HeaderMap, is_safe: bool) -> Result<()> {
    if !is_own(&app.settings, headers) {
        return Err(Error::NotFound("Page"));
    }
    if is_safe || source(headers, &[app.settings.base_url()]) == FormSource::Own {
        return Ok(());
    }
    let message = "The form was not posted by a page of this server. Open the page again.";
    Err(Error::refused(ErrorCode::CrossSiteForm, message))
}

/// The page about an error, in the frame of the person who is signed in.
async fn rendered(
    app: &App,
    headers: &HeaderMap,
    visit: &Visit,
    error: &Error,
    back: &str,
) -> Result<String> {
    let mode = mode_of(&visit.path);
    let shown = mode.unwrap_or(Mode::Development);
    // An error may be the database's: then the page stands without its frame.
    let holder = SeatHolder::find(app, headers, shown).await.unwrap_or_default();
    let mut refusal = refusal(app, visit, error, holder, shown).await;
    if let (Error::NotFound(_), Some(_), Some(mode)) = (error, holder, mode) {
        // The page stands without it.
        refusal.elsewhere =
            elsewhere_pages::of(app, headers, visit, mode).await.unwrap_or_default();
    }
    if error.code() == ErrorCode::TwoFactorMissing {
        refusal.way_out = (second_step_pages::lead(back), visit.lang.refused_to_second_step());
    }
    let lang = visit.lang;
    let frame = match holder {
        Some(holder) => {
            let mode = if is_of_account(&visit.path) { None } else { Some(shown) };
            Shell::read(app, holder, mode, visit, Section::Other).await.ok()
        }
        None => None,
    };
    let html = match frame {
        Some(shell) => RefusedPage { lang, shell, refusal }.render(),
        None => OutsidePage { lang, language_url: visit.language_url(), refusal }.render(),
    };
    html.map_err(|error| Error::Internal(error.into()))
}

async fn refusal(
    app: &App,
    visit: &Visit,
    error: &Error,
    holder: Option<SeatHolder>,
    mode: Mode,
) -> Refusal {
    let lang = visit.lang;
    let way_out = match (error, holder) {
        (Error::TooMany { .. }, _) => (visit.context.retry_url(), lang.try_again()),
        (_, Some(_)) => (shell::url(mode, ""), lang.refused_back()),
        (_, None) => (SIGN_IN.to_owned(), lang.entry_sign_in()),
    };
    let reference = lang.refused_reference(&visit.context.request_id, error.code().name());
    let mut refusal = Refusal {
        heading: "",
        note: String::new(),
        who_can: Vec::new(),
        reference,
        elsewhere: Vec::new(),
        way_out,
    };
    let (heading, note) = if let Error::RoleForbidden(permission) = error {
        refusal.who_can = who_can_give(app, holder).await.unwrap_or_default();
        let role = holder.map_or("", |holder| words::role(holder.role, lang));
        (lang.refused_permission(), lang.refused_permission_note(role, permission))
    } else {
        said(error, lang)
    };
    Refusal { heading, note, ..refusal }
}

/// The heading and the note about an error, for any reader.
pub fn said(error: &Error, lang: Lang) -> (&'static str, String) {
    let (heading, note) = match error {
        Error::NotFound(_) => (lang.refused_not_found(), lang.refused_not_found_note()),
        Error::TooMany { retry_after_seconds, .. } => {
            return (lang.refused_too_many(), lang.wait_seconds(retry_after_seconds));
        }
        Error::Refused(ErrorCode::TwoFactorMissing, _) => {
            (lang.refused_second_step(), lang.refused_second_step_note())
        }
        Error::Refused(ErrorCode::CrossSiteForm, _) => {
            (lang.refused_foreign(), lang.refused_foreign_note())
        }
        Error::Unknown(_) => (lang.refused_unknown(), lang.refused_unknown_note()),
        error if error.code().status() >= 500 => {
            (lang.refused_internal(), lang.refused_internal_note())
        }
        Error::KeyReused { .. } => (lang.refused_otherwise(), lang.refused_used()),
        Error::State { .. } => (lang.refused_otherwise(), lang.refused_state()),
        _ => (lang.refused_otherwise(), lang.refused_otherwise_note()),
    };
    (heading, note.to_owned())
}

/// The members of the account who can give somebody another role.
async fn who_can_give(app: &App, holder: Option<SeatHolder>) -> Result<Vec<String>> {
    let Some(SeatHolder { merchant, .. }) = holder else { return Ok(Vec::new()) };
    let members = app.read(async move |tx: &Tx| people::members(tx, merchant).await).await?;
    let may = members.into_iter().filter(|member| member.role.may(PersonalPermission::TeamWrite));
    Ok(may.map(|member| format!("{} ({})", member.name, member.email)).collect())
}
