//! Coupons in the API.

use axum::extract::State;
use db::time::Timestamp;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::audit::Action;
use crate::audit::ticket::{Ticket, note};
use crate::auth::caller::Caller;
use crate::coupons::discount::DiscountType;
use crate::coupons::params::{CouponParams, SettableCouponStatus};
use crate::coupons::{self, Coupon, Status};
use crate::idempotency::dry_run::DryRun;
use crate::idempotency::{IdempotencyHeader, Replayable};
use crate::platform::decimal::{Decimal, NumberText};
use crate::platform::error::Result;
use crate::platform::http::body::Body;
use crate::platform::http::listing::ListQuery;
use crate::platform::http::page::{PageQuery, Pagination};
use crate::platform::http::patch::{Omittable, Patch};
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::http::reply::{Created, Message, Ok200};
use crate::platform::ids::{CouponId, ProductId};
use crate::platform::permissions::{CouponsRead, CouponsWrite};

/// The parameters of a new coupon.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("examples" = [{
    "code": "WELCOME10", "discountType": "PERCENTAGE", "discountValue": 10,
}]))]
pub struct CreateCouponRequest {
    /// The code: 3 to 40 letters, digits, `_` and `-`; case-insensitive.
    #[schemars(regex(pattern = "^[A-Za-z0-9_-]{3,40}$"))]
    pub code: String,
    pub discount_type: DiscountType,
    /// A percentage from 1 to 100 with at most two decimal places, or an amount in cents.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub discount_value: NumberText,
    #[schemars(length(max = 1000))]
    pub description: Option<String>,
    /// The minimum purchase amount, in cents.
    #[schemars(range(min = 0, max = 1_000_000_000))]
    pub min_purchase_cents: Option<i64>,
    /// The maximum discount of a percentage coupon, in cents.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub max_discount_cents: Option<i64>,
    /// The maximum number of transactions.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub usage_limit: Option<i64>,
    /// The maximum number of transactions per buyer.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub per_user_limit: Option<i64>,
    pub valid_from: Option<Timestamp>,
    /// When the coupon expires; in the future and after `validFrom`.
    pub valid_until: Option<Timestamp>,
    /// The products that the coupon applies to; empty means all.
    #[schemars(length(max = 100))]
    pub product_ids: Option<Vec<ProductId>>,
    /// The status. Defaults to `ACTIVE`.
    pub status: Option<SettableCouponStatus>,
}

/// A discount coupon.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Coupon")]
pub struct CouponView {
    id: CouponId,
    /// The code, in upper case.
    code: String,
    discount_type: DiscountType,
    /// The discount in percent or cents, depending on `discountType`.
    discount_value: Decimal,
    description: Option<String>,
    min_purchase_cents: Option<Cents>,
    max_discount_cents: Option<Cents>,
    usage_limit: Option<i64>,
    per_user_limit: Option<i64>,
    /// The number of transactions that use the coupon, including pending ones.
    usage_count: i64,
    valid_from: Option<Timestamp>,
    valid_until: Option<Timestamp>,
    /// The products that the coupon applies to; empty means all.
    product_ids: Vec<ProductId>,
    status: Status,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// A response with one coupon.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CouponResponse {
    message: &'static str,
    coupon: CouponView,
}

/// A page of coupons, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CouponList {
    message: &'static str,
    data: Vec<CouponView>,
    pagination: Pagination,
}

/// POST /api/v1/coupons
pub async fn create(
    State(app): State<App>,
    caller: Caller<CouponsWrite>,
    dry_run: DryRun,
    once: IdempotencyHeader,
    body: Body<CreateCouponRequest>,
) -> Result<Replayable<Created<CouponResponse>>> {
    let (scope, key) = (caller.scope, once.key(caller.scope, &body.raw));
    ask_to_create(&app, Ticket::of_program(scope, key, dry_run), body.value).await
}

/// Creates a coupon: the way in of programs and of people.
pub async fn ask_to_create(
    app: &App,
    Ticket { scope, key, dry_run, by }: Ticket,
    body: CreateCouponRequest,
) -> Result<Replayable<Created<CouponResponse>>> {
    let kind = body.discount_type;
    let params = CouponParams::from(body);
    app.change_once(dry_run, scope, key, async move |tx| {
        let coupon = coupons::create(tx, scope, kind, &params).await?;
        note(tx, scope, by.as_ref(), Action::CouponCreated, coupon.id.0).await?;
        let coupon = CouponView::new(coupon, scope.now(tx));
        Ok(Created(CouponResponse { message: "Coupon created.", coupon }))
    })
    .await
}

