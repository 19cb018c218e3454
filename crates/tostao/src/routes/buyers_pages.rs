//! The URLs of the pages that buyers open: of links, and of plans with their subscribers.

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};

use crate::app::App;
use crate::{checkout, middleware, subscription_pages};

/// The pages whose forms buyers post.
pub fn buyers_pages(app: &App) -> Router<App> {
    use checkout::pay_pages::LinkPageData as Link;
    use checkout::{card_pages as card, form_pages as form};
    Router::new()
        .route("/pay/{slug}", get(checkout::pay_pages::pay).post(form::start::<Link>))
        .route("/pay/{slug}/t/{id}", get(checkout::pages::show))
        .route("/pay/{slug}/card", get(card::show::<Link>).post(card::pay::<Link>))
        .route("/pay/{slug}/t/{id}/boleto", get(checkout::boleto_document_pages::page))
        .route("/pay/{slug}/t/{id}/boleto.pdf", get(checkout::boleto_document_pages::file))
        .route("/pay/{slug}/t/{id}/events", get(checkout::pages::events))
        .route("/pay/{slug}/t/{id}/receipt", get(checkout::pages::receipt))
        .route(
            "/pay/{slug}/t/{id}/renew",
            get(checkout::redirect_pages::from_renewal).post(checkout::pages::renew),
        )
        .route("/pay/{slug}/t/{id}/retry", post(checkout::pages::retry))
        .route("/pay/{slug}/t/{id}/simulate", post(checkout::pages::simulate))
        .merge(subscription_pages())
        .route_layer(from_fn_with_state(app.clone(), middleware::own_forms))
}

/// The pages of plans and of subscribers.
fn subscription_pages() -> Router<App> {
    use checkout::{card_pages as card, form_pages as form};
    use subscription_pages::offer::PlanPageData as Plan;
    use subscription_pages::plan_pages as plan;
    use subscription_pages::{
        portal_cancel_pages as cancel, portal_card_pages as portal_card, portal_pages as portal,
    };
    Router::new()
        .route("/subscribe/{planId}", get(plan::show).post(form::start::<Plan>))
        .route("/subscribe/{planId}/card", get(card::show::<Plan>).post(card::pay::<Plan>))
        .route("/subscription/card", get(portal_card::show).post(portal_card::keep))
        .route("/subscription/{manageToken}", get(portal::show))
        .route("/subscription/{manageToken}/card", get(portal_card::begin))
        .route("/subscription/{manageToken}/cancel", get(cancel::show).post(cancel::cancel))
        .route(
            "/subscription/{manageToken}/pause",
            get(portal::redirect_to_portal).post(portal::pause),
        )
        .route(
            "/subscription/{manageToken}/resume",
            get(portal::redirect_to_portal).post(portal::resume),
        )
}
