//! The form of a webhook: a new one, and one that is changed.

use axum::extract::{Request, State};
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;
use serde::Deserialize;
use serde_json::json;

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::elevation::Matter;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt;
use crate::dashboard::developers::secrets::{is_over, of_session};
use crate::dashboard::developers::webhooks::form::{SHOWN, WebhookForm};
use crate::dashboard::developers::webhooks::list_pages::{API, LIST};
use crate::dashboard::developers::webhooks::view::FormPage;
use crate::dashboard::form::{Posted, faults};
use crate::dashboard::form_frame::FormFrame;
use crate::dashboard::kept_form;
use crate::dashboard::secret::SecretPage;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::{Visit, posted_form, see_and_say};
use crate::platform::error::{Error, ErrorCode, FieldError, Result};
use crate::platform::http::path::PathParam;
use crate::platform::ids::{Scope, WebhookId};
use crate::platform::permissions::WebhooksWrite;
use crate::webhooks::v1::api::{ask_to_create, ask_to_update};
use crate::webhooks::view::shown_url;
use crate::webhooks::{self, WebhookEndpoint};

/// What the API answers, as far as the page needs it.
#[derive(Debug, Deserialize)]
struct Made {
    subscription: MadeWebhook,
}

/// A webhook with its secret, which is shown once.
#[derive(Debug, Deserialize)]
pub struct MadeWebhook {
    id: WebhookId,
    url: String,
    secret: String,
}

