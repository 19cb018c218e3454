//! A new payment link: with what its form begins, and what its checkout would show.

use axum::extract::{Request, State};
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;
use serde::Deserialize;

use crate::app::App;
use crate::auth::seat::Seat;
use crate::dashboard::form::Posted;
use crate::dashboard::form_pages::{self, Drawing, FormVisit, ObjectForm, new_frame};
use crate::dashboard::links::form::{LinkForm, SHOWN};
use crate::dashboard::links::form_view::FormPage;
use crate::dashboard::links::preview;
use crate::dashboard::visit_pages::{Visit, posted_form};
use crate::payment_links;
use crate::platform::error::{Error, Result};
use crate::platform::http::query::Query;
use crate::platform::ids::{PaymentLinkId, ProductId};
use crate::platform::permissions::{PaymentLinksWrite, Permission};
use crate::products;

/// The path of the form in its mode.
pub const NEW: &str = "/links/new";

/// With what the form begins.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Beginning {
    /// The link that another one shall be like.
    copy: String,
    /// What it shall sell.
    product: String,
}

/// GET /dashboard/{mode}/links/new
pub async fn show(
    State(app): State<App>,
    seat: Seat<PaymentLinksWrite>,
    visit: Visit,
    Query(beginning): Query<Beginning>,
) -> Result<Response> {
    let at = FormVisit { app, seat, visit };
    let form = match at.kept() {
        Some(kept) => kept,
        None => Posted::new(begin(&at, &beginning).await?),
    };
    form_pages::show(&at, None, &form, new_frame::<LinkForm>(&at)).await
}

/// POST /dashboard/{mode}/links/new
pub async fn create(
    State(app): State<App>,
    seat: Seat<PaymentLinksWrite>,
    visit: Visit,
    request: Request,
) -> Result<Response> {
    let form: Posted<LinkForm> = posted_form(request, &SHOWN).await?;
    let at = FormVisit { app, seat, visit };
    if form.typed.preview.is_empty() {
        form_pages::make(&at, &form).await
    } else {
        preview_of(&at, &form).await
    }
}

/// The form with what the checkout would show; nothing is made.
async fn preview_of(
    at: &FormVisit<PaymentLinksWrite>,
    form: &Posted<LinkForm>,
) -> Result<Response> {
    let frame = new_frame::<LinkForm>(at);
    let shown = match form.typed.body() {
        Ok(body) => preview::of(&at.app, at.seat.scope, body, at.visit.lang).await,
        Err(error) => Err(error),
    };
    match shown {
        Ok(order) => {
            let drawing = Drawing { frame, typed: &form.typed, wrong: &[], refusal: None };
            let page = LinkForm::page(at, None, drawing).await?;
            at.visit.page(&FormPage { preview: Some(order), ..page }, StatusCode::OK)
        }
        Err(error) => form_pages::refuse(at, None, form, frame, error).await,
    }
}

/// What the form begins with: another link's values, a product, those of a first link, or the
/// defaults.
async fn begin(
    at: &FormVisit<PaymentLinksWrite>,
    Beginning { copy, product }: &Beginning,
) -> Result<LinkForm> {
    let (app, scope, lang) = (&at.app, at.seat.scope, at.visit.lang);
    if !copy.is_empty() {
        let id: PaymentLinkId = copy.parse().map_err(|_| Error::NotFound("Payment link"))?;
        let link = app.read(async move |tx: &Tx| payment_links::find(tx, scope, id).await).await?;
        return Ok(LinkForm::copy_of(&link, scope.at(app.now()), lang));
    }
    if !product.is_empty() && at.seat.permissions.contains(Permission::ProductsRead) {
        let id: ProductId = product.parse().map_err(|_| Error::NotFound("Product"))?;
        let product = app.read(async move |tx: &Tx| products::find(tx, scope, id).await).await?;
        return Ok(LinkForm::selling(&product));
    }
    let any = app.read(async move |tx: &Tx| payment_links::any(tx, scope).await).await?;
    let is_first = scope.mode.is_development() && !any;
    Ok(if is_first { LinkForm::first(lang) } else { LinkForm::blank() })
}
