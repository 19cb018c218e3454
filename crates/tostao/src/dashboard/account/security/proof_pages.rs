//! Forms that take a password, a code, or both: how they are drawn, and what they are refused for.

use axum::response::Response;
use http::StatusCode;
use url::form_urlencoded;

use crate::app::App;
use crate::auth::seat::{PersonalSeat, SIGN_IN, signed_out};
use crate::dashboard::account::frame;
use crate::dashboard::account::security::security_pages::PATH;
use crate::dashboard::account::security::view::{ProofField, ProofPage};
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::shell::{Section, account_url};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::permissions::NoPermission;

/// A form about signing in.
pub struct ProofForm {
    pub path: &'static str,
    /// The heading, and the button.
    pub names: (&'static str, &'static str),
    pub note: &'static str,
    pub fields: Vec<ProofField>,
    pub call: ApiCall,
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

impl ProofForm {
    /// Shows the form to a person with a second step; any other is led back.
    pub async fn show_with_step(
        self,
        app: &App,
        seat: &PersonalSeat<NoPermission>,
        visit: &Visit,
    ) -> Result<Response> {
        if !seat.has_second_step {
            return Ok(see_and_say(app, &account_url(PATH), visit.lang.step_is_off()));
        }
        visit.page(&self.page(app, seat, visit).await?, StatusCode::OK)
    }

    /// Shows the form again, with what it is refused for.
    pub async fn refused(
        self,
        app: &App,
        seat: &PersonalSeat<NoPermission>,
        visit: &Visit,
        error: Error,
    ) -> Result<Response> {
        let mut page = self.page(app, seat, visit).await?;
        match failure(app, visit, error)? {
            CodeFailure::Field(name, text) => page.wrong(name, text),
            CodeFailure::Form(text) => page.frame.refused = Some(text),
            CodeFailure::Elsewhere(response) => return Ok(response),
        }
        visit.refused(&page)
    }

    /// The page of the form.
    pub async fn page(
        self,
        app: &App,
        seat: &PersonalSeat<NoPermission>,
        visit: &Visit,
    ) -> Result<ProofPage> {
        let Self { path, names, note, fields, call } = self;
        let (lang, back) = (visit.lang, (PATH, visit.lang.security_title()));
        Ok(ProofPage {
            lang,
            shell: frame::shell(app, seat, visit, Section::Security).await?,
            frame: frame::form(app, seat, path, back, names, vec![call]),
            note,
            fields,
        })
    }
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
