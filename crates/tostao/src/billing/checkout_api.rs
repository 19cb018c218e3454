//! Subscribing through the API, without an API key.

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::affiliates::clicks::visitor_api::Visitor;
use crate::app::App;
use crate::billing::checkout::{RequestedMethod, Subscribe, Subscribed, SubscriptionRequest};
use crate::checkout::api::limit_checkout;
use crate::checkout::buyer_view::PublicTransactionView;
use crate::checkout::coupon_api;
use crate::idempotency::{IdempotencyHeader, IdempotencyKey, Replayable, WEEK};
use crate::platform::error::{FieldErrors, Result};
use crate::platform::http::body::PublicBody;
use crate::platform::http::context::Context;
use crate::platform::http::query::Query;
use crate::platform::http::reply::{Created, SecretReply};
use crate::platform::ids::{PlanId, Scope};
use crate::subscriptions::view::SubscriptionView;
use crate::subscriptions::{Method, manage_token, plans};
use crate::transactions::qr_code::QrCodeQuery;
use crate::transactions::terms::PaymentTerms;
use crate::transactions::validation::{self, CustomerRequest, RequiredFields};

/// The parameters of a new subscription.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("examples" = [{
    "planId": "0190a000-0000-7000-8000-000000000001",
    "customer": { "name": "Fulano de Tal", "email": "fulano@example.com" },
    "paymentMethod": "PIX",
}]))]
pub struct CreateSubscriptionRequest {
    plan_id: PlanId,
    customer: CustomerRequest,
    payment_method: Method,
    /// The card token from the tokenizer; required to pay by card.
    #[schemars(length(min = 1, max = 255))]
    card_token: Option<String>,
    /// A coupon for the first payment only.
    #[schemars(length(max = 40))]
    coupon_code: Option<String>,
    /// The code of the referring affiliate. Takes precedence over the affiliate cookie; unknown
    /// codes are ignored.
    #[schemars(length(max = 40))]
    affiliate_code: Option<String>,
}

/// The created subscription and its first payment.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CreatedSubscription")]
pub struct SubscribedView {
    subscription: SubscriptionView,
    /// The first payment; null during a trial.
    transaction: Option<PublicTransactionView>,
    /// The token with which the buyer cancels, pauses and resumes the subscription, and updates its
    /// card.
    manage_token: String,
}

/// A response with the created subscription.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CreatedSubscriptionResponse {
    success: bool,
    data: SubscribedView,
}

/// The stored response: its token is a secret.
pub type Answer = SecretReply<Created<CreatedSubscriptionResponse>>;

/// POST /api/subscriptions/checkout
pub async fn checkout(
    State(app): State<App>,
    Context(context): Context,
    Query(qr_code): Query<QrCodeQuery>,
    visitor: Visitor,
    once: IdempotencyHeader<WEEK>,
    body: PublicBody<CreateSubscriptionRequest>,
) -> Result<Replayable<Answer>> {
    let request = check(&body.value, &visitor)?;
    let buyer = body.value.customer.buyer(&visitor.device);
    let id = request.plan;
    let (scope, ..) = app.read(async move |tx| plans::find_public(tx, id).await).await?;
    limit_checkout(&app, &context, scope, id)?;
    coupon_api::limit_if_given(&app, &context, &visitor.device, request.coupon_code.as_deref())?;
    let key = once.key_of_buyer(scope, &id.to_string(), buyer, &body.raw);
    qr_code.draw(subscribe(&app, scope, key, request).await?)
}

/// Subscribes a buyer, once for each idempotency key.
pub async fn subscribe(
    app: &App,
    scope: Scope,
    key: Option<IdempotencyKey>,
    request: SubscriptionRequest,
) -> Result<Replayable<Answer>> {
    let (terms, work) = (PaymentTerms::of(app), Subscribe { scope, request });
    app.run_once(key, work, move |Subscribed { subscription, transaction }| {
        let transaction =
            transaction.map(|payment| PublicTransactionView::new(&terms, scope, &payment));
        let manage_token = manage_token::write(&terms.secrets, scope, subscription.id);
        let subscription = SubscriptionView::new(scope, &subscription);
        let data = SubscribedView { subscription, transaction, manage_token };
        SecretReply(Created(CreatedSubscriptionResponse { success: true, data }))
    })
    .await
}

fn check(body: &CreateSubscriptionRequest, visitor: &Visitor) -> Result<SubscriptionRequest> {
    let mut wrong = FieldErrors::new();
    let customer = validation::customer(&mut wrong, &body.customer, RequiredFields::default());
    let method = match body.payment_method {
        Method::Pix => Some(RequestedMethod::Pix),
        Method::CreditCard => {
            let token = validation::card_token(body.card_token.as_deref());
            wrong.read("cardToken", token).map(RequestedMethod::Card)
        }
    };
    let coupon_code =
        wrong.read("couponCode", validation::coupon_code(body.coupon_code.as_deref()));
    let affiliate_code = validation::affiliate_code(body.affiliate_code.as_deref());
    let affiliate_code = wrong.read("affiliateCode", affiliate_code);
    let (Some((customer, _)), Some(method), Some(coupon_code), Some(affiliate_code)) =
        (customer, method, coupon_code, affiliate_code)
    else {
        return Err(wrong.into_error());
    };
    wrong.finish()?;
    let claims = visitor.claims(affiliate_code.as_deref());
    Ok(SubscriptionRequest {
        plan: body.plan_id,
        customer,
        method,
        coupon_code,
        claims,
        terms: None,
        at_most: None,
    })
}
