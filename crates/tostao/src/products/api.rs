//! Products in the API.

use axum::extract::State;
use db::time::Timestamp;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::audit::Action;
use crate::audit::ticket::{Ticket, note};
use crate::auth::caller::Caller;
use crate::idempotency::dry_run::DryRun;
use crate::idempotency::{IdempotencyHeader, Replayable};
use crate::platform::error::Result;
use crate::platform::http::body::Body;
use crate::platform::http::listing::ListQuery;
use crate::platform::http::page::{PageQuery, Pagination};
use crate::platform::http::patch::{Omittable, Patch};
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::http::reply::{Created, Message, Ok200};
use crate::platform::ids::ProductId;
use crate::platform::permissions::{ProductsRead, ProductsWrite};
use crate::products::params::ProductParams;
use crate::products::{self, CURRENCY, Product, Status};

/// The parameters of a new product.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateProductRequest {
    #[schemars(length(min = 1, max = 255), extend("examples" = ["Café em grãos, 250 g"]))]
    pub name: String,
    /// Amount in cents.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub price: i64,
    #[schemars(length(max = 1000))]
    pub description: Option<String>,
    /// The currency; only `BRL` is supported.
    #[schemars(extend("enum" = ["BRL", null]))]
    pub currency: Option<String>,
    /// The quantity in stock; required when `stockEnabled` is true.
    #[schemars(range(min = 0, max = 1_000_000_000))]
    pub stock_quantity: Option<i64>,
    /// Whether to track stock. Defaults to false.
    pub stock_enabled: Option<bool>,
    /// Whether the product is not shipped. Defaults to false.
    pub is_digital: Option<bool>,
    /// The https URL of an image.
    #[schemars(extend("format" = "uri"))]
    pub image_url: Option<String>,
    /// The status. Defaults to `ACTIVE`.
    pub status: Option<Status>,
}

/// A product.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Product")]
pub struct ProductView {
    id: ProductId,
    name: String,
    description: Option<String>,
    /// Amount in cents.
    price: Cents,
    currency: &'static str,
    stock_quantity: Option<i64>,
    /// How many of the stock are reserved for pending payments.
    stock_reserved: i64,
    stock_enabled: bool,
    is_digital: bool,
    image_url: Option<String>,
    status: Status,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// A response with one product.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProductResponse {
    message: &'static str,
    product: ProductView,
}

/// A page of products, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProductList {
    message: &'static str,
    data: Vec<ProductView>,
    pagination: Pagination,
}

/// POST /api/v1/products
pub async fn create(
    State(app): State<App>,
    caller: Caller<ProductsWrite>,
    dry_run: DryRun,
    once: IdempotencyHeader,
    body: Body<CreateProductRequest>,
) -> Result<Replayable<Created<ProductResponse>>> {
    let (scope, key) = (caller.scope, once.key(caller.scope, &body.raw));
    ask_to_create(&app, Ticket::of_program(scope, key, dry_run), body.value).await
}

/// Creates a product: the way in of programs and of people.
pub async fn ask_to_create(
    app: &App,
    Ticket { scope, key, dry_run, by }: Ticket,
    body: CreateProductRequest,
) -> Result<Replayable<Created<ProductResponse>>> {
    let params = ProductParams::from(body);
    app.change_once(dry_run, scope, key, async move |tx| {
        let product = products::create(tx, scope, &params).await?;
        note(tx, scope, by.as_ref(), Action::ProductCreated, product.id.0).await?;
        Ok(Created(ProductResponse { message: "Product created.", product: product.into() }))
    })
    .await
}

/// GET /api/v1/products
pub async fn list(
    State(app): State<App>,
    caller: Caller<ProductsRead>,
    Query(page): Query<PageQuery>,
    Query(query): Query<ListQuery<Status>>,
) -> Result<Ok200<ProductList>> {
    let (scope, filter) = (caller.scope, query.read(&page)?);
    let page = filter.page;
    let listed = app
        .scan_for(scope.merchant, async move |tx| products::list(tx, scope, &filter).await)
        .await?;
    let pagination = page.pagination(&listed);
    let data = listed.rows.into_iter().map(ProductView::from).collect();
    Ok(Ok200(ProductList { message: "Products.", data, pagination }))
}

