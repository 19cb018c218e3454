//! Subscribing through the API, without an API key.

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::affiliates::clicks::visitor_api::Visitor;
use crate::app::App;
use crate::billing::checkout::{Means, Subscribe, Subscribed, Wanted};
use crate::checkout::api::limit_checkout;
use crate::checkout::buyer_view::BuyerView;
use crate::checkout::coupon_api;
use crate::idempotency::{IdempotencyHeader, IdempotencyKey, Replayable, WEEK};
use crate::platform::error::{Fields, Result};
use crate::platform::http::body::PublicBody;
use crate::platform::http::context::Context;
use crate::platform::http::query::Query;
use crate::platform::http::reply::{Created, ShownOnce};
use crate::platform::ids::{PlanId, Scope};
use crate::subscriptions::view::SubscriptionView;
use crate::subscriptions::{Method, manage_token, plans};
use crate::transactions::intake::{self, CustomerBody, Wanted as WantedOfCustomer};
use crate::transactions::qr_code::QrCodeQuery;
use crate::transactions::terms::Terms;

/// The parameters of a new subscription.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CreateSubscriptionRequest")]
pub struct CheckoutBody {
    plan_id: PlanId,
    customer: CustomerBody,
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
    transaction: Option<BuyerView>,
    /// The token with which the buyer cancels, pauses and resumes the subscription, and updates its
    /// card.
    manage_token: String,
}

/// A response with the created subscription.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CreatedSubscriptionResponse")]
pub struct SubscribedReply {
    success: bool,
    data: SubscribedView,
}

/// The stored response: its token is a secret.
pub type Answer = ShownOnce<Created<SubscribedReply>>;

/// POST /api/subscriptions/checkout
pub async fn checkout(
    State(app): State<App>,
    Context(context): Context,
    Query(qr_code): Query<QrCodeQuery>,
    visitor: Visitor,
    once: IdempotencyHeader<WEEK>,
    body: PublicBody<CheckoutBody>,
) -> Result<Replayable<Answer>> {
    let wanted = check(&body.value, &visitor)?;
    let buyer = body.value.customer.buyer(&visitor.device);
    let id = wanted.plan;
    let (scope, ..) = app.read(async move |tx| plans::find_public(tx, id).await).await?;
    limit_checkout(&app, &context, scope, id)?;
    coupon_api::limit_code(&app, &context, &visitor.device, wanted.coupon_code.as_deref())?;
    let key = once.key_of_buyer(scope, &id.to_string(), buyer, &body.raw);
    qr_code.draw(subscribe(&app, scope, key, wanted).await?)
}

/// Subscribes a buyer, once for each idempotency key.
pub async fn subscribe(
    app: &App,
    scope: Scope,
    key: Option<IdempotencyKey>,
    wanted: Wanted,
) -> Result<Replayable<Answer>> {
    let (terms, work) = (Terms::of(app), Subscribe { scope, wanted });
    app.run_once(key, work, move |Subscribed { subscription, transaction }| {
        let transaction = transaction.map(|payment| BuyerView::new(&terms, scope, &payment));
        let manage_token = manage_token::write(&terms.secrets, scope, subscription.id);
        let subscription = SubscriptionView::new(scope, &subscription);
        let data = SubscribedView { subscription, transaction, manage_token };
        ShownOnce(Created(SubscribedReply { success: true, data }))
    })
    .await
}

fn check(body: &CheckoutBody, visitor: &Visitor) -> Result<Wanted> {
    let mut wrong = Fields::new();
    let customer = intake::customer(&mut wrong, &body.customer, WantedOfCustomer::default());
    let means = match body.payment_method {
        Method::Pix => Some(Means::Pix),
        Method::CreditCard => {
            let token = intake::card_token(body.card_token.as_deref());
            wrong.read("cardToken", token).map(Means::Card)
        }
    };
    let coupon_code = wrong.read("couponCode", intake::coupon_code(body.coupon_code.as_deref()));
    let affiliate_code = intake::affiliate_code(body.affiliate_code.as_deref());
    let affiliate_code = wrong.read("affiliateCode", affiliate_code);
    let (Some((customer, _)), Some(means), Some(coupon_code), Some(affiliate_code)) =
        (customer, means, coupon_code, affiliate_code)
    else {
        return Err(wrong.into_error());
    };
    wrong.finish()?;
    let claims = visitor.claims(affiliate_code.as_deref());
    Ok(Wanted { plan: body.plan_id, customer, means, coupon_code, claims })
}
