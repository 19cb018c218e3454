//! Turning the second step on, and off again.
//!
//! The forms carry no attempt of their own: a code is good for one use, so a form that is sent
//! twice does one thing.

use axum::extract::{Request, State};
use axum::response::Response;
use documents::qr::Qr;
use http::StatusCode;
use serde::Deserialize;
use serde_json::json;
use url::form_urlencoded;

use crate::app::App;
use crate::auth::elevation::Matter;
use crate::auth::seat::PersonalSeat;
use crate::dashboard::account::frame;
use crate::dashboard::account::security::codes_pages::codes_page;
use crate::dashboard::account::security::proof_pages::{CodeFailure, ProofForm, failure};
use crate::dashboard::account::security::security_pages::PATH;
use crate::dashboard::account::security::view::{BeginPage, EnrollmentPage, ProofField};
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::entry::next::wanted;
use crate::dashboard::form::Field;
use crate::dashboard::kept_form;
use crate::dashboard::shell::{Section, account_url};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::people::second_step::api::{
    BeginBody, ConfirmBody, EnrollmentView, RemoveBody, ask_to_begin, ask_to_confirm,
    ask_to_remove, waiting,
};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::device::Device;
use crate::platform::http::html::posted;
use crate::platform::http::query::Query;
use crate::platform::messages::Lang;
use crate::platform::permissions::NoPermission;

/// The paths of the pages.
const TURN_ON: &str = "/security/second-step";
const TURN_OFF: &str = "/security/second-step/remove";
const API: &str = "/api/two-factor";

/// Where the person goes on once the step is on.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Onward {
    next: String,
}

/// What is posted.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CodeForm {
    next: String,
    password: String,
    code: String,
}

/// The address of the page, from which a person comes to the next one.
pub fn lead(next: &str) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    format!("{}?{}", account_url(TURN_ON), query.append_pair("next", next).finish())
}

/// GET /account/security/second-step
pub async fn show(
    State(app): State<App>,
    seat: PersonalSeat<NoPermission>,
    visit: Visit,
    Query(Onward { next }): Query<Onward>,
) -> Result<Response> {
    let lang = visit.lang;
    let kept = kept_form::read::<Onward>(&app, seat.who(), &visit);
    let next = kept.map_or(next, |kept| kept.next);
    if seat.has_second_step {
        return Ok(see_and_say(&app, &after(&next), lang.step_is_on()));
    }
    visit.page(&beginning(&app, &seat, &visit, next).await?, StatusCode::OK)
}

/// POST /account/security/second-step
///
/// Answers with the secret itself, which no address leads to.
pub async fn begin(
    State(app): State<App>,
    seat: PersonalSeat<NoPermission>,
    visit: Visit,
    device: Device,
    request: Request,
) -> Result<Response> {
    let CodeForm { next, password, .. } = posted(request).await?;
    let lang = visit.lang;
    if password.is_empty() {
        let mut page = beginning(&app, &seat, &visit, next).await?;
        page.wrong(lang.required());
        return visit.refused(&page);
    }
    let (from, permit) = ((&*visit.context, &device), seat.permit(Matter::Own));
    let body = BeginBody { password };
    let error = match ask_to_begin(&app, from, seat.acting(), permit, body).await {
        Ok(made) => {
            let page = enrollment(&app, &seat, &visit, made, next).await?;
            return visit.page(&page, StatusCode::OK);
        }
        Err(Error::Refused(ErrorCode::AlreadyExists, _)) => {
            return Ok(see_and_say(&app, &after(&next), lang.step_is_on()));
        }
        Err(error) => error,
    };
    let mut page = beginning(&app, &seat, &visit, next).await?;
    match failure(&app, &visit, error)? {
        CodeFailure::Field(_, text) => page.wrong(text),
        CodeFailure::Form(text) => page.frame.refused = Some(text),
        CodeFailure::Elsewhere(response) => return Ok(response),
    }
    visit.refused(&page)
}

