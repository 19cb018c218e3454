//! The deletion of a product, whose name is typed to confirm it.

use axum::extract::{Request, State};
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt;
use crate::dashboard::confirm::{ConfirmForm, ConfirmPage, is_typed};
use crate::dashboard::form::Field;
use crate::dashboard::products::list_pages::{API, LIST};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::platform::error::{Error, Result};
use crate::platform::http::html::posted;
use crate::platform::http::path::PathParam;
use crate::platform::ids::{ProductId, Scope};
use crate::platform::permissions::ProductsWrite;
use crate::products::api::ask_to_delete;
use crate::products::{self, Product};

/// GET /dashboard/{mode}/products/{id}/delete
pub async fn show(
    State(app): State<App>,
    seat: Seat<ProductsWrite>,
    visit: Visit,
    PathParam(id): PathParam<ProductId>,
) -> Result<Response> {
    let product = find(&app, seat.scope, id).await?;
    visit.page(&page(&app, &seat, &visit, &product).await?, StatusCode::OK)
}

/// POST /dashboard/{mode}/products/{id}/delete
pub async fn delete(
    State(app): State<App>,
    seat: Seat<ProductsWrite>,
    visit: Visit,
    PathParam(id): PathParam<ProductId>,
    request: Request,
) -> Result<Response> {
    let form: ConfirmForm = posted(request).await?;
    let scope = seat.scope;
    let key = attempt::key(&app, scope, &format!("{LIST}/{id}/delete"), &form.attempt, "")?;
    match find(&app, scope, id).await {
        Ok(product) if !is_typed(&product.name, &form.typed) => {
            let page = page(&app, &seat, &visit, &product).await?;
            return visit.refused(&page.mistyped(&form.typed));
        }
        // One that is gone was deleted by the same form, which is answered again, or never was.
        Ok(_) | Err(Error::NotFound(_)) => {}
        Err(error) => return Err(error),
    }
    ask_to_delete(&app, Ticket::of_person(scope, key, seat.by()), id).await?;
    Ok(see_and_say(&app, &url(scope.mode, LIST), visit.lang.product_was_deleted()))
}

async fn find(app: &App, scope: Scope, id: ProductId) -> Result<Product> {
    app.read(async move |tx: &Tx| products::find(tx, scope, id).await).await
}

async fn page(
    app: &App,
    seat: &Seat<ProductsWrite>,
    visit: &Visit,
    product: &Product,
) -> Result<ConfirmPage> {
    let (mode, lang) = (seat.scope.mode, visit.lang);
    let here = url(mode, &format!("{LIST}/{}", product.id));
    let api = format!("{API}/{}", product.id);
    Ok(ConfirmPage {
        lang,
        shell: Shell::read(app, seat.holder(), mode, visit, Section::Products).await?,
        heading: lang.product_delete_of(&product.name),
        step: None,
        form_url: format!("{here}/delete"),
        back: (here, lang.product_back()),
        effects: vec![
            lang.product_delete_gone().to_owned(),
            lang.product_delete_stays().to_owned(),
        ],
        name: product.name.clone(),
        field: Field::default(),
        wrong: Vec::new(),
        button: lang.product_delete_now(),
        attempt: attempt::fresh(app, seat.scope),
        api: vec![ApiCall::rehearsed_deletion(&app.settings.base_url(), &api)],
    })
}
