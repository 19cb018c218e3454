//! The form of a new API key.

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use serde_json::json;

use crate::app::App;
use crate::auth::seat::MemberSeat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt;
use crate::dashboard::developers::keys::form::KeyForm;
use crate::dashboard::developers::keys::list_pages::{API, LIST, asker, secret_page};
use crate::dashboard::developers::keys::view::FormPage;
use crate::dashboard::kept_form;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::Visit;
use crate::merchants::credentials::api::ask_to_create;
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::html::posted_to_correct;
use crate::platform::permissions::CredentialsWrite;

/// The fields whose errors the form shows.
const SHOWN: [&str; 4] = ["name", "permissions", "expiresAt", "ipAllowlist"];

/// GET /dashboard/{mode}/developers/keys/new
pub async fn new(
    State(app): State<App>,
    seat: MemberSeat<CredentialsWrite>,
    visit: Visit,
) -> Result<Response> {
    let form: KeyForm = kept_form::read(&app, seat.who(), &visit).unwrap_or_default();
    let page = form_page(&app, &seat, &visit, &form).await?;
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/developers/keys/new
///
/// Answers with the secret itself: it is shown once, and an address that led to it would show it
/// again.
pub async fn create(
    State(app): State<App>,
    seat: MemberSeat<CredentialsWrite>,
    visit: Visit,
    request: Request,
) -> Result<Response> {
    let form: KeyForm = posted_to_correct(request, &SHOWN).await?;
    let scope = seat.scope;
    let key = attempt::key(&app, scope, LIST, &form.attempt, &form.values())?;
    let made = match form.body(scope.mode, &seat.permissions) {
        Ok(body) => ask_to_create(&app, &visit.context, asker(&seat), Some(key), body).await,
        Err(error) => Err(error),
    };
    match made {
        Ok(made) => secret_page(&app, &seat, &visit, made.read()?, None).await,
        Err(error) => refused(&app, &seat, &visit, (&form, error)).await,
    }
}

/// The form again, with its values and what is wrong.
async fn refused(
    app: &App,
    seat: &MemberSeat<CredentialsWrite>,
    visit: &Visit,
    (form, error): (&KeyForm, Error),
) -> Result<Response> {
    let lang = visit.lang;
    let mut page = form_page(app, seat, visit, form).await?;
    match error {
        Error::Invalid(wrong) => page.fields = form.fields(&seat.permissions, &wrong, lang),
        Error::Refused(ErrorCode::AlreadyExists, _) => {
            page.refused = Some(lang.keys_too_many().to_owned());
        }
        error => return Err(error),
    }
    page.wrong = page.fields.wrong(lang);
    visit.refused(&page)
}

async fn form_page(
    app: &App,
    seat: &MemberSeat<CredentialsWrite>,
    visit: &Visit,
    form: &KeyForm,
) -> Result<FormPage> {
    let (mode, lang) = (seat.scope.mode, visit.lang);
    let list_url = url(mode, LIST);
    let body = json!({
        "name": "loja-web",
        "environment": mode,
        "permissions": ["transactions:read"],
    });
    Ok(FormPage {
        lang,
        shell: Shell::read(app, seat.holder(), mode, visit, Section::Keys).await?,
        form_url: format!("{list_url}/new"),
        list_url,
        fields: form.fields(&seat.permissions, &[], lang),
        wrong: Vec::new(),
        refused: None,
        attempt: attempt::fresh(app, seat.scope),
        api: vec![ApiCall::send("POST", &app.settings.base_url(), API, &body).as_person()],
    })
}
