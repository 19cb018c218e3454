//! Changing the address that a person signs in with.
//!
//! The form carries no attempt of its own: sent twice, it asks for one change.

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;
use serde_json::json;

use crate::app::App;
use crate::auth::seat::PersonalSeat;
use crate::dashboard::account::frame;
use crate::dashboard::account::security::proof_pages::{CodeFailure, failure};
use crate::dashboard::account::security::view::ProofField;
use crate::dashboard::account::view::{EmailPage, PendingEmail};
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::form::{Field, explain};
use crate::dashboard::kept_form;
use crate::dashboard::shell::{Section, account_url};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::people::email_changes::EmailChange;
use crate::people::email_changes::api::{ChangeBody, ask, ask_to_cancel, standing};
use crate::platform::error::{Error, Result};
use crate::platform::http::card_data;
use crate::platform::http::device::Device;
use crate::platform::http::html::posted_to_correct;
use crate::platform::messages::Lang;
use crate::platform::permissions::NoPermission;

const PATH: &str = "/profile/email";
const PROFILE: &str = "/profile";
const API: &str = "/api/auth/email";
/// The fields whose errors the form shows.
const SHOWN: [&str; 1] = ["email"];

/// The fields by the names of the body's.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct EmailForm {
    email: String,
    password: String,
    code: String,
}

/// GET /account/profile/email
pub async fn show(
    State(app): State<App>,
    seat: PersonalSeat<NoPermission>,
    visit: Visit,
) -> Result<Response> {
    let kept = kept_form::read::<EmailForm>(&app, seat.who(), &visit).unwrap_or_default();
    visit.page(&page(&app, &seat, &visit, &kept.email).await?, StatusCode::OK)
}

/// POST /account/profile/email
pub async fn change(
    State(app): State<App>,
    seat: PersonalSeat<NoPermission>,
    visit: Visit,
    device: Device,
    request: Request,
) -> Result<Response> {
    let EmailForm { email, password, code } = posted_to_correct(request, &SHOWN).await?;
    let lang = visit.lang;
    let mut page = page(&app, &seat, &visit, &email).await?;
    if password.is_empty() {
        page.wrong("password", lang.required());
        return visit.refused(&page);
    }
    let code = Some(code).filter(|code| !code.trim().is_empty());
    let from = (&*visit.context, &device);
    let asked = match card_data::refuse_typed([("email", &*email)]) {
        Ok(()) => ask(&app, from, lang, seat.acting(), ChangeBody { email, password, code }).await,
        Err(error) => Err(error),
    };
    match asked {
        Ok(_) => return Ok(see_and_say(&app, &account_url(PATH), lang.email_asked())),
        Err(Error::Invalid(wrong)) => {
            let error = wrong.first().map(|wrong| match wrong.code {
                "INVALID_VALUE" => lang.email_same().to_owned(),
                _ => explain(wrong, lang),
            });
            page.wrong("email", &error.unwrap_or_default());
        }
        Err(error) => match failure(&app, &visit, error)? {
            CodeFailure::Field(name, text) => page.wrong(name, text),
            CodeFailure::Form(text) => page.frame.refused = Some(text),
            CodeFailure::Elsewhere(response) => return Ok(response),
        },
    }
    visit.refused(&page)
}

/// POST /account/profile/email/cancel
pub async fn cancel(
    State(app): State<App>,
    seat: PersonalSeat<NoPermission>,
    visit: Visit,
) -> Result<Response> {
    ask_to_cancel(&app, seat.acting()).await?;
    Ok(see_and_say(&app, &account_url(PATH), visit.lang.email_cancelled()))
}

async fn page(
    app: &App,
    seat: &PersonalSeat<NoPermission>,
    visit: &Visit,
    typed: &str,
) -> Result<EmailPage> {
    let (lang, base_url) = (visit.lang, app.settings.base_url());
    let (current, pending) = standing(app, seat.holder.person).await?;
    let body = if seat.has_second_step {
        json!({ "email": "ana@example.com", "password": "…", "code": "123456" })
    } else {
        json!({ "email": "ana@example.com", "password": "…" })
    };
    let api = vec![
        ApiCall::of_person(&base_url, API),
        ApiCall::send("POST", &base_url, API, &body).as_person(),
    ];
    let names = (lang.email_title(), lang.email_ask());
    let back = (PROFILE, lang.profile_title());
    let email = ProofField {
        field: Field::typed(typed),
        ..ProofField::text("email", lang.email_new(), "email")
    };
    let password = ProofField::password("password", lang.entry_password(), "current-password");
    let code = || ProofField::code(lang.entry_code(), lang.entry_code_hint());
    Ok(EmailPage {
        lang,
        shell: frame::shell(app, seat, visit, Section::Profile).await?,
        frame: frame::form(app, seat, PATH, back, names, api),
        sends_none: app.mail.is_none(),
        current,
        waits: !seat.has_second_step,
        pending: pending.map(|open| waiting(&open, lang)),
        fields: [email, password].into_iter().chain(seat.has_second_step.then(code)).collect(),
    })
}

fn waiting(open: &EmailChange, lang: Lang) -> PendingEmail {
    let until = lang.date_time(open.expires_at.micros());
    let note = match open.waits_until() {
        Some(from) => lang.email_pending_from(&open.email, lang.date_time(from.micros()), until),
        None => lang.email_pending_now(&open.email, until),
    };
    PendingEmail { note, cancel_url: format!("{}/cancel", account_url(PATH)) }
}
