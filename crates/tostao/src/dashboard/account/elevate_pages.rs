//! Proving again who is there, before what only the person may do; the form that asked for it comes
//! back afterwards.

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;
use url::form_urlencoded;

use crate::app::App;
use crate::auth::seat::{PersonalSeat, signed_in};
use crate::dashboard::account::security::proof_pages::signed_out_by_codes;
use crate::dashboard::account::view::ElevatePage;
use crate::dashboard::entry::next::wanted;
use crate::dashboard::entry::sign_in_pages::too_many;
use crate::dashboard::form::Field;
use crate::dashboard::kept_form;
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::people::elevation_api::{ElevateBody, Elevating, ask};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::device::Device;
use crate::platform::http::html::{posted, see};
use crate::platform::http::query::Query;
use crate::platform::permissions::NoPermission;

const PAGE: &str = "/account/elevate";

/// Where to go on.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ElevateQuery {
    next: String,
}

/// What is posted.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ElevateForm {
    next: String,
    /// The password, or a code of the second step.
    proof: String,
}

/// Leads to the page, and from there on to the next one.
pub fn lead(next: &str) -> Response {
    let mut query = form_urlencoded::Serializer::new(String::new());
    see(&format!("{PAGE}?{}", query.append_pair("next", next).finish()))
}

/// GET /account/elevate
pub async fn show(
    seat: PersonalSeat<NoPermission>,
    visit: Visit,
    Query(query): Query<ElevateQuery>,
) -> Result<Response> {
    visit.page(&page(&seat, &visit, &query.next), StatusCode::OK)
}

/// POST /account/elevate
pub async fn elevate(
    State(app): State<App>,
    seat: PersonalSeat<NoPermission>,
    visit: Visit,
    device: Device,
    request: Request,
) -> Result<Response> {
    let posted: ElevateForm = posted(request).await?;
    let (lang, mut page) = (visit.lang, page(&seat, &visit, &posted.next));
    if posted.proof.trim().is_empty() {
        page.proof.error = Some(lang.required().to_owned());
        return visit.refused(&page);
    }
    let body = if seat.has_second_step {
        ElevateBody { password: None, code: Some(posted.proof) }
    } else {
        ElevateBody { password: Some(posted.proof), code: None }
    };
    let cookie_hash = Some(seat.cookie_hash.clone());
    let elevating = Elevating { acting: seat.acting(), cookie_hash };
    match ask(&app, (&visit.context, &device), lang, elevating, body).await {
        Ok(elevated) => {
            let next = wanted(&posted.next);
            let mut response = match kept_form::whose(&app, next) {
                Some(who) if who == seat.who() => see_and_say(&app, next, lang.entry_form_back()),
                _ => see(next),
            };
            let cookie = elevated.token.as_ref().map(signed_in).transpose()?;
            response.headers_mut().extend(cookie);
            Ok(response)
        }
        Err(Error::Unauthenticated(ErrorCode::InvalidCredentials)) => {
            page.proof.error = Some(lang.entry_wrong_password().to_owned());
            visit.refused(&page)
        }
        Err(error) if error.code() == ErrorCode::TwoFactorCodeInvalid => {
            page.proof.error = Some(lang.entry_code_wrong().to_owned());
            visit.refused(&page)
        }
        Err(error) if error.code() == ErrorCode::Unauthorized => {
            signed_out_by_codes(&app, &visit, wanted(&posted.next))
        }
        Err(error) => too_many(&visit, error, |notice| {
            page.notice = Some(notice);
            page
        }),
    }
}

fn page(seat: &PersonalSeat<NoPermission>, visit: &Visit, next: &str) -> ElevatePage {
    let next = wanted(next).to_owned();
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("next", &next).append_pair("lang", visit.lang.other().tag());
    ElevatePage {
        lang: visit.lang,
        language_url: format!("{PAGE}?{}", query.finish()),
        notice: None,
        asks_for_code: seat.has_second_step,
        proof: Field::default(),
        next,
    }
}