/// GET /api/v1/products/{id}
pub async fn show(
    State(app): State<App>,
    caller: Caller<ProductsRead>,
    PathParam(id): PathParam<ProductId>,
) -> Result<Ok200<ProductResponse>> {
    let scope = caller.scope;
    let product = app.read(async move |tx| products::find(tx, scope, id).await).await?;
    Ok(Ok200(ProductResponse { message: "Product.", product: product.into() }))
}

/// PATCH /api/v1/products/{id}
pub async fn update(
    State(app): State<App>,
    caller: Caller<ProductsWrite>,
    dry_run: DryRun,
    PathParam(id): PathParam<ProductId>,
    body: Body<ProductParams>,
) -> Result<Replayable<Ok200<ProductResponse>>> {
    ask_to_update(&app, Ticket::of_program(caller.scope, None, dry_run), id, body.value).await
}

/// Changes a product: the way in of programs and of people.
pub async fn ask_to_update(
    app: &App,
    Ticket { scope, key, dry_run, by }: Ticket,
    id: ProductId,
    params: ProductParams,
) -> Result<Replayable<Ok200<ProductResponse>>> {
    let pages = app.pages.clone();
    app.change_once(dry_run, scope, key, async move |tx| {
        let product = products::update(tx, scope, id, &params).await?;
        note(tx, scope, by.as_ref(), Action::ProductUpdated, id.0).await?;
        pages.invalidate_once_committed(tx, scope.merchant);
        Ok(Ok200(ProductResponse { message: "Product updated.", product: product.into() }))
    })
    .await
}

/// DELETE /api/v1/products/{id}
pub async fn delete(
    State(app): State<App>,
    caller: Caller<ProductsWrite>,
    dry_run: DryRun,
    PathParam(id): PathParam<ProductId>,
) -> Result<Replayable<Ok200<Message>>> {
    ask_to_delete(&app, Ticket::of_program(caller.scope, None, dry_run), id).await
}

/// Deletes a product: the way in of programs and of people.
pub async fn ask_to_delete(
    app: &App,
    Ticket { scope, key, dry_run, by }: Ticket,
    id: ProductId,
) -> Result<Replayable<Ok200<Message>>> {
    let pages = app.pages.clone();
    app.change_once(dry_run, scope, key, async move |tx| {
        products::delete(tx, scope, id).await?;
        note(tx, scope, by.as_ref(), Action::ProductDeleted, id.0).await?;
        pages.invalidate_once_committed(tx, scope.merchant);
        Ok(Ok200(Message { message: "Product deleted." }))
    })
    .await
}

impl From<CreateProductRequest> for ProductParams {
    fn from(body: CreateProductRequest) -> Self {
        Self {
            name: Omittable::from(Some(body.name)),
            price: Omittable::from(Some(body.price)),
            description: Patch::from(body.description),
            currency: Omittable::from(body.currency),
            stock_quantity: Patch::from(body.stock_quantity),
            stock_enabled: Omittable::from(body.stock_enabled),
            is_digital: Omittable::from(body.is_digital),
            image_url: Patch::from(body.image_url),
            status: Omittable::from(body.status),
        }
    }
}

impl From<Product> for ProductView {
    fn from(product: Product) -> Self {
        Self {
            id: product.id,
            name: product.name,
            description: product.description,
            price: product.price,
            currency: CURRENCY,
            stock_quantity: product.stock_quantity,
            stock_reserved: product.stock_reserved,
            stock_enabled: product.stock_enabled,
            is_digital: product.is_digital,
            image_url: product.image_url,
            status: product.status,
            created_at: product.created_at,
            updated_at: product.updated_at,
        }
    }
}
