//! New backup codes.

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;
use serde_json::json;

use crate::app::App;
use crate::auth::seat::PersonalSeat;
use crate::dashboard::account::frame;
use crate::dashboard::account::security::proof_pages::ProofForm;
use crate::dashboard::account::security::security_pages::PATH;
use crate::dashboard::account::security::view::ProofField;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::secret::SecretPage;
use crate::dashboard::shell::{Section, account_url};
use crate::dashboard::visit_pages::Visit;
use crate::people::second_step::api::{CodesView, RenewBody, ask_to_renew};
use crate::platform::error::Result;
use crate::platform::http::html::posted;
use crate::platform::messages::Lang;
use crate::platform::permissions::NoPermission;

const RENEW: &str = "/security/backup-codes";
const API: &str = "/api/two-factor/backup-codes";

/// What is posted.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RenewForm {
    code: String,
}

/// GET /account/security/backup-codes
pub async fn show(
    State(app): State<App>,
    seat: PersonalSeat<NoPermission>,
    visit: Visit,
) -> Result<Response> {
    form(&app, visit.lang).show_with_step(&app, &seat, &visit).await
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
        Err(error) => form(&app, lang).refused(&app, &seat, &visit, error).await,
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
        keep: lang.step_codes_keep(),
        note: lang.step_codes_note(),
        old: None,
        lines: vec![("codes", lang.step_codes(), codes.backup_codes.join("\n"))],
        next: (next, lang.step_codes_stored()),
    };
    visit.page(&page, StatusCode::OK)
}

fn form(app: &App, lang: Lang) -> ProofForm {
    let body = json!({ "code": "123456" });
    ProofForm {
        path: RENEW,
        names: (lang.security_new_codes(), lang.step_renew()),
        note: lang.step_renew_note(),
        fields: vec![ProofField::code(lang.entry_code(), lang.step_code_hint())],
        call: ApiCall::send("POST", &app.settings.base_url(), API, &body).as_person(),
    }
}
