//! The deletion of a product, whose name is typed to confirm it.

use axum::extract::{Request, State};
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::seat::Seat;
use crate::dashboard::attempt;
use crate::dashboard::confirm::{ConfirmForm, Deletion, DeletionOf, unconfirmed};
use crate::dashboard::products::list_pages::{API, LIST};
use crate::dashboard::shell::{Section, url};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::platform::error::Result;
use crate::platform::http::html::posted;
use crate::platform::http::path::PathParam;
use crate::platform::ids::{ProductId, Scope};
use crate::platform::messages::Lang;
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
    let page = deletion(&product, visit.lang).page(&app, &seat, &visit).await?;
    visit.page(&page, StatusCode::OK)
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
    let found = find(&app, scope, id).await;
    if let Some(product) = unconfirmed(found, |product| &product.name, &form.typed)? {
        let page = deletion(&product, visit.lang).page(&app, &seat, &visit).await?;
        return visit.refused(&page.mistyped(&form.typed));
    }
    ask_to_delete(&app, Ticket::of_person(scope, key, seat.by()), id).await?;
    Ok(see_and_say(&app, &url(scope.mode, LIST), visit.lang.product_was_deleted()))
}

async fn find(app: &App, scope: Scope, id: ProductId) -> Result<Product> {
    app.read(async move |tx: &Tx| products::find(tx, scope, id).await).await
}

fn deletion(product: &Product, lang: Lang) -> Deletion<'_> {
    Deletion {
        section: Section::Products,
        place: (LIST, API, product.id.to_string()),
        heading: lang.product_delete_of(&product.name),
        back: lang.product_back(),
        effects: [lang.product_delete_gone(), lang.product_delete_stays()],
        name: &product.name,
        button: lang.product_delete_now(),
        of: DeletionOf::Object,
    }
}
