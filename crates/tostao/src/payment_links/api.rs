//! Payment links in the API.

use axum::extract::State;
use db::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::audit::Action;
use crate::audit::ticket::{Ticket, note};
use crate::auth::caller::Caller;
use crate::idempotency::dry_run::DryRun;
use crate::idempotency::{IdempotencyHeader, Replayable};
use crate::payment_links::params::PaymentLinkParams;
use crate::payment_links::settings::{CreatePaymentLinkSettings, PaymentLinkSettingsParams};
use crate::payment_links::status::{SettablePaymentLinkStatus, Status};
use crate::payment_links::view::LinkView;
use crate::payment_links::{self, pricing, view};
use crate::platform::error::Result;
use crate::platform::http::body::Body;
use crate::platform::http::listing::ListQuery;
use crate::platform::http::page::{PageQuery, Pagination};
use crate::platform::http::patch::{Omittable, Patch};
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::http::reply::{Created, Message, Ok200};
use crate::platform::ids::PaymentLinkId;
use crate::platform::permissions::{PaymentLinksRead, PaymentLinksWrite};
use crate::products::items::LineItemRequest;

/// The parameters of a new payment link; at least one of `amountCents` and `products` is required.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreatePaymentLinkRequest {
    /// The title, which the buyer sees.
    #[schemars(length(min = 1, max = 255), extend("examples" = ["Café em grãos, 250 g"]))]
    pub title: String,
    #[schemars(length(max = 1000))]
    pub description: Option<String>,
    /// The amount to pay, in cents. With `products`, the fixed price of all of them together.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub amount_cents: Option<i64>,
    /// The currency; only `BRL` is supported.
    #[schemars(extend("enum" = ["BRL", null]))]
    pub currency: Option<String>,
    /// When the link expires; in the future, within five years.
    pub expires_at: Option<Timestamp>,
    /// The http or https URL to redirect the buyer to after paying.
    #[schemars(extend("format" = "uri"))]
    pub redirect_url: Option<String>,
    #[schemars(length(max = 1000))]
    pub product_description: Option<String>,
    pub settings: Option<CreatePaymentLinkSettings>,
    /// The products that the link sells.
    #[schemars(length(max = 100))]
    pub products: Option<Vec<LineItemRequest>>,
    /// How many times the link can be sold; required when `stockEnabled` is true.
    #[schemars(range(min = 0, max = 1_000_000_000))]
    pub stock_quantity: Option<i64>,
    /// Whether to limit how many times the link can be sold. Defaults to false.
    pub stock_enabled: Option<bool>,
    /// The ID of a Meta tracking pixel: 1 to 64 letters, digits, `_` and `-`.
    #[schemars(regex(pattern = "^[A-Za-z0-9_-]{1,64}$"))]
    pub meta_pixel_code: Option<String>,
    /// The status. Defaults to `ACTIVE`.
    pub status: Option<SettablePaymentLinkStatus>,
}

/// A response with the created payment link.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CreatedPaymentLinkResponse {
    message: &'static str,
    data: LinkView,
}

/// A response with one payment link.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PaymentLinkResponse {
    message: &'static str,
    payment_link: LinkView,
}

/// A page of payment links, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PaymentLinkList {
    message: &'static str,
    data: Vec<LinkView>,
    pagination: Pagination,
}

/// POST /api/v1/payment-links
pub async fn create(
    State(app): State<App>,
    caller: Caller<PaymentLinksWrite>,
    dry_run: DryRun,
    once: IdempotencyHeader,
    body: Body<CreatePaymentLinkRequest>,
) -> Result<Replayable<Created<CreatedPaymentLinkResponse>>> {
    let (scope, key) = (caller.scope, once.key(caller.scope, &body.raw));
    ask(&app, Ticket::of_program(scope, key, dry_run), body.value).await
}

/// Makes a payment link: the way in of programs and of people.
pub async fn ask(
    app: &App,
    Ticket { scope, key, dry_run, by }: Ticket,
    body: CreatePaymentLinkRequest,
) -> Result<Replayable<Created<CreatedPaymentLinkResponse>>> {
    let (params, checkout_url) = (PaymentLinkParams::from(body), app.settings.checkout_url());
    app.change_once(dry_run, scope, key, async move |tx| {
        let link = payment_links::create(tx, scope, &checkout_url, &params).await?;
        note(tx, scope, by.as_ref(), Action::PaymentLinkCreated, link.id.0).await?;
        let data = view::current(tx, scope, &checkout_url, &link).await?;
        Ok(Created(CreatedPaymentLinkResponse { message: "Payment link created.", data }))
    })
    .await
}

