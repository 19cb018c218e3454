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
use crate::dashboard::form::{Faults, Posted, faults};
use crate::dashboard::form_frame::FormFrame;
use crate::dashboard::form_pages::{self, Drawing, FormVisit, ObjectForm};
use crate::dashboard::parts::Text;
use crate::dashboard::secret::SecretPage;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::{Visit, posted_form, see_and_say};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::ids::{Scope, WebhookId};
use crate::platform::messages::Lang;
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

impl ObjectForm for WebhookForm {
    type Permission = WebhooksWrite;
    type Id = WebhookId;
    type Object = WebhookEndpoint;
    type Page = FormPage;

    const SHOWN: &'static [&'static str] = &SHOWN;
    const LIST: &'static str = LIST;
    const API: &'static str = API;
    const BACK: Text = Lang::webhook_back;
    const SAVE: Text = Lang::client_save;
    const SAVED: Text = Lang::webhook_saved;

    async fn find(app: &App, scope: Scope, id: WebhookId) -> Result<WebhookEndpoint> {
        find(app, scope, id).await
    }

    fn heading(_webhook: &WebhookEndpoint, lang: Lang) -> String {
        lang.webhook_edit().to_owned()
    }

    fn stored(at: &FormVisit<WebhooksWrite>, webhook: &WebhookEndpoint) -> Self {
        Self::of(webhook, shown_url(&at.app.secrets, &at.seat.permissions, webhook))
    }

    async fn save(
        &self,
        at: &FormVisit<WebhooksWrite>,
        ticket: Ticket,
        webhook: &WebhookEndpoint,
        drawn: &Self,
    ) -> Result<()> {
        let by = (at.seat.by(), at.seat.permit(Matter::Money));
        let (permissions, changes) = (at.seat.permissions.clone(), self.changes(drawn)?);
        ask_to_update(&at.app, ticket, by, permissions, (webhook.id, changes)).await?;
        Ok(())
    }

    fn faults(error: Error, lang: Lang) -> Result<Faults> {
        match error {
            Error::Refused(ErrorCode::AlreadyExists, _) => {
                Ok((Vec::new(), Some(lang.webhooks_too_many())))
            }
            error => faults(error, lang),
        }
    }

    async fn page(
        at: &FormVisit<WebhooksWrite>,
        _webhook: Option<&WebhookEndpoint>,
        Drawing { mut frame, typed, wrong, .. }: Drawing<'_, Self>,
    ) -> Result<FormPage> {
        let lang = at.visit.lang;
        let fields = typed.fields(wrong, lang);
        frame.wrong = fields.wrong(lang);
        Ok(FormPage { lang, shell: at.shell(Section::Webhooks).await?, frame, fields })
    }
}

/// GET /dashboard/{mode}/developers/webhooks/new
pub async fn new(
    State(app): State<App>,
    seat: Seat<WebhooksWrite>,
    visit: Visit,
) -> Result<Response> {
    let at = FormVisit { app, seat, visit };
    let form = at.kept().unwrap_or_else(|| Posted::new(WebhookForm::fresh()));
    form_pages::show(&at, None, &form, new_frame(&at)).await
}

/// POST /dashboard/{mode}/developers/webhooks/new
pub async fn create(
    State(app): State<App>,
    seat: Seat<WebhooksWrite>,
    visit: Visit,
    request: Request,
) -> Result<Response> {
    let form: Posted<WebhookForm> = posted_form(request, &SHOWN).await?;
    let at = FormVisit { app, seat, visit };
    let (app, seat, scope) = (&at.app, &at.seat, at.seat.scope);
    let what = of_session(seat, &form.values()?);
    let key = attempt::key(app, scope, &format!("{LIST}/new"), &form.attempt, &what)?;
    let ticket = Ticket::of_person(scope, key, seat.by());
    let made = match form.typed.body() {
        Ok(body) => ask_to_create(app, ticket, seat.permit(Matter::Money), body).await,
        Err(error) => Err(error),
    };
    match made {
        Ok(made) if is_over(app, &made) => {
            Ok(see_and_say(app, &url(scope.mode, LIST), at.visit.lang.secret_no_more()))
        }
        Ok(made) => {
            let Made { subscription } = made.read()?;
            secret_page(app, seat, &at.visit, subscription, None).await
        }
        Err(error) => form_pages::refuse(&at, None, &form, new_frame(&at), error).await,
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
        keep: lang.key_shown_once(),
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

/// What stands around the fields of a new webhook.
fn new_frame(at: &FormVisit<WebhooksWrite>) -> FormFrame {
    let lang = at.visit.lang;
    let names = [lang.webhook_new(), lang.webhooks_title(), lang.webhook_make()];
    let body = json!({ "url": "https://example.com/hook", "events": ["*"] });
    let api = vec![ApiCall::send("POST", &at.app.settings.base_url(), API, &body)];
    FormFrame { api, ..FormFrame::of_new(&at.app, at.seat.scope, (LIST, API), names) }
}
