//! Abandoned carts in the API.

use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::auth::caller::Caller;
use crate::carts::list::{ListQuery, Totals};
use crate::carts::view::CartView;
use crate::carts::{self, RecoveryUrls};
use crate::payment_links;
use crate::platform::error::Result;
use crate::platform::http::page::{PageQuery, Pagination};
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::http::reply::Ok200;
use crate::platform::ids::PaymentLinkId;
use crate::platform::permissions::PaymentLinksRead;

/// A page of cart abandonments, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CartAbandonmentList {
    message: &'static str,
    data: Vec<CartView>,
    totals: Totals,
    pagination: Pagination,
}

/// GET /api/v1/payment-links/{id}/cart-abandonments
pub async fn list(
    State(app): State<App>,
    caller: Caller<PaymentLinksRead>,
    PathParam(id): PathParam<PaymentLinkId>,
    Query(page): Query<PageQuery>,
    Query(query): Query<ListQuery>,
) -> Result<Ok200<CartAbandonmentList>> {
    let (scope, filter) = (caller.scope, query.read(&page)?);
    let page = filter.page;
    let scanned = app.scan_for(scope.merchant, async move |tx| {
        let slug = payment_links::find(tx, scope, id).await?.slug;
        let (listed, totals) = carts::list(tx, scope, id, &filter).await?;
        Ok((slug, listed, totals))
    });
    let (slug, listed, totals) = scanned.await?;
    let pagination = page.pagination(&listed);
    let addresses = RecoveryUrls::of(&app);
    let carts = listed.rows.iter();
    let data = carts.map(|cart| CartView::new(&addresses, scope, &slug, cart)).collect();
    Ok(Ok200(CartAbandonmentList { message: "Cart abandonments.", data, totals, pagination }))
}
