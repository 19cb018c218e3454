//! Signing in.

use axum::extract::{Request, State};
use axum::response::Response;
use http::{HeaderMap, StatusCode};
use serde::Deserialize;
use url::form_urlencoded;

use crate::app::App;
use crate::auth::seat::SIGN_IN;
use crate::dashboard::entry::next::wanted;
use crate::dashboard::entry::session_pages::{Arrival, Onward, enter, is_known};
use crate::dashboard::entry::view::{Notice, SignInPage};
use crate::dashboard::form::Field;
use crate::dashboard::kept_form;
use crate::dashboard::visit_pages::Visit;
use crate::people;
use crate::people::sign_in::{prove_password, sign_in_source};
use crate::platform::config::Registration;
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::device::Device;
use crate::platform::http::error_response;
use crate::platform::http::html::{posted, see};
use crate::platform::http::query::Query;
use crate::platform::ids::MerchantId;

/// Where to go on, and why one has to sign in.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct SignInQuery {
    next: String,
    /// Whether a session has ended.
    ended: String,
}

/// What is posted to sign in.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SignInForm {
    email: String,
    password: String,
    next: String,
}

/// GET /sign-in
pub async fn show(
    State(app): State<App>,
    visit: Visit,
    headers: HeaderMap,
    Query(query): Query<SignInQuery>,
) -> Result<Response> {
    if is_known(&app, &headers).await? {
        return Ok(see(wanted(&query.next)));
    }
    let mut page = page(&app, &visit, &SignInForm { next: query.next, ..SignInForm::default() });
    if page.flash.is_none() && !query.ended.is_empty() {
        page.flash = Some(visit.lang.entry_ended().to_owned());
    }
    visit.page(&page, StatusCode::OK)
}

/// The page after a form whose session has ended; the form is at `back` once its person is in.
pub fn ask_again(app: &App, visit: &Visit, back: String) -> Result<Response> {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("next", &back).append_pair("lang", visit.lang.other().tag());
    let mut page = page(app, visit, &SignInForm { next: back, ..SignInForm::default() });
    page.language_url = format!("{SIGN_IN}?{}", query.finish());
    page.flash = Some(visit.lang.entry_form_kept().to_owned());
    visit.page(&page, StatusCode::FORBIDDEN)
}

/// POST /sign-in
pub async fn sign_in(
    State(app): State<App>,
    visit: Visit,
    device: Device,
    headers: HeaderMap,
    request: Request,
) -> Result<Response> {
    let posted: SignInForm = posted(request).await?;
    let mut page = page(&app, &visit, &posted);
    let lang = visit.lang;
    for (field, value) in [(&mut page.email, &posted.email), (&mut page.password, &posted.password)]
    {
        field.error = value.is_empty().then(|| lang.required().to_owned());
    }
    if page.email.error.is_some() || page.password.error.is_some() {
        return visit.refused(&page);
    }
    let from = sign_in_source(&visit.context, &device);
    let kept = kept_account(&app, &posted.next).await?;
    let typed = (posted.email.as_str(), kept);
    match prove_password(&app, &visit.context, &from, typed, posted.password).await {
        Ok(who) => {
            let arrival = Arrival { visit: &visit, headers: &headers, device: &device };
            let said = kept.map(|_| lang.entry_form_back().to_owned());
            let onward = Onward { next: wanted(&posted.next).to_owned(), said };
            enter(&app, &arrival, who, onward).await
        }
        Err(Error::Unauthenticated(ErrorCode::InvalidCredentials)) => {
            let text = lang.entry_wrong_note().to_owned();
            page.notice = Some(Notice { heading: lang.entry_wrong(), text });
            visit.refused(&page)
        }
        Err(error) => too_many(&visit, error, |notice| {
            page.notice = Some(notice);
            page
        }),
    }
}

/// The account of a form that is drawn again, as long as its person is a member there.
async fn kept_account(app: &App, next: &str) -> Result<Option<MerchantId>> {
    let Some((account, person)) = kept_form::whose(app, next) else { return Ok(None) };
    let member = app.read(async move |tx| people::signed_in(tx, account, person).await).await?;
    Ok(member.map(|_| account))
}

/// The form again, which says how long to wait; any other error stays an error.
pub fn too_many<P: askama::Template>(
    visit: &Visit,
    error: Error,
    page: impl FnOnce(Notice) -> P,
) -> Result<Response> {
    let Error::TooMany { retry_after_seconds, .. } = error else { return Err(error) };
    visit.context.note_refusal(&error);
    let text = visit.lang.wait_seconds(retry_after_seconds);
    let page = page(Notice { heading: visit.lang.entry_wait(), text });
    let mut response = visit.page(&page, StatusCode::TOO_MANY_REQUESTS)?;
    response.headers_mut().extend(error_response::headers(&error));
    Ok(response)
}

fn page(app: &App, visit: &Visit, posted: &SignInForm) -> SignInPage {
    SignInPage {
        lang: visit.lang,
        language_url: visit.language_url(),
        flash: visit.flash.as_ref().map(|flash| flash.0.clone()),
        notice: None,
        email: Field::typed(&posted.email),
        password: Field::default(),
        next: posted.next.clone(),
        opens_accounts: app.settings.registration == Registration::Open,
    }
}
