//! The checkout as JSON: for pages that merchants build themselves, and for our own script.

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::app::App;
use crate::checkout::buyer_view::BuyerView;
use crate::error::{Error, Fields, Result};
use crate::http::body::PublicBody;
use crate::http::client_ip::limit_key;
use crate::http::context::{Context, RequestContext};
use crate::http::idempotency::{Once, Replayable};
use crate::http::path::At;
use crate::http::query::Query;
use crate::http::rate_limit::{CHECKOUT_DEVELOPMENT, CHECKOUT_PRODUCTION};
use crate::http::reply::{Created, Done};
use crate::ids::{Scope, TransactionId};
use crate::merchants;
use crate::payment_links::{self, PaymentLink};
use crate::transactions::api::current;
use crate::transactions::create::{NewTransaction, Purpose, create};
use crate::transactions::intake::{self, CustomerBody, SECONDS_TO_PAY, Wanted};
use crate::transactions::view::draw;
use crate::transactions::{Method, Transaction, status_token};

/// What a buyer sends.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct CheckoutBody {
    method: Method,
    customer: CustomerBody,
    /// At most 50 keys of 40 characters with plain values of at most 500.
    metadata: Option<Map<String, Value>>,
}

/// The issued payment.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckoutReply {
    message: &'static str,
    transaction: BuyerView,
    /// Opens the public view of the payment.
    status_token: String,
}

/// The token that the checkout gave.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct TokenQuery {
    token: String,
}

/// The buyer's view of a payment.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PublicReply {
    message: &'static str,
    transaction: BuyerView,
}

/// POST /api/payment-links/public/slug/{slug}/checkout
pub async fn checkout(
    State(app): State<App>,
    Context(context): Context,
    At(slug): At<String>,
    once: Once,
    body: PublicBody<CheckoutBody>,
) -> Result<Replayable<Created<CheckoutReply>>> {
    let (scope, link, _) =
        app.read(async move |tx| payment_links::find_public(tx, &slug).await).await?;
    limit(&app, &context, scope, &link)?;
    let ticket = once.ticket(scope, &body.raw);
    let new = check(&link, body.value)?;
    create(&app, scope, ticket, new, draw, |terms, scope, transaction, picture| {
        Ok(Created(CheckoutReply {
            message: "Transaction created.",
            status_token: status_token::write(&terms.secrets, scope, transaction.id),
            transaction: BuyerView::new(terms, scope, transaction, Some(picture)),
        }))
    })
    .await
}

/// GET /api/transactions/public/{id}
pub async fn status(
    State(app): State<App>,
    At(id): At<TransactionId>,
    Query(query): Query<TokenQuery>,
) -> Result<Done<PublicReply>> {
    let (scope, transaction) = by_token(&app, id, &query.token).await?;
    // Whoever follows a payment asks often, and has the picture already.
    let transaction = BuyerView::new(&app.terms, scope, &transaction, None);
    Ok(Done(PublicReply { message: "Transaction.", transaction }))
}

/// Finds the payment that a buyer's token opens.
pub async fn by_token(app: &App, id: TransactionId, token: &str) -> Result<(Scope, Transaction)> {
    let unknown = || Error::NotFound("Transaction");
    let named = status_token::read(&app.secrets, token).ok_or_else(unknown)?;
    if named.transaction != id {
        return Err(unknown());
    }
    let scope =
        app.read(async move |tx| merchants::scope(tx, named.merchant, named.mode).await).await?;
    Ok((scope, current(app, scope, id).await?))
}

/// Holds off whoever tries many payments on one link.
pub fn limit(app: &App, context: &RequestContext, scope: Scope, link: &PaymentLink) -> Result<()> {
    let zone =
        if scope.mode.is_development() { &CHECKOUT_DEVELOPMENT } else { &CHECKOUT_PRODUCTION };
    let key = format!("{} {}", limit_key(context.client_ip), link.id);
    context.note_rate(app.limits.check(zone, &key, app.now())?);
    Ok(())
}

/// What a link wants to know of its buyers.
pub fn wanted(link: &PaymentLink) -> Wanted {
    Wanted { phone: link.settings.require_phone, address: link.settings.require_address }
}

fn check(link: &PaymentLink, body: CheckoutBody) -> Result<NewTransaction> {
    let mut wrong = Fields::new();
    let customer = intake::customer(&mut wrong, &body.customer, wanted(link));
    let metadata = wrong.read("metadata", intake::metadata(body.metadata));
    let (Some((customer, address)), Some(metadata)) = (customer, metadata) else {
        return Err(wrong.into_error());
    };
    wrong.finish()?;
    Ok(NewTransaction {
        purpose: Purpose::Link(link.id),
        method: body.method,
        customer,
        address,
        seconds_to_pay: SECONDS_TO_PAY,
        external_id: None,
        metadata,
    })
}
