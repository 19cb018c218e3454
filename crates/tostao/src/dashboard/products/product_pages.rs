//! A product: its state and why, its price and stock; and its switch.

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
use crate::dashboard::links::new_pages::NEW as NEW_LINK;
use crate::dashboard::parts::{Action, Switch};
use crate::dashboard::products::list_pages::{API, LIST};
use crate::dashboard::products::product_view::ProductPage;
use crate::dashboard::products::product_words as words;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::platform::error::Result;
use crate::platform::http::html::posted;
use crate::platform::http::patch::Omittable;
use crate::platform::http::path::PathParam;
use crate::platform::ids::{Mode, ProductId};
use crate::platform::messages::Lang;
use crate::platform::permissions::{Permission, Permissions, ProductsRead, ProductsWrite};
use crate::products::api::ask_to_update;
use crate::products::params::ProductParams;
use crate::products::{self, Product, Status};

/// The status that a product is switched to.
#[derive(Debug, Deserialize)]
struct SwitchForm {
    status: Status,
    attempt: String,
}

/// GET /dashboard/{mode}/products/{id}
pub async fn show(
    State(app): State<App>,
    seat: Seat<ProductsRead>,
    visit: Visit,
    PathParam(id): PathParam<ProductId>,
) -> Result<Response> {
    let (scope, mode, lang) = (seat.scope, seat.scope.mode, visit.lang);
    let product = app.read(async move |tx: &Tx| products::find(tx, scope, id).await).await?;
    let here = url(mode, &format!("{LIST}/{id}"));
    let changing = |page| {
        let address = format!("{here}/{page}");
        Action::needing(Permission::ProductsWrite, &seat.permissions, address, lang)
    };
    let page = ProductPage {
        lang,
        shell: Shell::read(&app, seat.holder(), mode, &visit, Section::Products).await?,
        list_url: url(mode, LIST),
        list_name: lang.products_title(),
        state: words::state(&product, lang),
        why: words::why(&product, lang),
        facts: facts(&product, lang),
        edit: changing("edit"),
        switch: switch_of(&product, changing("switch"), lang),
        delete: changing("delete"),
        link: link_of(&product, &seat.permissions, mode, lang),
        attempt: attempt::fresh(&app, scope),
        api: vec![ApiCall::get(&app.settings.base_url(), &format!("{API}/{id}"))],
        name: product.name,
    };
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/products/{id}/switch
pub async fn switch(
    State(app): State<App>,
    seat: Seat<ProductsWrite>,
    visit: Visit,
    PathParam(id): PathParam<ProductId>,
    request: Request,
) -> Result<Response> {
    let SwitchForm { status, attempt } = posted(request).await?;
    let (scope, lang) = (seat.scope, visit.lang);
    let route = format!("{LIST}/{id}/switch");
    let key = attempt::key(&app, scope, &route, &attempt, status.name())?;
    let ticket = Ticket::of_person(scope, key, seat.by());
    let params =
        ProductParams { status: Omittable::from(Some(status)), ..ProductParams::default() };
    ask_to_update(&app, ticket, id, params).await?;
    let said = match status {
        Status::Active => lang.product_was_switched_on(),
        Status::Inactive => lang.product_was_switched_off(),
    };
    Ok(see_and_say(&app, &url(scope.mode, &format!("{LIST}/{id}")), said))
}

fn switch_of(product: &Product, action: Action, lang: Lang) -> Switch {
    let (status, name) = match product.status {
        Status::Active => (Status::Inactive, lang.product_switch_off()),
        Status::Inactive => (Status::Active, lang.product_switch_on()),
    };
    Switch { action, field: "status", status: status.name(), name }
}

/// Where a link that sells the product is made, or why not.
fn link_of(product: &Product, permissions: &Permissions, mode: Mode, lang: Lang) -> Action {
    let form = url(mode, &format!("{NEW_LINK}?product={}", product.id));
    match Action::needing(Permission::PaymentLinksWrite, permissions, form, lang) {
        Action::Possible(_) if product.status == Status::Inactive => {
            Action::Refused(lang.product_inactive_sells_by_no_link())
        }
        action => action,
    }
}

fn facts(product: &Product, lang: Lang) -> Vec<(&'static str, String)> {
    let counted = product.counted();
    let kind = if product.is_digital { lang.product_digital() } else { lang.product_physical() };
    let reserved = counted.map(|_| product.stock_reserved.to_string());
    let quantity =
        counted.map_or_else(|| lang.product_not_counted().to_owned(), |it| it.to_string());
    let facts = [
        (lang.product_price(), Some(lang.money(product.price.get()))),
        (lang.product_stock(), Some(quantity)),
        (lang.product_reserved(), reserved),
        (lang.product_left(), product.left().map(|left| left.to_string())),
        (lang.product_kind(), Some(kind.to_owned())),
        (lang.coupon_description(), product.description.clone()),
        (lang.product_image(), product.image_url.clone()),
        (lang.coupon_since(), Some(lang.date_time(product.created_at.micros()))),
    ];
    facts.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}
