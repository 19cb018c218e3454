//! The form of a new payout key.

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use serde_json::json;

use crate::app::App;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt;
use crate::dashboard::balance::keys::form::{KeyForm, SHOWN};
use crate::dashboard::balance::keys::list_pages::{API, LIST, asker, read};
use crate::dashboard::balance::keys::view::FormPage;
use crate::dashboard::form::{Posted, faults};
use crate::dashboard::form_frame::FormFrame;
use crate::dashboard::kept_form;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::{Visit, posted_form, see_and_say};
use crate::platform::error::{Error, ErrorCode, FieldError, Result};
use crate::platform::permissions::WithdrawalsWrite;
use crate::withdrawals::payout_keys::KEYS_MAX;
use crate::withdrawals::payout_keys::api::ask_to_create;

/// GET /dashboard/{mode}/balance/keys/new
pub async fn new(
    State(app): State<App>,
    seat: Seat<WithdrawalsWrite>,
    visit: Visit,
) -> Result<Response> {
    let form = kept_form::read(&app, seat.who(), &visit).unwrap_or_default();
    let page = form_page(&app, &seat, &visit, (&form, &[])).await?;
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/balance/keys/new
pub async fn create(
    State(app): State<App>,
    seat: Seat<WithdrawalsWrite>,
    visit: Visit,
    request: Request,
) -> Result<Response> {
    let form: Posted<KeyForm> = posted_form(request, &SHOWN).await?;
    let scope = seat.scope;
    let key = attempt::key(&app, scope, LIST, &form.attempt, &form.values()?)?;
    let made = match form.typed.body() {
        Ok(body) => ask_to_create(&app, &visit.context, asker(&seat), Some(key), &body).await,
        Err(error) => Err(error),
    };
    match made {
        Ok(_) => Ok(see_and_say(&app, &url(scope.mode, LIST), visit.lang.payout_key_was_added())),
        Err(error) => refused(&app, &seat, &visit, (&form, error)).await,
    }
}

/// The form again, with its values and what is wrong.
async fn refused(
    app: &App,
    seat: &Seat<WithdrawalsWrite>,
    visit: &Visit,
    (form, error): (&Posted<KeyForm>, Error),
) -> Result<Response> {
    let lang = visit.lang;
    let (wrong, refused) = match error {
        Error::Refused(ErrorCode::AlreadyExists, _) => {
            let is_full = read(app, seat.scope).await?.len() >= KEYS_MAX;
            let why = if is_full { lang.payout_keys_too_many() } else { lang.payout_key_known() };
            (Vec::new(), Some(why))
        }
        error => faults(error, lang)?,
    };
    let mut page = form_page(app, seat, visit, (form, &wrong)).await?;
    page.frame.refused = refused;
    visit.refused(&page)
}

async fn form_page(
    app: &App,
    seat: &Seat<WithdrawalsWrite>,
    visit: &Visit,
    (form, wrong): (&Posted<KeyForm>, &[FieldError]),
) -> Result<FormPage> {
    let (scope, mode, lang) = (seat.scope, seat.scope.mode, visit.lang);
    let body = json!({ "label": "Conta da empresa", "pixKeyType": "email", "pixKey": "…" });
    let fields = form.typed.fields(wrong, lang);
    let names = [lang.payout_key_new(), lang.payout_keys_title(), lang.payout_key_save()];
    let call = ApiCall::send("POST", &app.settings.base_url(), API, &body).as_person();
    let frame = FormFrame {
        wrong: fields.wrong(lang),
        api: vec![call.in_mode(mode)],
        ..FormFrame::of_new(app, scope, (LIST, API), names)
    };
    let shell = Shell::read(app, seat.holder(), mode, visit, Section::Balance).await?;
    let is_simulated = mode.is_development();
    let note = if is_simulated { lang.payout_key_at_once() } else { lang.payout_key_a_day_later() };
    Ok(FormPage { lang, shell, frame, note, fields })
}
