//! The form of a client.

use axum::extract::{Request, State};
use axum::response::Response;
use brazil::document::Document;
use db::tx::Tx;
use http::StatusCode;

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::seat::Seat;
use crate::clients::api::ask_to_update;
use crate::clients::{self, Client, lookups};
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt;
use crate::dashboard::clients::client_view::EditPage;
use crate::dashboard::clients::edit_form::EditForm;
use crate::dashboard::clients::list_pages::{API, LIST};
use crate::dashboard::kept_form;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::html::posted_to_correct;
use crate::platform::http::path::PathParam;
use crate::platform::ids::{ClientId, Scope};
use crate::platform::permissions::CustomersWrite;

/// The fields whose errors the form shows.
const SHOWN: [&str; 4] = ["name", "email", "phone", "document"];

/// GET /dashboard/{mode}/clients/{id}/edit
pub async fn show(
    State(app): State<App>,
    seat: Seat<CustomersWrite>,
    visit: Visit,
    PathParam(id): PathParam<ClientId>,
) -> Result<Response> {
    let client = find(&app, seat.scope, id).await?;
    let kept = kept_form::read(&app, seat.who(), &visit);
    let form = kept.unwrap_or_else(|| EditForm::of(&client.customer));
    let page = form_page(&app, &seat, &visit, &client, &form).await?;
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/clients/{id}/edit
pub async fn save(
    State(app): State<App>,
    seat: Seat<CustomersWrite>,
    visit: Visit,
    PathParam(id): PathParam<ClientId>,
    request: Request,
) -> Result<Response> {
    let form: EditForm = posted_to_correct(request, &SHOWN).await?;
    let scope = seat.scope;
    let client = find(&app, scope, id).await?;
    let route = format!("{LIST}/{id}/edit");
    let key = attempt::key(&app, scope, &route, &form.attempt, &form.values())?;
    let ticket = Ticket::of_person(scope, key, seat.by());
    let saved = match form.body() {
        Ok(body) => {
            if body.document.set().is_some() {
                lookups::count(&app, &visit.context, Some(seat.who().1), seat.documents())?;
            }
            ask_to_update(&app, ticket, seat.documents(), id, body).await
        }
        Err(error) => Err(error),
    };
    match saved {
        Ok(_) => {
            let here = url(scope.mode, &format!("{LIST}/{id}"));
            Ok(see_and_say(&app, &here, visit.lang.client_saved()))
        }
        Err(error) => refused(&app, &seat, &visit, &client, (&form, error)).await,
    }
}

async fn find(app: &App, scope: Scope, id: ClientId) -> Result<Client> {
    app.read(async move |tx: &Tx| clients::find(tx, scope, id).await).await
}

/// The form again, with its values and what is wrong.
async fn refused(
    app: &App,
    seat: &Seat<CustomersWrite>,
    visit: &Visit,
    client: &Client,
    (form, error): (&EditForm, Error),
) -> Result<Response> {
    let lang = visit.lang;
    let mut page = form_page(app, seat, visit, client, form).await?;
    match error {
        Error::Invalid(wrong) => page.fields = form.fields(&wrong, lang),
        Error::Refused(ErrorCode::AlreadyExists, _) => {
            page.refused = Some(lang.client_is_another());
        }
        Error::KeyReused { .. } => page.refused = Some(lang.links_form_used()),
        error => return Err(error),
    }
    page.wrong = page.fields.wrong(lang);
    visit.refused(&page)
}

async fn form_page(
    app: &App,
    seat: &Seat<CustomersWrite>,
    visit: &Visit,
    client: &Client,
    form: &EditForm,
) -> Result<EditPage> {
    let (mode, lang) = (seat.scope.mode, visit.lang);
    let back_url = url(mode, &format!("{LIST}/{}", client.id));
    Ok(EditPage {
        lang,
        shell: Shell::read(app, seat.holder(), mode, visit, Section::Clients).await?,
        form_url: format!("{back_url}/edit"),
        back_url,
        document: client.customer.document.as_ref().map(Document::masked),
        fields: form.fields(&[], lang),
        wrong: Vec::new(),
        refused: None,
        attempt: attempt::fresh(app, seat.scope),
        api: vec![ApiCall::get(&app.settings.base_url(), &format!("{API}/{}", client.id))],
    })
}
