//! Validating a coupon without an API key.
//!
//! Whatever is wrong with a coupon, the response is byte-identical, and the rate limit is low, so
//! that codes cannot be guessed.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::checkout::coupon_check::{CouponQuery, check};
use crate::coupons::discount::DiscountType;
use crate::coupons::{Discount, INVALID};
use crate::platform::decimal::Decimal;
use crate::platform::error::{Error, ErrorCode, FieldErrors, FieldFault, Result};
use crate::platform::fields;
use crate::platform::http::body::PublicBody;
use crate::platform::http::context::{Context, RequestContext};
use crate::platform::http::device::Device;
use crate::platform::http::error_body::ErrorBody;
use crate::platform::http::error_response;
use crate::platform::http::rate_limit::{COUPON_ADDRESS, COUPON_DEVICE};
use crate::platform::http::reply;
use crate::platform::ids::ProductId;
use crate::platform::openapi::describe::DescribeReply;
use crate::platform::openapi::operation::Operation;

const PRODUCTS_MAX: usize = 100;

/// The coupon and the purchase to check it against.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ValidateCouponRequest")]
#[schemars(extend("examples" = [{ "code": "WELCOME10", "amountCents": 4_990 }]))]
pub struct ValidateBody {
    /// The code; case-insensitive.
    code: String,
    /// The purchase amount before the discount, in cents.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    amount_cents: i64,
    /// The products of the purchase, of one merchant; repeat an ID for more than one of it.
    #[schemars(length(max = 100))]
    product_ids: Option<Vec<ProductId>>,
    /// The slug of the payment link, if no products are given.
    slug: Option<String>,
}

/// The response for a coupon that applies.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ValidCouponResponse")]
pub struct ValidReply {
    /// Always true.
    valid: bool,
    discount_amount: Cents,
    /// The amount to pay after the discount, in cents.
    final_amount: Cents,
    coupon: ValidCoupon,
}

/// A coupon as buyers see it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PublicCoupon")]
pub struct ValidCoupon {
    code: String,
    discount_type: DiscountType,
    /// The discount in percent or cents, depending on `discountType`.
    discount_value: Decimal,
    description: Option<String>,
}

/// The response for a coupon that does not apply.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "InvalidCouponResponse")]
pub struct InvalidReply {
    /// Always false.
    valid: bool,
    message: &'static str,
    /// Always `COUPON_INVALID`.
    code: &'static str,
}

/// A request that was refused before the coupon was checked.
#[derive(Serialize)]
struct RefusedReply {
    valid: bool,
    #[serde(flatten)]
    error: ErrorBody,
}

/// The response to a validation.
pub struct ValidationReply(Response);

/// POST /api/coupons/validate
pub async fn validate(
    State(app): State<App>,
    Context(context): Context,
    device: Device,
    body: Result<PublicBody<ValidateBody>>,
) -> ValidationReply {
    let judged = validate_coupon(&app, &context, &device, body).await;
    let written = match judged {
        Ok(Some(reply)) => serde_json::to_vec(&reply).map(|body| reply::json(200, body)),
        Ok(None) => serde_json::to_vec(&INVALID_REPLY).map(|body| reply::json(400, body)),
        Err(error) => refuse(error, &context, &app),
    };
    let mut response = written.unwrap_or_else(|error| Error::from(error).into_response());
    let fresh = app.database.sources().random();
    response.headers_mut().extend(device.remember(fresh, app.urls.checkout()));
    ValidationReply(response)
}

const INVALID_REPLY: InvalidReply =
    InvalidReply { valid: false, message: INVALID, code: ErrorCode::CouponInvalid.name() };

impl IntoResponse for ValidationReply {
    fn into_response(self) -> Response {
        self.0
    }
}

impl DescribeReply for ValidationReply {
    fn describe_reply(operation: &mut Operation) {
        operation.reply::<ValidReply>(200);
        operation.reply::<InvalidReply>(ErrorCode::CouponInvalid.status());
    }
}

impl ValidReply {
    /// Shows a discount, which is never more than the amount it was computed for.
    fn new(amount: Cents, discount: Discount) -> Self {
        let Discount { coupon, amount: off } = discount;
        Self {
            valid: true,
            discount_amount: off,
            final_amount: amount.minus(off).unwrap_or(Cents::ZERO),
            coupon: ValidCoupon {
                code: coupon.code,
                discount_type: coupon.reduction.kind(),
                discount_value: coupon.reduction.shown(),
                description: coupon.description,
            },
        }
    }
}

async fn validate_coupon(
    app: &App,
    context: &RequestContext,
    device: &Device,
    body: Result<PublicBody<ValidateBody>>,
) -> Result<Option<ValidReply>> {
    limit(app, context, device)?;
    let question = read(body?.value)?;
    let amount = question.amount;
    let found = app.read(async move |tx| check(tx, &question).await).await?;
    Ok(found.map(|discount| ValidReply::new(amount, discount)))
}

/// Rate limit against trying many codes.
pub fn limit(app: &App, context: &RequestContext, device: &Device) -> Result<()> {
    let now = app.now();
    let address = context.client_ip;
    context.note_rate(app.limits.check_address(&COUPON_ADDRESS, address, "", now)?);
    if let Device(Some(name)) = device {
        context.note_rate(app.limits.check(&COUPON_DEVICE, name, now)?);
    }
    Ok(())
}

/// The same for a request in which a coupon code is optional, such as a purchase.
pub fn limit_if_given(
    app: &App,
    context: &RequestContext,
    device: &Device,
    code: Option<&str>,
) -> Result<()> {
    if code.is_some() { limit(app, context, device) } else { Ok(()) }
}

fn read(body: ValidateBody) -> Result<CouponQuery> {
    let mut wrong = FieldErrors::new();
    let amount = wrong.read("amountCents", fields::amount(body.amount_cents));
    let product_ids = body.product_ids.unwrap_or_default();
    if product_ids.len() > PRODUCTS_MAX {
        let message = format!("must have at most {PRODUCTS_MAX} entries");
        wrong.add("productIds", FieldFault::new("INVALID_LENGTH", message));
    }
    let Some(amount) = amount else { return Err(wrong.into_error()) };
    wrong.finish()?;
    Ok(CouponQuery { code: body.code, amount, product_ids, slug: body.slug })
}

/// The standard error, with `valid: false` also if the coupon was not looked up.
fn refuse(error: Error, context: &RequestContext, app: &App) -> serde_json::Result<Response> {
    let status = error_response::status(&error);
    if status.is_server_error() {
        return Ok(error.into_response());
    }
    context.note_refusal(&error);
    let error_body = error_response::body(&error, context, app.now(), &app.settings.base_url());
    let body = RefusedReply { valid: false, error: error_body };
    let mut response = reply::json(status.as_u16(), serde_json::to_vec(&body)?);
    response.headers_mut().extend(error_response::headers(&error));
    Ok(response)
}
