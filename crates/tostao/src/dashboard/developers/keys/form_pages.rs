//! The form of a new API key.

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use serde_json::json;

use crate::app::App;
use crate::auth::seat::MemberSeat;
use crate::credentials::api::ask_to_create;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt;
use crate::dashboard::developers::keys::form::{KeyForm, SHOWN};
use crate::dashboard::developers::keys::list_pages::{API, LIST, asker, secret_page};
use crate::dashboard::developers::keys::view::FormPage;
use crate::dashboard::developers::secrets::{is_over, of_session};
use crate::dashboard::form::{Posted, faults};
use crate::dashboard::form_frame::FormFrame;
use crate::dashboard::kept_form;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::{Visit, posted_form, see_and_say};
use crate::platform::error::{Error, ErrorCode, FieldError, Result};
use crate::platform::permissions::CredentialsWrite;

/// GET /dashboard/{mode}/developers/keys/new
pub async fn new(
    State(app): State<App>,
    seat: MemberSeat<CredentialsWrite>,
    visit: Visit,
) -> Result<Response> {
    let form = kept_form::read(&app, seat.who(), &visit).unwrap_or_default();
    let page = form_page(&app, &seat, &visit, (&form, &[])).await?;
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/developers/keys/new
///
/// Answers with the secret itself: an address that led to it would show it again.
pub async fn create(
    State(app): State<App>,
    seat: MemberSeat<CredentialsWrite>,
    visit: Visit,
    request: Request,
) -> Result<Response> {
    let form: Posted<KeyForm> = posted_form(request, &SHOWN).await?;
    let scope = seat.scope;
    let what = of_session(&seat, &form.values()?);
    let key = attempt::key(&app, scope, LIST, &form.attempt, &what)?;
    let made = match form.typed.body(scope.mode, &seat.permissions) {
        Ok(body) => ask_to_create(&app, &visit.context, asker(&seat), Some(key), body).await,
        Err(error) => Err(error),
    };
    match made {
        Ok(made) if is_over(&app, &made) => {
            Ok(see_and_say(&app, &url(scope.mode, LIST), visit.lang.secret_no_more()))
        }
        Ok(made) => secret_page(&app, &seat, &visit, made.read()?, None).await,
        Err(error) => refused(&app, &seat, &visit, (&form, error)).await,
    }
}

/// The form again, with its values and what is wrong.
async fn refused(
    app: &App,
    seat: &MemberSeat<CredentialsWrite>,
    visit: &Visit,
    (form, error): (&Posted<KeyForm>, Error),
) -> Result<Response> {
    let (wrong, refused) = match error {
        Error::Refused(ErrorCode::AlreadyExists, _) => {
            (Vec::new(), Some(visit.lang.keys_too_many()))
        }
        error => faults(error, visit.lang)?,
    };
    let mut page = form_page(app, seat, visit, (form, &wrong)).await?;
    page.frame.refused = refused;
    visit.refused(&page)
}

async fn form_page(
    app: &App,
    seat: &MemberSeat<CredentialsWrite>,
    visit: &Visit,
    (form, wrong): (&Posted<KeyForm>, &[FieldError]),
) -> Result<FormPage> {
    let (scope, mode, lang) = (seat.scope, seat.scope.mode, visit.lang);
    let body = json!({
        "name": "loja-web",
        "environment": mode,
        "permissions": ["transactions:read"],
    });
    let fields = form.typed.fields(&seat.permissions, wrong, lang);
    let names = [lang.key_new(), lang.keys_title(), lang.key_make()];
    let frame = FormFrame {
        wrong: fields.wrong(lang),
        api: vec![ApiCall::send("POST", &app.settings.base_url(), API, &body).as_person()],
        ..FormFrame::of_new(app, scope, (LIST, API), names)
    };
    let shell = Shell::read(app, seat.holder(), mode, visit, Section::Keys).await?;
    Ok(FormPage { lang, shell, frame, fields })
}