/// GET /api/v1/coupons
pub async fn list(
    State(app): State<App>,
    caller: Caller<CouponsRead>,
    Query(page): Query<PageQuery>,
    Query(query): Query<ListQuery<Status>>,
) -> Result<Ok200<CouponList>> {
    let (scope, filter) = (caller.scope, query.read(&page)?);
    let page = filter.page;
    let scanned = app.scan_for(scope.merchant, async move |tx| {
        Ok((coupons::list(tx, scope, &filter).await?, scope.now(tx)))
    });
    let (listed, now) = scanned.await?;
    let pagination = page.pagination(&listed);
    let data = listed.rows.into_iter().map(|coupon| CouponView::new(coupon, now)).collect();
    Ok(Ok200(CouponList { message: "Coupons.", data, pagination }))
}

/// GET /api/v1/coupons/{id}
pub async fn show(
    State(app): State<App>,
    caller: Caller<CouponsRead>,
    PathParam(id): PathParam<CouponId>,
) -> Result<Ok200<CouponResponse>> {
    let scope = caller.scope;
    let found = app.read(async move |tx| {
        let coupon = coupons::find(tx, scope, id).await?;
        Ok(CouponView::new(coupon, scope.now(tx)))
    });
    Ok(Ok200(CouponResponse { message: "Coupon.", coupon: found.await? }))
}

/// PATCH /api/v1/coupons/{id}
pub async fn update(
    State(app): State<App>,
    caller: Caller<CouponsWrite>,
    dry_run: DryRun,
    PathParam(id): PathParam<CouponId>,
    body: Body<CouponParams>,
) -> Result<Replayable<Ok200<CouponResponse>>> {
    ask_to_update(&app, Ticket::of_program(caller.scope, None, dry_run), id, body.value).await
}

/// Changes a coupon: the way in of programs and of people.
pub async fn ask_to_update(
    app: &App,
    Ticket { scope, key, dry_run, by }: Ticket,
    id: CouponId,
    params: CouponParams,
) -> Result<Replayable<Ok200<CouponResponse>>> {
    app.change_once(dry_run, scope, key, async move |tx| {
        let coupon = coupons::update(tx, scope, id, &params).await?;
        note(tx, scope, by.as_ref(), Action::CouponUpdated, id.0).await?;
        let coupon = CouponView::new(coupon, scope.now(tx));
        Ok(Ok200(CouponResponse { message: "Coupon updated.", coupon }))
    })
    .await
}

/// DELETE /api/v1/coupons/{id}
pub async fn delete(
    State(app): State<App>,
    caller: Caller<CouponsWrite>,
    dry_run: DryRun,
    PathParam(id): PathParam<CouponId>,
) -> Result<Replayable<Ok200<Message>>> {
    ask_to_delete(&app, Ticket::of_program(caller.scope, None, dry_run), id).await
}

/// Deletes a coupon: the way in of programs and of people.
pub async fn ask_to_delete(
    app: &App,
    Ticket { scope, key, dry_run, by }: Ticket,
    id: CouponId,
) -> Result<Replayable<Ok200<Message>>> {
    app.change_once(dry_run, scope, key, async move |tx| {
        coupons::delete(tx, scope, id).await?;
        note(tx, scope, by.as_ref(), Action::CouponDeleted, id.0).await?;
        Ok(Ok200(Message { message: "Coupon deleted." }))
    })
    .await
}

impl CouponView {
    fn new(coupon: Coupon, now: Timestamp) -> Self {
        Self {
            status: coupon.status(now),
            id: coupon.id,
            code: coupon.code,
            discount_type: coupon.reduction.kind(),
            discount_value: coupon.reduction.shown(),
            description: coupon.description,
            min_purchase_cents: coupon.min_purchase,
            max_discount_cents: coupon.max_discount,
            usage_limit: coupon.usage_limit,
            per_user_limit: coupon.per_user_limit,
            usage_count: coupon.usage_count,
            valid_from: coupon.valid_from,
            valid_until: coupon.valid_until,
            product_ids: coupon.product_ids,
            created_at: coupon.created_at,
            updated_at: coupon.updated_at,
        }
    }
}

impl From<CreateCouponRequest> for CouponParams {
    fn from(body: CreateCouponRequest) -> Self {
        Self {
            code: Omittable::from(Some(body.code)),
            discount_value: Omittable::from(Some(body.discount_value)),
            description: Patch::from(body.description),
            min_purchase_cents: Patch::from(body.min_purchase_cents),
            max_discount_cents: Patch::from(body.max_discount_cents),
            usage_limit: Patch::from(body.usage_limit),
            per_user_limit: Patch::from(body.per_user_limit),
            valid_from: Patch::from(body.valid_from),
            valid_until: Patch::from(body.valid_until),
            product_ids: Patch::from(body.product_ids),
            status: Omittable::from(body.status),
        }
    }
}
