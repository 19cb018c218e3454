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
use crate::clients::{self, Client};
use crate::dashboard::attempt;
use crate::dashboard::clients::client_view::EditPage;
use crate::dashboard::clients::edit_form::{EditForm, SHOWN};
use crate::dashboard::clients::list_pages::{API, LIST};
use crate::dashboard::form::{Posted, faults};
use crate::dashboard::form_frame::FormFrame;
use crate::dashboard::kept_form;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::{Visit, posted_form, see_and_say};
use crate::platform::error::{Error, ErrorCode, FieldError, Result};
use crate::platform::http::path::PathParam;
use crate::platform::ids::{ClientId, Scope};
use crate::platform::permissions::CustomersWrite;

/// GET /dashboard/{mode}/clients/{id}/edit
pub async fn show(
    State(app): State<App>,
    seat: Seat<CustomersWrite>,
    visit: Visit,
    PathParam(id): PathParam<ClientId>,
) -> Result<Response> {
    let client = find(&app, seat.scope, id).await?;
    let stored = Posted::of(EditForm::of(&client.customer))?;
    let form = kept_form::read(&app, seat.who(), &visit).unwrap_or(stored);
    let page = form_page(&app, &seat, &visit, &client, (&form, &[])).await?;
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
    let form: Posted<EditForm> = posted_form(request, &SHOWN).await?;
    let scope = seat.scope;
    let client = find(&app, scope, id).await?;
    let route = format!("{LIST}/{id}/edit");
    let key = attempt::key(&app, scope, &route, &form.attempt, &form.values()?)?;
    let ticket = Ticket::of_person(scope, key, seat.by());
    let drawn = form.drawn_or(EditForm::of(&client.customer));
    let saved = match form.typed.changes(&drawn) {
        Ok(body) => {
            let sees = (Some(seat.who().1), seat.documents());
            ask_to_update(&app, &visit.context, ticket, sees, id, body).await
        }
        Err(error) => Err(error),
    };
    match saved {
        Ok(_) => {
            let here = url(scope.mode, &format!("{LIST}/{id}"));
            Ok(see_and_say(&app, &here, visit.lang.client_saved()))
        }
        Err(error) => {
            let form = form.again(&error, EditForm::of(&client.customer))?;
            refused(&app, &seat, &visit, &client, (&form, error)).await
        }
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
    (form, error): (&Posted<EditForm>, Error),
) -> Result<Response> {
    let (wrong, refused) = match error {
        Error::Refused(ErrorCode::AlreadyExists, _) => {
            (Vec::new(), Some(visit.lang.client_is_another()))
        }
        error => faults(error, visit.lang)?,
    };
    let mut page = form_page(app, seat, visit, client, (form, &wrong)).await?;
    page.frame.refused = refused;
    visit.refused(&page)
}

async fn form_page(
    app: &App,
    seat: &Seat<CustomersWrite>,
    visit: &Visit,
    client: &Client,
    (form, wrong): (&Posted<EditForm>, &[FieldError]),
) -> Result<EditPage> {
    let (scope, lang) = (seat.scope, visit.lang);
    let fields = form.typed.fields(wrong, lang);
    let (place, heading) = ((LIST, API, client.id.to_string()), lang.client_edit().to_owned());
    let names = [lang.client_back(), lang.client_save()];
    let mut frame = FormFrame::of_existing(app, scope, place, heading, names, &form.drawn);
    frame.wrong = fields.wrong(lang);
    Ok(EditPage {
        lang,
        shell: Shell::read(app, seat.holder(), scope.mode, visit, Section::Clients).await?,
        frame,
        document: client.customer.document.as_ref().map(Document::masked),
        fields,
    })
}