/// GET /api/v1/payment-links
pub async fn list(
    State(app): State<App>,
    caller: Caller<PaymentLinksRead>,
    Query(page): Query<PageQuery>,
    Query(query): Query<ListQuery<Status>>,
) -> Result<Ok200<PaymentLinkList>> {
    let (scope, filter, checkout_url) =
        (caller.scope, query.read(&page)?, app.settings.checkout_url());
    let page = filter.page;
    let scanned = app.scan_for(scope.merchant, async move |tx| {
        let listed = payment_links::list(tx, scope, &filter).await?;
        let totals = pricing::totals(tx, scope, &listed.rows).await?;
        Ok((listed, totals))
    });
    let (listed, totals) = scanned.await?;
    let pagination = page.pagination(&listed);
    let links = listed.rows.into_iter().zip(totals);
    let data = links.map(|(link, total)| LinkView::new(&checkout_url, &link, total)).collect();
    Ok(Ok200(PaymentLinkList { message: "Payment links.", data, pagination }))
}

/// GET /api/v1/payment-links/{id}
pub async fn show(
    State(app): State<App>,
    caller: Caller<PaymentLinksRead>,
    PathParam(id): PathParam<PaymentLinkId>,
) -> Result<Ok200<PaymentLinkResponse>> {
    let (scope, checkout_url) = (caller.scope, app.settings.checkout_url());
    let found = app.read(async move |tx| {
        let link = payment_links::find(tx, scope, id).await?;
        view::current(tx, scope, &checkout_url, &link).await
    });
    Ok(Ok200(PaymentLinkResponse { message: "Payment link.", payment_link: found.await? }))
}

/// PATCH /api/v1/payment-links/{id}
pub async fn update(
    State(app): State<App>,
    caller: Caller<PaymentLinksWrite>,
    dry_run: DryRun,
    PathParam(id): PathParam<PaymentLinkId>,
    body: Body<PaymentLinkParams>,
) -> Result<Replayable<Ok200<PaymentLinkResponse>>> {
    ask_to_update(&app, Ticket::of_program(caller.scope, None, dry_run), id, body.value).await
}

/// Changes a payment link: the way in of programs and of people.
pub async fn ask_to_update(
    app: &App,
    Ticket { scope, key, dry_run, by }: Ticket,
    id: PaymentLinkId,
    params: PaymentLinkParams,
) -> Result<Replayable<Ok200<PaymentLinkResponse>>> {
    let (checkout_url, pages) = (app.settings.checkout_url(), app.pages.clone());
    app.change_once(dry_run, scope, key, async move |tx| {
        let link = payment_links::update(tx, scope, &checkout_url, id, &params).await?;
        note(tx, scope, by.as_ref(), Action::PaymentLinkUpdated, id.0).await?;
        pages.invalidate_once_committed(tx, scope.merchant);
        let payment_link = view::current(tx, scope, &checkout_url, &link).await?;
        Ok(Ok200(PaymentLinkResponse { message: "Payment link updated.", payment_link }))
    })
    .await
}

/// DELETE /api/v1/payment-links/{id}
pub async fn delete(
    State(app): State<App>,
    caller: Caller<PaymentLinksWrite>,
    dry_run: DryRun,
    PathParam(id): PathParam<PaymentLinkId>,
) -> Result<Replayable<Ok200<Message>>> {
    let scope = caller.scope;
    let (checkout_url, pages) = (app.settings.checkout_url(), app.pages.clone());
    app.change_once(dry_run, scope, None, async move |tx| {
        payment_links::delete(tx, scope, &checkout_url, id).await?;
        pages.invalidate_once_committed(tx, scope.merchant);
        Ok(Ok200(Message { message: "Payment link deleted." }))
    })
    .await
}

impl From<CreatePaymentLinkRequest> for PaymentLinkParams {
    fn from(body: CreatePaymentLinkRequest) -> Self {
        Self {
            title: Omittable::from(Some(body.title)),
            description: Patch::from(body.description),
            amount_cents: Patch::from(body.amount_cents),
            currency: Omittable::from(body.currency),
            expires_at: Patch::from(body.expires_at),
            redirect_url: Patch::from(body.redirect_url),
            product_description: Patch::from(body.product_description),
            settings: Patch::from(body.settings.map(PaymentLinkSettingsParams::from)),
            products: Patch::from(body.products),
            stock_quantity: Patch::from(body.stock_quantity),
            stock_enabled: Omittable::from(body.stock_enabled),
            meta_pixel_code: Patch::from(body.meta_pixel_code),
            status: Omittable::from(body.status),
        }
    }
}