/// GET /dashboard/{mode}/developers/webhooks/new
pub async fn new(
    State(app): State<App>,
    seat: Seat<WebhooksWrite>,
    visit: Visit,
) -> Result<Response> {
    let kept = kept_form::read(&app, seat.who(), &visit);
    let form = kept.unwrap_or_else(|| Posted::new(WebhookForm::fresh()));
    let page = form_page(&app, &seat, &visit, None, (&form, &[])).await?;
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/developers/webhooks/new
pub async fn create(
    State(app): State<App>,
    seat: Seat<WebhooksWrite>,
    visit: Visit,
    request: Request,
) -> Result<Response> {
    let form: Posted<WebhookForm> = posted_form(request, &SHOWN).await?;
    let scope = seat.scope;
    let what = of_session(&seat, &form.values()?);
    let key = attempt::key(&app, scope, &format!("{LIST}/new"), &form.attempt, &what)?;
    let ticket = Ticket::of_person(scope, key, seat.by());
    let made = match form.typed.body() {
        Ok(body) => ask_to_create(&app, ticket, seat.permit(Matter::Money), body).await,
        Err(error) => Err(error),
    };
    match made {
        Ok(made) if is_over(&app, &made) => {
            Ok(see_and_say(&app, &url(scope.mode, LIST), visit.lang.secret_no_more()))
        }
        Ok(made) => {
            let Made { subscription } = made.read()?;
            secret_page(&app, &seat, &visit, subscription, None).await
        }
        Err(error) => refused(&app, &seat, &visit, None, (&form, error)).await,
    }
}

/// GET /dashboard/{mode}/developers/webhooks/{id}/edit
pub async fn edit(
    State(app): State<App>,
    seat: Seat<WebhooksWrite>,
    visit: Visit,
    PathParam(id): PathParam<WebhookId>,
) -> Result<Response> {
    let webhook = find(&app, seat.scope, id).await?;
    let stored = Posted::of(stored(&app, &seat, &webhook))?;
    let form = kept_form::read(&app, seat.who(), &visit).unwrap_or(stored);
    let page = form_page(&app, &seat, &visit, Some(&webhook), (&form, &[])).await?;
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/developers/webhooks/{id}/edit
pub async fn save(
    State(app): State<App>,
    seat: Seat<WebhooksWrite>,
    visit: Visit,
    PathParam(id): PathParam<WebhookId>,
    request: Request,
) -> Result<Response> {
    let form: Posted<WebhookForm> = posted_form(request, &SHOWN).await?;
    let scope = seat.scope;
    let webhook = find(&app, scope, id).await?;
    let route = format!("{LIST}/{id}/edit");
    let key = attempt::key(&app, scope, &route, &form.attempt, &form.values()?)?;
    let ticket = Ticket::of_person(scope, key, seat.by());
    let by = (seat.by(), seat.permit(Matter::Money));
    let drawn = form.drawn_or(stored(&app, &seat, &webhook));
    let permissions = seat.permissions.clone();
    let saved = match form.typed.changes(&drawn) {
        Ok(changes) => ask_to_update(&app, ticket, by, permissions, (id, changes)).await,
        Err(error) => Err(error),
    };
    match saved {
        Ok(_) => {
            let here = url(scope.mode, &format!("{LIST}/{id}"));
            Ok(see_and_say(&app, &here, visit.lang.webhook_saved()))
        }
        Err(error) => {
            let form = form.again(&error, stored(&app, &seat, &webhook))?;
            refused(&app, &seat, &visit, Some(&webhook), (&form, error)).await
        }
    }
}

/// The page that shows a secret once.
pub async fn secret_page(
    app: &App,
    seat: &Seat<WebhooksWrite>,
    visit: &Visit,
    shown: MadeWebhook,
    old: Option<String>,
) -> Result<Response> {
    let (mode, lang) = (seat.scope.mode, visit.lang);
    let MadeWebhook { id, url: address, secret } = shown;
    let environment = format!("TOSTAO_WEBHOOK_SECRET={secret}");
    let page = SecretPage {
        lang,
        shell: Shell::read(app, seat.holder(), mode, visit, Section::Webhooks).await?,
        heading: address,
        note: lang.webhook_secret_note(),
        old,
        lines: vec![
            ("secret", lang.key_secret(), secret),
            ("environment", lang.key_environment(), environment),
        ],
        next: (url(mode, &format!("{LIST}/{id}")), lang.webhook_stored()),
    };
    visit.page(&page, StatusCode::OK)
}

/// Finds a webhook.
pub async fn find(app: &App, scope: Scope, id: WebhookId) -> Result<WebhookEndpoint> {
    app.read(async move |tx: &Tx| webhooks::find(tx, scope, id).await).await
}

fn stored(app: &App, seat: &Seat<WebhooksWrite>, webhook: &WebhookEndpoint) -> WebhookForm {
    WebhookForm::of(webhook, shown_url(&app.secrets, &seat.permissions, webhook))
}

/// The form again, with its values and what is wrong.
async fn refused(
    app: &App,
    seat: &Seat<WebhooksWrite>,
    visit: &Visit,
    webhook: Option<&WebhookEndpoint>,
    (form, error): (&Posted<WebhookForm>, Error),
) -> Result<Response> {
    let (wrong, refused) = match error {
        Error::Refused(ErrorCode::AlreadyExists, _) => {
            (Vec::new(), Some(visit.lang.webhooks_too_many()))
        }
        error => faults(error, visit.lang)?,
    };
    let mut page = form_page(app, seat, visit, webhook, (form, &wrong)).await?;
    page.frame.refused = refused;
    visit.refused(&page)
}

async fn form_page(
    app: &App,
    seat: &Seat<WebhooksWrite>,
    visit: &Visit,
    webhook: Option<&WebhookEndpoint>,
    (form, wrong): (&Posted<WebhookForm>, &[FieldError]),
) -> Result<FormPage> {
    let (scope, lang, base_url) = (seat.scope, visit.lang, app.settings.base_url());
    let fields = form.typed.fields(wrong, lang);
    let mut frame = match webhook {
        None => {
            let names = [lang.webhook_new(), lang.webhooks_title(), lang.webhook_make()];
            let body = json!({ "url": "https://example.com/hook", "events": ["*"] });
            let api = vec![ApiCall::send("POST", &base_url, API, &body)];
            FormFrame { api, ..FormFrame::of_new(app, scope, (LIST, API), names) }
        }
        Some(webhook) => {
            let (heading, id) = (lang.webhook_edit().to_owned(), webhook.id.to_string());
            let names = [lang.webhook_back(), lang.client_save()];
            FormFrame::of_existing(app, scope, (LIST, API, id), heading, names, &form.drawn)
        }
    };
    frame.wrong = fields.wrong(lang);
    let shell = Shell::read(app, seat.holder(), scope.mode, visit, Section::Webhooks).await?;
    Ok(FormPage { lang, shell, frame, fields })
}
