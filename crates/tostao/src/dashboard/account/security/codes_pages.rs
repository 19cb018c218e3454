//! New backup codes, and what codes that are wrong lead to.

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;
use serde_json::json;
use url::form_urlencoded;

use crate::app::App;
use crate::auth::seat::{PersonalSeat, SIGN_IN, signed_out};
use crate::dashboard::account::frame;
use crate::dashboard::account::security::security_pages::PATH;
use crate::dashboard::account::security::view::{ProofField, ProofPage};
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::secret::SecretPage;
use crate::dashboard::shell::{Section, account_url};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::people::second_step::api::{CodesView, RenewBody, ask_to_renew};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::html::posted;
use crate::platform::permissions::NoPermission;

const RENEW: &str = "/security/backup-codes";
const API: &str = "/api/two-factor/backup-codes";

/// What is posted.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RenewForm {
    code: String,
}

/// What a password or a code that is wrong leads to.
pub enum CodeFailure {
    /// The name of a field, and what is wrong with it.
    Field(&'static str, &'static str),
    /// Why nothing was done, where no field is the reason.
    Form(&'static str),
    /// Another page.
    Elsewhere(Response),
}

/// Sorts what a form with a password or a code is refused for; any other error stays an error.
pub fn failure(app: &App, visit: &Visit, error: Error) -> Result<CodeFailure> {
    let lang = visit.lang;
    Ok(match error.code() {
        ErrorCode::InvalidCredentials => {
            CodeFailure::Field("password", lang.entry_wrong_password())
        }
        ErrorCode::TwoFactorCodeInvalid => CodeFailure::Field("code", lang.entry_code_wrong()),
        ErrorCode::TwoFactorRequired => CodeFailure::Field("code", lang.required()),
        ErrorCode::RateLimited => {
            visit.context.note_refusal(&error);
            CodeFailure::Form(lang.entry_wait())
        }
        ErrorCode::InvalidStateTransition => {
            CodeFailure::Elsewhere(see_and_say(app, &account_url(PATH), lang.step_is_off()))
        }
        ErrorCode::Unauthorized => {
            CodeFailure::Elsewhere(signed_out_by_codes(app, visit, &account_url(PATH))?)
        }
        _ => return Err(error),
    })
}

/// Leads a person whose session ended for wrong codes to the sign-in, and from there on.
pub fn signed_out_by_codes(app: &App, visit: &Visit, next: &str) -> Result<Response> {
    let mut query = form_urlencoded::Serializer::new(String::new());
    let address = format!("{SIGN_IN}?{}", query.append_pair("next", next).finish());
    let mut response = see_and_say(app, &address, visit.lang.security_codes_ended());
    let (name, value) = signed_out()?;
    response.headers_mut().append(name, value);
    Ok(response)
}

/// GET /account/security/backup-codes
pub async fn show(
    State(app): State<App>,
    seat: PersonalSeat<NoPermission>,
    visit: Visit,
) -> Result<Response> {
    if !seat.has_second_step {
        return Ok(see_and_say(&app, &account_url(PATH), visit.lang.step_is_off()));
    }
    visit.page(&form_page(&app, &seat, &visit).await?, StatusCode::OK)
}

/// POST /account/security/backup-codes
pub async fn renew(
    State(app): State<App>,
    seat: PersonalSeat<NoPermission>,
    visit: Visit,
    request: Request,
) -> Result<Response> {
    let RenewForm { code } = posted(request).await?;
    let (lang, body) = (visit.lang, RenewBody { code: Some(code) });
    match ask_to_renew(&app, (&visit.context, lang), seat.acting(), body).await {
        Ok(codes) => {
            let place = (lang.security_new_codes(), account_url(PATH));
            codes_page(&app, &seat, &visit, place, &codes).await
        }
        Err(error) => {
            let mut page = form_page(&app, &seat, &visit).await?;
            match failure(&app, &visit, error)? {
                CodeFailure::Field(name, text) => page.wrong(name, text),
                CodeFailure::Form(text) => page.frame.refused = Some(text),
                CodeFailure::Elsewhere(response) => return Ok(response),
            }
            visit.refused(&page)
        }
    }
}

/// The page that shows backup codes once, and leads on.
pub async fn codes_page(
    app: &App,
    seat: &PersonalSeat<NoPermission>,
    visit: &Visit,
    (heading, next): (&str, String),
    codes: &CodesView,
) -> Result<Response> {
    let lang = visit.lang;
    let page = SecretPage {
        lang,
        shell: frame::shell(app, seat, visit, Section::Security).await?,
        heading: heading.to_owned(),
        note: lang.step_codes_note(),
        old: None,
        lines: vec![("codes", lang.step_codes(), codes.backup_codes.join("\n"))],
        next: (next, lang.step_codes_stored()),
    };
    visit.page(&page, StatusCode::OK)
}

async fn form_page(
    app: &App,
    seat: &PersonalSeat<NoPermission>,
    visit: &Visit,
) -> Result<ProofPage> {
    let (lang, base_url) = (visit.lang, app.settings.base_url());
    let body = json!({ "code": "123456" });
    let api = vec![ApiCall::send("POST", &base_url, API, &body).as_person()];
    let names = (lang.security_new_codes(), lang.step_renew());
    Ok(ProofPage {
        lang,
        shell: frame::shell(app, seat, visit, Section::Security).await?,
        frame: frame::form(app, seat, RENEW, (PATH, lang.security_title()), names, api),
        note: lang.step_renew_note(),
        fields: vec![ProofField::code(lang.entry_code(), lang.step_code_hint())],
    })
}
