//! The form of a product: a new one, and one that is changed.

use axum::extract::{Request, State};
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;
use serde::Deserialize;

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::seat::Seat;
use crate::dashboard::attempt;
use crate::dashboard::form::{Posted, faults};
use crate::dashboard::form_frame::FormFrame;
use crate::dashboard::kept_form;
use crate::dashboard::products::form::{ProductForm, SHOWN};
use crate::dashboard::products::list_pages::{API, LIST};
use crate::dashboard::products::product_view::FormPage;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::{Visit, posted_form, see_and_say};
use crate::platform::error::{Error, FieldError, Result};
use crate::platform::http::path::PathParam;
use crate::platform::ids::{ProductId, Scope};
use crate::platform::permissions::ProductsWrite;
use crate::products::api::{ask_to_create, ask_to_update};
use crate::products::{self, Product};

/// What the API answers, as far as the page needs it.
#[derive(Debug, Deserialize)]
struct Made {
    product: MadeProduct,
}

#[derive(Debug, Deserialize)]
struct MadeProduct {
    id: ProductId,
}

/// GET /dashboard/{mode}/products/new
pub async fn new(
    State(app): State<App>,
    seat: Seat<ProductsWrite>,
    visit: Visit,
) -> Result<Response> {
    let form = kept_form::read(&app, seat.who(), &visit).unwrap_or_default();
    let page = form_page(&app, &seat, &visit, None, (&form, &[])).await?;
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/products/new
pub async fn create(
    State(app): State<App>,
    seat: Seat<ProductsWrite>,
    visit: Visit,
    request: Request,
) -> Result<Response> {
    let form: Posted<ProductForm> = posted_form(request, &SHOWN).await?;
    let scope = seat.scope;
    let key = attempt::key(&app, scope, "/products/new", &form.attempt, &form.values()?)?;
    let ticket = Ticket::of_person(scope, key, seat.by());
    let made = match form.typed.body() {
        Ok(body) => ask_to_create(&app, ticket, body).await,
        Err(error) => Err(error),
    };
    match made {
        Ok(made) => {
            let Made { product } = made.read()?;
            let here = url(scope.mode, &format!("{LIST}/{}", product.id));
            Ok(see_and_say(&app, &here, visit.lang.product_made()))
        }
        Err(error) => refused(&app, &seat, &visit, None, (&form, error)).await,
    }
}

/// GET /dashboard/{mode}/products/{id}/edit
pub async fn edit(
    State(app): State<App>,
    seat: Seat<ProductsWrite>,
    visit: Visit,
    PathParam(id): PathParam<ProductId>,
) -> Result<Response> {
    let product = find(&app, seat.scope, id).await?;
    let stored = Posted::of(ProductForm::of(&product, visit.lang))?;
    let form = kept_form::read(&app, seat.who(), &visit).unwrap_or(stored);
    let page = form_page(&app, &seat, &visit, Some(&product), (&form, &[])).await?;
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/products/{id}/edit
pub async fn save(
    State(app): State<App>,
    seat: Seat<ProductsWrite>,
    visit: Visit,
    PathParam(id): PathParam<ProductId>,
    request: Request,
) -> Result<Response> {
    let form: Posted<ProductForm> = posted_form(request, &SHOWN).await?;
    let scope = seat.scope;
    let product = find(&app, scope, id).await?;
    let route = format!("{LIST}/{id}/edit");
    let key = attempt::key(&app, scope, &route, &form.attempt, &form.values()?)?;
    let ticket = Ticket::of_person(scope, key, seat.by());
    let drawn = form.drawn_or(ProductForm::of(&product, visit.lang));
    let saved = match form.typed.changes(&drawn) {
        Ok(changes) => ask_to_update(&app, ticket, id, changes).await,
        Err(error) => Err(error),
    };
    match saved {
        Ok(_) => {
            let here = url(scope.mode, &format!("{LIST}/{id}"));
            Ok(see_and_say(&app, &here, visit.lang.product_saved()))
        }
        Err(error) => {
            let form = form.again(&error, ProductForm::of(&product, visit.lang))?;
            refused(&app, &seat, &visit, Some(&product), (&form, error)).await
        }
    }
}

async fn find(app: &App, scope: Scope, id: ProductId) -> Result<Product> {
    app.read(async move |tx: &Tx| products::find(tx, scope, id).await).await
}

/// The form again, with its values and what is wrong.
async fn refused(
    app: &App,
    seat: &Seat<ProductsWrite>,
    visit: &Visit,
    product: Option<&Product>,
    (form, error): (&Posted<ProductForm>, Error),
) -> Result<Response> {
    let (wrong, refused) = faults(error, visit.lang)?;
    let mut page = form_page(app, seat, visit, product, (form, &wrong)).await?;
    page.frame.refused = refused;
    visit.refused(&page)
}

async fn form_page(
    app: &App,
    seat: &Seat<ProductsWrite>,
    visit: &Visit,
    product: Option<&Product>,
    (form, wrong): (&Posted<ProductForm>, &[FieldError]),
) -> Result<FormPage> {
    let (scope, lang) = (seat.scope, visit.lang);
    let fields = form.typed.fields(wrong, lang);
    let mut frame = match product {
        None => {
            let names = [lang.product_new(), lang.products_title(), lang.product_make()];
            FormFrame::of_new(app, scope, (LIST, API), names)
        }
        Some(product) => {
            let heading = lang.coupon_edit_of(&product.name);
            let names = [lang.product_back(), lang.client_save()];
            let place = (LIST, API, product.id.to_string());
            FormFrame::of_existing(app, scope, place, heading, names, &form.drawn)
        }
    };
    frame.wrong = fields.wrong(lang);
    Ok(FormPage {
        lang,
        shell: Shell::read(app, seat.holder(), scope.mode, visit, Section::Products).await?,
        frame,
        fields,
    })
}
