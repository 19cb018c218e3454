//! The form of a product: a new one, and one that is changed.

use axum::extract::{Request, State};
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;
use serde::Deserialize;

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt;
use crate::dashboard::kept_form;
use crate::dashboard::products::form::ProductForm;
use crate::dashboard::products::list_pages::{API, LIST};
use crate::dashboard::products::product_view::FormPage;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::platform::error::{Error, Result};
use crate::platform::http::html::posted_to_correct;
use crate::platform::http::path::PathParam;
use crate::platform::ids::{ProductId, Scope};
use crate::platform::permissions::ProductsWrite;
use crate::products::api::{ask_to_create, ask_to_update};
use crate::products::{self, Product};

/// The fields whose errors the form shows.
const SHOWN: [&str; 5] = ["name", "price", "description", "stockQuantity", "imageUrl"];

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
    let form: ProductForm = kept_form::read(&app, seat.who(), &visit).unwrap_or_default();
    let page = form_page(&app, &seat, &visit, None, &form).await?;
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/products/new
pub async fn create(
    State(app): State<App>,
    seat: Seat<ProductsWrite>,
    visit: Visit,
    request: Request,
) -> Result<Response> {
    let form: ProductForm = posted_to_correct(request, &SHOWN).await?;
    let scope = seat.scope;
    let key = attempt::key(&app, scope, "/products/new", &form.attempt, &form.values())?;
    let ticket = Ticket::of_person(scope, key, seat.by());
    let made = match form.body() {
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
    let kept = kept_form::read(&app, seat.who(), &visit);
    let form = kept.unwrap_or_else(|| ProductForm::of(&product, visit.lang));
    let page = form_page(&app, &seat, &visit, Some(&product), &form).await?;
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
    let form: ProductForm = posted_to_correct(request, &SHOWN).await?;
    let scope = seat.scope;
    let product = find(&app, scope, id).await?;
    let route = format!("{LIST}/{id}/edit");
    let key = attempt::key(&app, scope, &route, &form.attempt, &form.values())?;
    let ticket = Ticket::of_person(scope, key, seat.by());
    let saved = match form.changes() {
        Ok(changes) => ask_to_update(&app, ticket, id, changes).await,
        Err(error) => Err(error),
    };
    match saved {
        Ok(_) => {
            let here = url(scope.mode, &format!("{LIST}/{id}"));
            Ok(see_and_say(&app, &here, visit.lang.product_saved()))
        }
        Err(error) => refused(&app, &seat, &visit, Some(&product), (&form, error)).await,
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
    (form, error): (&ProductForm, Error),
) -> Result<Response> {
    let Error::Invalid(wrong) = error else { return Err(error) };
    let mut page = form_page(app, seat, visit, product, form).await?;
    page.fields = form.fields(&wrong, visit.lang);
    page.wrong = page.fields.wrong(visit.lang);
    visit.refused(&page)
}

async fn form_page(
    app: &App,
    seat: &Seat<ProductsWrite>,
    visit: &Visit,
    product: Option<&Product>,
    form: &ProductForm,
) -> Result<FormPage> {
    let (mode, lang) = (seat.scope.mode, visit.lang);
    let list = url(mode, LIST);
    let (heading, back, form_url, button, api) = match product {
        None => {
            let heading = lang.product_new().to_owned();
            let back = (list.clone(), lang.products_title());
            (heading, back, format!("{list}/new"), lang.product_make(), API.to_owned())
        }
        Some(product) => {
            let here = format!("{list}/{}", product.id);
            let api = format!("{API}/{}", product.id);
            let back = (here.clone(), lang.product_back());
            let heading = lang.coupon_edit_of(&product.name);
            (heading, back, format!("{here}/edit"), lang.client_save(), api)
        }
    };
    Ok(FormPage {
        lang,
        shell: Shell::read(app, seat.holder(), mode, visit, Section::Products).await?,
        heading,
        back,
        form_url,
        fields: form.fields(&[], lang),
        wrong: Vec::new(),
        button,
        attempt: attempt::fresh(app, seat.scope),
        api: vec![ApiCall::get(&app.settings.base_url(), &api)],
    })
}
