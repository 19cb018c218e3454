//! The page of an object that administrators decide about, and the decision.
//!
//! A queue says what is its own of them: what is known of its objects, and what a decision asks the
//! API for.

use std::fmt::Display;

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;

use crate::app::App;
use crate::audit::ticket::DecisionTicket;
use crate::auth::seat::AdminSeat;
use crate::dashboard::admin::decide::{DecideForm, Obstacle};
use crate::dashboard::admin::real_pages::{expect_real, to_production};
use crate::dashboard::admin::view::{DecidedObject, DecisionPage, Typed};
use crate::dashboard::admin_sections::is_of_real_money;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt;
use crate::dashboard::kept_form;
use crate::dashboard::parts::Text;
use crate::dashboard::shell::{Section, Shell, admin_url};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::platform::error::{FieldError, Result};
use crate::platform::http::html::posted;
use crate::platform::http::path::PathParam;
use crate::platform::ids::Mode;
use crate::platform::messages::Lang;

/// An object that administrators decide about.
pub trait Decidable: Sized {
    type Id: Copy + Display;

    const SECTION: Section;
    /// The path of the queue in its mode.
    const LIST: &'static str;
    /// The name of the queue.
    const LIST_TITLE: Text;

    /// Reads what is known of the object, with the decisions that it would take.
    fn read(
        app: &App,
        mode: Mode,
        id: Self::Id,
        typed: Typed<'_>,
    ) -> impl Future<Output = Result<DecidedObject>> + Send;

    /// Decides by the same bodies as programs; answers what was done.
    fn decide(
        app: &App,
        ticket: DecisionTicket,
        id: Self::Id,
        form: &DecideForm,
        lang: Lang,
    ) -> impl Future<Output = Result<&'static str>> + Send;

    /// The path of the page that says what was done: the object's own.
    fn next(id: Self::Id) -> String {
        path_of::<Self>(id)
    }
}

/// GET /admin/{mode}/…/{id}
pub async fn show<O: Decidable>(
    State(app): State<App>,
    seat: AdminSeat,
    visit: Visit,
    PathParam(id): PathParam<O::Id>,
) -> Result<Response> {
    if is_of_real_money(O::SECTION)
        && let Some(there) = to_production(&seat, &path_of::<O>(id))
    {
        return Ok(there);
    }
    let form: DecideForm = kept_form::read(&app, seat.who(), &visit).unwrap_or_default();
    let page = page_of::<O>(&app, &seat, &visit, id, (&form, &[])).await?;
    visit.page(&page, StatusCode::OK)
}

/// POST /admin/{mode}/…/{id}/decide
pub async fn decide<O: Decidable>(
    State(app): State<App>,
    seat: AdminSeat,
    visit: Visit,
    PathParam(id): PathParam<O::Id>,
    request: Request,
) -> Result<Response> {
    if is_of_real_money(O::SECTION) {
        expect_real(&seat)?;
    }
    let form: DecideForm = posted(request).await?;
    let ticket = form.ticket(&app, &seat, &path_of::<O>(id))?;
    match O::decide(&app, ticket, id, &form, visit.lang).await {
        Ok(said) => Ok(see_and_say(&app, &admin_url(seat.mode, &O::next(id)), said)),
        Err(error) => {
            let Obstacle { wrong, refused } = Obstacle::of(error, visit.lang)?;
            let mut page = page_of::<O>(&app, &seat, &visit, id, (&form, &wrong)).await?;
            page.refused = refused;
            visit.refused(&page)
        }
    }
}

async fn page_of<O: Decidable>(
    app: &App,
    seat: &AdminSeat,
    visit: &Visit,
    id: O::Id,
    (form, wrong): (&DecideForm, &[FieldError]),
) -> Result<DecisionPage> {
    let (mode, lang, list) = (seat.mode, visit.lang, admin_url(seat.mode, O::LIST));
    let object = O::read(app, mode, id, Typed { form, wrong, lang }).await?;
    let fields = object.decisions.iter().flat_map(|decision| &decision.fields);
    let wrong = fields.filter_map(|one| one.field.wrong(one.id.clone(), one.label)).collect();
    let call = ApiCall::of_person(&app.settings.base_url(), &object.api_path);
    Ok(DecisionPage {
        lang,
        shell: Shell::read(app, seat.holder, mode, visit, O::SECTION).await?,
        here: format!("{list}/{id}"),
        list: (list, O::LIST_TITLE(lang)),
        object,
        refused: None,
        wrong,
        attempt: attempt::fresh(app, seat.scope()),
        api: vec![call.in_mode(mode)],
    })
}

/// The path of an object's page in its mode.
fn path_of<O: Decidable>(id: O::Id) -> String {
    format!("{}/{id}", O::LIST)
}
