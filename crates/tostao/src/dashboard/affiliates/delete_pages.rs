//! The end of a program, whose product is typed to confirm it.

use axum::extract::{Request, State};
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;

use crate::affiliates::programs::api::ask_to_delete;
use crate::affiliates::programs::{self, ListedProgram};
use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::seat::Seat;
use crate::dashboard::affiliates::list_pages::{API, HOME, PROGRAMS};
use crate::dashboard::affiliates::words;
use crate::dashboard::attempt;
use crate::dashboard::confirm::{ConfirmForm, Deletion, DeletionOf, unconfirmed};
use crate::dashboard::shell::{Section, url};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::platform::error::Result;
use crate::platform::http::html::posted;
use crate::platform::http::path::PathParam;
use crate::platform::ids::{AffiliateProgramId, Scope};
use crate::platform::messages::Lang;
use crate::platform::permissions::AffiliatesWrite;

/// A program with the name of its product.
struct Named {
    id: AffiliateProgramId,
    name: String,
}

/// GET /dashboard/{mode}/affiliates/programs/{id}/delete
pub async fn show(
    State(app): State<App>,
    seat: Seat<AffiliatesWrite>,
    visit: Visit,
    PathParam(id): PathParam<AffiliateProgramId>,
) -> Result<Response> {
    let program = find(&app, seat.scope, id, visit.lang).await?;
    let page = deletion(&program, visit.lang).page(&app, &seat, &visit).await?;
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/affiliates/programs/{id}/delete
pub async fn delete(
    State(app): State<App>,
    seat: Seat<AffiliatesWrite>,
    visit: Visit,
    PathParam(id): PathParam<AffiliateProgramId>,
    request: Request,
) -> Result<Response> {
    let form: ConfirmForm = posted(request).await?;
    let scope = seat.scope;
    let key = attempt::key(&app, scope, &format!("{PROGRAMS}/{id}/delete"), &form.attempt, "")?;
    let found = find(&app, scope, id, visit.lang).await;
    if let Some(program) = unconfirmed(found, |program| &program.name, &form.typed)? {
        let page = deletion(&program, visit.lang).page(&app, &seat, &visit).await?;
        return visit.refused(&page.mistyped(&form.typed));
    }
    ask_to_delete(&app, Ticket::of_person(scope, key, seat.by()), id).await?;
    Ok(see_and_say(&app, &url(scope.mode, HOME), visit.lang.program_was_deleted()))
}

async fn find(app: &App, scope: Scope, id: AffiliateProgramId, lang: Lang) -> Result<Named> {
    let find = async move |tx: &Tx| programs::find(tx, scope, id).await;
    let ListedProgram { product, .. } = app.read(find).await?;
    Ok(Named { id, name: words::product(product.as_ref(), lang) })
}

fn deletion(program: &Named, lang: Lang) -> Deletion<'_> {
    Deletion {
        section: Section::Affiliates,
        place: (PROGRAMS, API, program.id.to_string()),
        heading: lang.program_delete_of(&program.name),
        back: lang.program_back(),
        effects: [lang.program_delete_ends(), lang.program_delete_keeps()],
        name: &program.name,
        button: lang.program_delete_now(),
        of: DeletionOf::Object,
    }
}
