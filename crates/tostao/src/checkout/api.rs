//! The checkout as JSON: for pages that merchants build themselves, and for our own script.

use std::fmt::Display;

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::affiliates::clicks::visitor_api::Visitor;
use crate::app::App;
use crate::checkout::buyer_view::PublicTransactionView;
use crate::checkout::coupon_api;
use crate::idempotency::{IdempotencyHeader, Replayable, WEEK};
use crate::merchants;
use crate::payment_links::{self, PaymentLink};
use crate::platform::error::{Error, FieldErrors, Result};
use crate::platform::http::body::PublicBody;
use crate::platform::http::context::{Context, RequestContext};
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::http::rate_limit::{CHECKOUT_DEVELOPMENT, CHECKOUT_PRODUCTION};
use crate::platform::http::reply::{Created, Ok200};
use crate::platform::ids::{Scope, TransactionId};
use crate::transactions::create::CreateTransaction;
use crate::transactions::metadata::{self, Metadata};
use crate::transactions::qr_code::QrCodeQuery;
use crate::transactions::request::{ChargeFor, NewTransaction};
use crate::transactions::terms::PaymentTerms;
use crate::transactions::validation::{self, CustomerRequest, MethodParams, RequiredFields};
use crate::transactions::{PaymentMethod, Transaction, current, status_token};

/// The buyer's details and payment method.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PayPaymentLinkRequest")]
pub struct CheckoutBody {
    method: PaymentMethod,
    customer: CustomerRequest,
    /// The number of installments of a card payment. Defaults to 1.
    #[schemars(range(min = 1, max = 12))]
    installments: Option<i64>,
    /// The card token from the tokenizer; required to pay by card.
    #[schemars(length(min = 1, max = 255))]
    card_token: Option<String>,
    #[schemars(length(max = 40))]
    coupon_code: Option<String>,
    /// The code of the referring affiliate. Takes precedence over the affiliate cookie; unknown
    /// codes are ignored.
    #[schemars(length(max = 40))]
    affiliate_code: Option<String>,
    #[schemars(with = "Option<Metadata>")]
    metadata: Option<Map<String, Value>>,
}

/// The transaction that was created.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CheckoutResponse")]
pub struct CheckoutReply {
    message: &'static str,
    transaction: PublicTransactionView,
    /// The token for reading the public transaction.
    status_token: String,
}

/// The token that the checkout gave.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct TokenQuery {
    token: String,
}

/// A response with one public transaction.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PublicTransactionResponse")]
pub struct PublicReply {
    message: &'static str,
    transaction: PublicTransactionView,
}

/// POST /api/payment-links/public/slug/{slug}/checkout
pub async fn checkout(
    State(app): State<App>,
    Context(context): Context,
    PathParam(slug): PathParam<String>,
    Query(qr_code): Query<QrCodeQuery>,
    visitor: Visitor,
    once: IdempotencyHeader<WEEK>,
    body: PublicBody<CheckoutBody>,
) -> Result<Replayable<Created<CheckoutReply>>> {
    let (scope, link, _) =
        app.lookup(async move |tx| payment_links::find_public(tx, &slug).await).await?;
    limit(&app, &context, scope, &link)?;
    let key =
        once.key_of_buyer(scope, &link.slug, body.value.customer.buyer(&visitor.device), &body.raw);
    let new = check(&app, scope, &link, &visitor, body.value)?;
    coupon_api::limit_if_given(&app, &context, &visitor.device, new.coupon_code.as_deref())?;
    let (terms, operation) = (PaymentTerms::of(&app), CreateTransaction { scope, new, by: None });
    let created = app.run_once(key, operation, move |transaction| {
        Created(CheckoutReply {
            message: "Transaction created.",
            status_token: status_token::write(&terms.secrets, scope, transaction.id),
            transaction: PublicTransactionView::new(&terms, scope, &transaction),
        })
    });
    qr_code.draw(created.await?)
}

/// GET /api/transactions/public/{id}
pub async fn status(
    State(app): State<App>,
    PathParam(id): PathParam<TransactionId>,
    Query(query): Query<TokenQuery>,
) -> Result<Ok200<PublicReply>> {
    let (scope, transaction) = by_token(&app, id, &query.token).await?;
    // A client that polls already has the QR code, so it is not drawn again.
    let transaction = PublicTransactionView::new(&PaymentTerms::of(&app), scope, &transaction);
    Ok(Ok200(PublicReply { message: "Transaction.", transaction }))
}

/// Finds the payment that a buyer's token opens.
pub async fn by_token(app: &App, id: TransactionId, token: &str) -> Result<(Scope, Transaction)> {
    let unknown = || Error::NotFound("Transaction");
    let named = status_token::read(&app.secrets, token).ok_or_else(unknown)?;
    if named.id != id {
        return Err(unknown());
    }
    let scope =
        app.read(async move |tx| merchants::scope(tx, named.merchant, named.mode).await).await?;
    let transaction = current(app, scope, id).await?;
    if status_token::has_expired(&transaction, scope.at(app.now())) {
        return Err(unknown());
    }
    Ok((scope, transaction))
}

/// Rate limit against many payments on one link.
pub fn limit(app: &App, context: &RequestContext, scope: Scope, link: &PaymentLink) -> Result<()> {
    limit_checkout(app, context, scope, link.id)
}

/// Rate limit against many payments, or many cards, on one object.
pub fn limit_checkout(
    app: &App,
    context: &RequestContext,
    scope: Scope,
    what: impl Display,
) -> Result<()> {
    let zone =
        if scope.mode.is_development() { &CHECKOUT_DEVELOPMENT } else { &CHECKOUT_PRODUCTION };
    let (address, what) = (context.client_ip, what.to_string());
    context.note_rate(app.limits.check_address(zone, address, &what, app.now())?);
    Ok(())
}

/// The buyer's details that a link requires.
pub fn required_fields(link: &PaymentLink) -> RequiredFields {
    RequiredFields { phone: link.settings.require_phone, address: link.settings.require_address }
}

fn check(
    app: &App,
    scope: Scope,
    link: &PaymentLink,
    visitor: &Visitor,
    body: CheckoutBody,
) -> Result<NewTransaction> {
    let mut wrong = FieldErrors::new();
    let customer = validation::customer(&mut wrong, &body.customer, required_fields(link));
    let metadata = wrong.read("metadata", metadata::check(body.metadata));
    let params = MethodParams {
        method: body.method,
        expires_in: None,
        due_date: None,
        installments: body.installments,
        card_token: body.card_token.as_deref(),
        coupon_code: body.coupon_code.as_deref(),
    };
    let instrument = validation::instrument(&mut wrong, params, scope.today(app.now()));
    let coupon_code =
        wrong.read("couponCode", validation::coupon_code(body.coupon_code.as_deref()));
    let affiliate_code = validation::affiliate_code(body.affiliate_code.as_deref());
    let affiliate_code = wrong.read("affiliateCode", affiliate_code).flatten();
    let (Some((customer, address)), Some(metadata), Some(instrument), Some(coupon_code)) =
        (customer, metadata, instrument, coupon_code)
    else {
        return Err(wrong.into_error());
    };
    wrong.finish()?;
    Ok(NewTransaction {
        charge_for: ChargeFor::Link(link.id),
        instrument,
        customer,
        address,
        coupon_code,
        attribution: visitor.attribution(affiliate_code.as_deref()),
        description: None,
        external_id: None,
        metadata,
        at_most: None,
        buyer_ip: Some(visitor.address()),
        replaces: None,
    })
}
