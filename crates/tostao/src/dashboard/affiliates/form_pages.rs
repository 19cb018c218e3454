//! The form of a program: a new one, and one that is changed.

use axum::extract::{Request, State};
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;
use serde::Deserialize;

use crate::affiliates::programs::api::{ask_to_create, ask_to_update};
use crate::affiliates::programs::{self, ListedProgram};
use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::seat::Seat;
use crate::dashboard::affiliates::form::{ProgramForm, SHOWN};
use crate::dashboard::affiliates::list_pages::{API, HOME, PROGRAMS};
use crate::dashboard::affiliates::view::FormPage;
use crate::dashboard::affiliates::words;
use crate::dashboard::attempt;
use crate::dashboard::form::{Posted, faults};
use crate::dashboard::form_frame::FormFrame;
use crate::dashboard::kept_form;
use crate::dashboard::products::list_pages::LIST as PRODUCTS;
use crate::dashboard::products::offer::{OFFERED, offer};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::{Visit, posted_form, see_and_say};
use crate::platform::error::{Error, ErrorCode, FieldError, Result};
use crate::platform::http::path::PathParam;
use crate::platform::ids::{AffiliateProgramId, ProductId, Scope};
use crate::platform::permissions::AffiliatesWrite;

/// What the API answers, as far as the page needs it.
#[derive(Debug, Deserialize)]
struct Made {
    data: MadeProgram,
}

#[derive(Debug, Deserialize)]
struct MadeProgram {
    id: AffiliateProgramId,
}

/// GET /dashboard/{mode}/affiliates/programs/new
pub async fn new(
    State(app): State<App>,
    seat: Seat<AffiliatesWrite>,
    visit: Visit,
) -> Result<Response> {
    let form = kept_form::read(&app, seat.who(), &visit).unwrap_or_default();
    let page = form_page(&app, &seat, &visit, None, (&form, &[])).await?;
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/affiliates/programs/new
pub async fn create(
    State(app): State<App>,
    seat: Seat<AffiliatesWrite>,
    visit: Visit,
    request: Request,
) -> Result<Response> {
    let form: Posted<ProgramForm> = posted_form(request, &SHOWN).await?;
    let scope = seat.scope;
    let route = format!("{PROGRAMS}/new");
    let key = attempt::key(&app, scope, &route, &form.attempt, &form.values()?)?;
    let ticket = Ticket::of_person(scope, key, seat.by());
    let made = match form.typed.body() {
        Ok(body) => ask_to_create(&app, ticket, body).await,
        Err(error) => Err(error),
    };
    match made {
        Ok(made) => {
            let Made { data } = made.read()?;
            let here = url(scope.mode, &format!("{PROGRAMS}/{}", data.id));
            Ok(see_and_say(&app, &here, visit.lang.program_made()))
        }
        Err(error) => refused(&app, &seat, &visit, None, (&form, error)).await,
    }
}

/// GET /dashboard/{mode}/affiliates/programs/{id}/edit
pub async fn edit(
    State(app): State<App>,
    seat: Seat<AffiliatesWrite>,
    visit: Visit,
    PathParam(id): PathParam<AffiliateProgramId>,
) -> Result<Response> {
    let shown = find(&app, seat.scope, id).await?;
    let stored = Posted::of(ProgramForm::of(&shown.program, visit.lang))?;
    let form = kept_form::read(&app, seat.who(), &visit).unwrap_or(stored);
    let page = form_page(&app, &seat, &visit, Some(&shown), (&form, &[])).await?;
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/affiliates/programs/{id}/edit
pub async fn save(
    State(app): State<App>,
    seat: Seat<AffiliatesWrite>,
    visit: Visit,
    PathParam(id): PathParam<AffiliateProgramId>,
    request: Request,
) -> Result<Response> {
    let form: Posted<ProgramForm> = posted_form(request, &SHOWN).await?;
    let scope = seat.scope;
    let shown = find(&app, scope, id).await?;
    let route = format!("{PROGRAMS}/{id}/edit");
    let key = attempt::key(&app, scope, &route, &form.attempt, &form.values()?)?;
    let ticket = Ticket::of_person(scope, key, seat.by());
    let drawn = form.drawn_or(ProgramForm::of(&shown.program, visit.lang));
    let saved = match form.typed.changes(&drawn) {
        Ok(changes) => ask_to_update(&app, ticket, id, changes).await,
        Err(error) => Err(error),
    };
    match saved {
        Ok(_) => {
            let here = url(scope.mode, &format!("{PROGRAMS}/{id}"));
            Ok(see_and_say(&app, &here, visit.lang.program_saved()))
        }
        Err(error) => {
            let form = form.again(&error, ProgramForm::of(&shown.program, visit.lang))?;
            refused(&app, &seat, &visit, Some(&shown), (&form, error)).await
        }
    }
}

async fn find(app: &App, scope: Scope, id: AffiliateProgramId) -> Result<ListedProgram> {
    app.read(async move |tx: &Tx| programs::find(tx, scope, id).await).await
}

/// The form again, with its values and what is wrong.
async fn refused(
    app: &App,
    seat: &Seat<AffiliatesWrite>,
    visit: &Visit,
    shown: Option<&ListedProgram>,
    (form, error): (&Posted<ProgramForm>, Error),
) -> Result<Response> {
    let (wrong, refused) = match error.code() {
        ErrorCode::ProgramAlreadyExists => (Vec::new(), Some(visit.lang.program_taken())),
        _ => faults(error, visit.lang)?,
    };
    let mut page = form_page(app, seat, visit, shown, (form, &wrong)).await?;
    page.frame.refused = refused;
    visit.refused(&page)
}

async fn form_page(
    app: &App,
    seat: &Seat<AffiliatesWrite>,
    visit: &Visit,
    shown: Option<&ListedProgram>,
    (form, wrong): (&Posted<ProgramForm>, &[FieldError]),
) -> Result<FormPage> {
    let (scope, lang) = (seat.scope, visit.lang);
    let offered = match shown {
        None => offered(app, scope, form.typed.product().ok()).await?,
        Some(_) => Vec::new(),
    };
    let has_none = shown.is_none() && offered.is_empty();
    let fields = form.typed.fields(offered, wrong, lang);
    let mut frame = match shown {
        None => {
            let names = [lang.program_new(), lang.affiliates_title(), lang.program_make()];
            let frame = FormFrame::of_new(app, scope, (PROGRAMS, API), names);
            FormFrame { back: (url(scope.mode, HOME), lang.affiliates_title()), ..frame }
        }
        Some(ListedProgram { program, product, .. }) => {
            let heading = lang.program_edit_of(words::product(product.as_ref(), lang));
            let names = [lang.program_back(), lang.client_save()];
            let place = (PROGRAMS, API, program.id.to_string());
            FormFrame::of_existing(app, scope, place, heading, names, &form.drawn)
        }
    };
    frame.wrong = fields.wrong(lang);
    Ok(FormPage {
        lang,
        shell: Shell::read(app, seat.holder(), scope.mode, visit, Section::Affiliates).await?,
        frame,
        is_new: shown.is_none(),
        fields,
        products_hint: lang.program_product_hint(OFFERED),
        product_url: has_none.then(|| url(scope.mode, &format!("{PRODUCTS}/new"))),
    })
}

/// The products that the form offers, by their names.
async fn offered(
    app: &App,
    scope: Scope,
    chosen: Option<ProductId>,
) -> Result<Vec<(ProductId, String)>> {
    let offer = offer(app, scope, None, chosen.into_iter().collect()).await?;
    let offered = offer.products.into_iter().map(|product| (product.id, product.name));
    Ok(offered.collect())
}