/// POST /account/security/second-step/confirm
pub async fn confirm(
    State(app): State<App>,
    seat: PersonalSeat<NoPermission>,
    visit: Visit,
    request: Request,
) -> Result<Response> {
    let CodeForm { next, code, .. } = posted(request).await?;
    let (lang, permit) = (visit.lang, seat.permit(Matter::Own));
    let (how, body) = ((&*visit.context, lang), ConfirmBody { code });
    match ask_to_confirm(&app, how, seat.acting(), permit, body).await {
        Ok(codes) => {
            let heading = lang.step_codes_on();
            codes_page(&app, &seat, &visit, (heading, after(&next)), &codes).await
        }
        Err(error) if error.code() == ErrorCode::TwoFactorCodeInvalid => {
            match waiting(&app, seat.acting()).await? {
                Some(made) => {
                    let mut page = enrollment(&app, &seat, &visit, made, next).await?;
                    page.code.error = Some(lang.entry_code_wrong().to_owned());
                    let wrong = page.code.wrong("code", lang.entry_code());
                    page.frame.wrong = wrong.into_iter().collect();
                    visit.refused(&page)
                }
                None => Ok(see_and_say(&app, &lead(&next), lang.step_again())),
            }
        }
        Err(Error::Refused(ErrorCode::InvalidStateTransition, _)) => {
            Ok(see_and_say(&app, &lead(&next), lang.step_again()))
        }
        Err(error) => Err(error),
    }
}

/// GET /account/security/second-step/remove
pub async fn show_removal(
    State(app): State<App>,
    seat: PersonalSeat<NoPermission>,
    visit: Visit,
) -> Result<Response> {
    removal(&app, visit.lang).show_with_step(&app, &seat, &visit).await
}

/// POST /account/security/second-step/remove
pub async fn remove(
    State(app): State<App>,
    seat: PersonalSeat<NoPermission>,
    visit: Visit,
    device: Device,
    request: Request,
) -> Result<Response> {
    let CodeForm { password, code, .. } = posted(request).await?;
    let lang = visit.lang;
    let body = RemoveBody { password, code };
    let from = (&*visit.context, &device);
    match ask_to_remove(&app, from, lang, seat.acting(), body).await {
        Ok(()) => Ok(see_and_say(&app, &account_url(PATH), lang.step_removed())),
        Err(error) => removal(&app, lang).refused(&app, &seat, &visit, error).await,
    }
}

async fn beginning(
    app: &App,
    seat: &PersonalSeat<NoPermission>,
    visit: &Visit,
    next: String,
) -> Result<BeginPage> {
    let (lang, base_url) = (visit.lang, app.settings.base_url());
    let body = json!({ "password": "…" });
    let api = vec![ApiCall::send("POST", &base_url, API, &body).as_person()];
    let names = (lang.security_turn_on(), lang.step_begin());
    let back = (PATH, lang.security_title());
    Ok(BeginPage {
        lang,
        shell: frame::shell(app, seat, visit, Section::Security).await?,
        frame: frame::form(app, seat, TURN_ON, back, names, api),
        password: Field::default(),
        next,
    })
}

fn removal(app: &App, lang: Lang) -> ProofForm {
    let body = json!({ "password": "…", "code": "123456" });
    ProofForm {
        path: TURN_OFF,
        names: (lang.security_turn_off(), lang.security_turn_off()),
        note: lang.step_remove_note(),
        fields: vec![
            ProofField::password("password", lang.entry_password(), "current-password"),
            ProofField::code(lang.entry_code(), lang.entry_code_hint()),
        ],
        call: ApiCall::send("DELETE", &app.settings.base_url(), API, &body).as_person(),
    }
}

async fn enrollment(
    app: &App,
    seat: &PersonalSeat<NoPermission>,
    visit: &Visit,
    made: EnrollmentView,
    next: String,
) -> Result<EnrollmentPage> {
    let (lang, base_url) = (visit.lang, app.settings.base_url());
    let EnrollmentView { secret, otpauth_url, .. } = made;
    let (path, body) = (format!("{TURN_ON}/confirm"), json!({ "code": "123456" }));
    let api = ApiCall::send("POST", &base_url, &format!("{API}/confirm"), &body).as_person();
    let names = (lang.security_turn_on(), lang.step_turn_on());
    let back = (PATH, lang.security_title());
    Ok(EnrollmentPage {
        lang,
        shell: frame::shell(app, seat, visit, Section::Security).await?,
        frame: frame::form(app, seat, &path, back, names, vec![api]),
        qr: Qr::encode(&otpauth_url)?,
        secret,
        app_url: otpauth_url,
        code: Field::default(),
        next,
    })
}

/// Where a person goes on; the page about security, if nothing else was wanted.
fn after(next: &str) -> String {
    if next.is_empty() { account_url(PATH) } else { wanted(next).to_owned() }
}
