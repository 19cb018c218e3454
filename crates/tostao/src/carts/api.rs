//! Carts through the API.

use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::auth::caller::Caller;
use crate::auth::permissions::PaymentLinksRead;
use crate::carts;
use crate::carts::list::{ListQuery, Totals};
use crate::carts::view::CartView;
use crate::error::Result;
use crate::http::page::Pagination;
use crate::http::path::At;
use crate::http::query::Query;
use crate::http::reply::Done;
use crate::ids::PaymentLinkId;
use crate::payment_links;

/// A page of cart abandonments, newest first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CartAbandonmentList")]
pub struct CartList {
    message: &'static str,
    data: Vec<CartView>,
    totals: Totals,
    pagination: Pagination,
}

/// GET /api/v1/payment-links/{id}/cart-abandonments
pub async fn list(
    State(app): State<App>,
    caller: Caller<PaymentLinksRead>,
    At(id): At<PaymentLinkId>,
    Query(query): Query<ListQuery>,
) -> Result<Done<CartList>> {
    let (scope, filter) = (caller.scope, query.read()?);
    let page = filter.page;
    let scanned = app.scan_for(scope.merchant, async move |tx| {
        let slug = payment_links::find(tx, scope, id).await?.slug;
        let (listed, totals) = carts::list(tx, scope, id, &filter).await?;
        Ok((slug, listed, totals))
    });
    let (slug, listed, totals) = scanned.await?;
    let pagination = page.pagination(&listed);
    let addresses = app.terms.cart_addresses();
    let carts = listed.rows.iter();
    let data = carts.map(|cart| CartView::new(addresses, scope, &slug, cart)).collect();
    Ok(Done(CartList { message: "Cart abandonments.", data, totals, pagination }))
}
