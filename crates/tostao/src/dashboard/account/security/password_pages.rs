//! Changing one's password.

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;
use serde_json::json;

use crate::app::App;
use crate::auth::seat::PersonalSeat;
use crate::dashboard::account::security::proof_pages::{CodeFailure, ProofForm, failure};
use crate::dashboard::account::security::security_pages::PATH;
use crate::dashboard::account::security::view::ProofField;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::form::explain;
use crate::dashboard::shell::account_url;
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::people::sessions_api::{PasswordBody, ask_to_change_password};
use crate::platform::error::{Error, Result};
use crate::platform::http::device::Device;
use crate::platform::http::html::posted;
use crate::platform::messages::Lang;
use crate::platform::permissions::NoPermission;

const CHANGE: &str = "/security/password";
const API: &str = "/api/auth/password";
const CURRENT: &str = "currentPassword";
const NEW: &str = "newPassword";

/// The fields by the names of the body's.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct PasswordForm {
    current_password: String,
    new_password: String,
}

/// GET /account/security/password
pub async fn show(
    State(app): State<App>,
    seat: PersonalSeat<NoPermission>,
    visit: Visit,
) -> Result<Response> {
    let page = form(&app, visit.lang).page(&app, &seat, &visit).await?;
    visit.page(&page, StatusCode::OK)
}

/// POST /account/security/password
///
/// Sent twice, the old password is wrong the second time.
pub async fn change(
    State(app): State<App>,
    seat: PersonalSeat<NoPermission>,
    visit: Visit,
    device: Device,
    request: Request,
) -> Result<Response> {
    let PasswordForm { current_password, new_password } = posted(request).await?;
    let lang = visit.lang;
    let mut page = form(&app, lang).page(&app, &seat, &visit).await?;
    if current_password.is_empty() {
        page.wrong(CURRENT, lang.required());
        return visit.refused(&page);
    }
    let body = PasswordBody { current_password, new_password };
    let from = (&*visit.context, &device);
    match ask_to_change_password(&app, from, lang, seat.acting(), body).await {
        Ok(_) => return Ok(see_and_say(&app, &account_url(PATH), lang.password_changed())),
        Err(Error::Invalid(wrong)) => {
            let error = wrong.first().map(|wrong| explain(wrong, lang));
            page.wrong(NEW, error.unwrap_or_default());
        }
        Err(error) => match failure(&app, &visit, error)? {
            CodeFailure::Field(_, text) => page.wrong(CURRENT, text),
            CodeFailure::Form(text) => page.frame.refused = Some(text),
            CodeFailure::Elsewhere(response) => return Ok(response),
        },
    }
    visit.refused(&page)
}

fn form(app: &App, lang: Lang) -> ProofForm {
    let body = json!({ CURRENT: "…", NEW: "…" });
    let new = ProofField::password(NEW, lang.password_new(), "new-password");
    ProofForm {
        path: CHANGE,
        names: (lang.security_change_password(), lang.account_save()),
        note: lang.security_password_note(),
        fields: vec![
            ProofField::password(CURRENT, lang.password_current(), "current-password"),
            ProofField { hint: lang.password_new_hint(), ..new },
        ],
        call: ApiCall::send("POST", &app.settings.base_url(), API, &body).as_person(),
    }
}
