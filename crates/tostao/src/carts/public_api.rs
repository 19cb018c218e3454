//! Capturing and recovering carts, without an API key.
//!
//! Callers are not authenticated, so the responses reveal nothing: they are sentences that depend
//! only on the link and on what the same caller did before.

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use uuid::Uuid;

use crate::app::App;
use crate::carts::jobs::Recover;
use crate::carts::{self, CartCapture, CartSelector, UtmParameters};
use crate::idempotency::Replayable;
use crate::payment_links;
use crate::platform::error::{Error, FieldErrors, Result};
use crate::platform::fields;
use crate::platform::http::body::PublicBody;
use crate::platform::http::client_ip::limit_key;
use crate::platform::http::context::{Context, RequestContext};
use crate::platform::http::device::Device;
use crate::platform::http::path::PathParam;
use crate::platform::http::rate_limit::CART;
use crate::platform::http::reply::{CreatedOrExisting, Message, Ok200};
use crate::platform::ids::{CartId, PaymentLinkId, Scope};
use crate::platform::secrets::Purpose;
use crate::products::items::{self, LineItemRequest};

/// The buyer of an abandoned checkout. Omitted fields keep the values recorded before.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecordCartAbandonmentRequest {
    #[schemars(email)]
    client_email: String,
    #[schemars(length(max = 255))]
    client_name: Option<String>,
    /// The CPF or CNPJ.
    client_document: Option<String>,
    client_phone: Option<String>,
    /// The items in the cart.
    #[schemars(length(max = 100))]
    items: Option<Vec<LineItemRequest>>,
    utm: Option<UtmParameters>,
}

/// The returning buyer; one of `clientEmail` and `token`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecoverCartAbandonmentRequest {
    #[schemars(email)]
    client_email: Option<String>,
    /// The token of the recovery URL; takes precedence over `clientEmail`.
    #[schemars(length(max = 255))]
    token: Option<String>,
}

/// POST /api/payment-links/public/slug/{slug}/cart-abandonment
pub async fn capture(
    State(app): State<App>,
    Context(context): Context,
    device: Device,
    PathParam(slug): PathParam<String>,
    body: PublicBody<RecordCartAbandonmentRequest>,
) -> Result<Replayable<CreatedOrExisting<Message>>> {
    limit(&app, &context)?;
    let new = check(body.value)?;
    let caller = device.0.unwrap_or_else(|| limit_key(context.client_ip));
    let secrets = app.secrets.clone();
    app.transact_once(None, async move |tx| {
        let (scope, link, _) = payment_links::find_public(tx, &slug).await?;
        link.expect_usable()?;
        let named = dedupe_key(link.id, &new.email, &caller);
        let dedupe_key = secrets.sign(Purpose::CartVisit, &named);
        let message = Message { message: "Cart noted." };
        let first = carts::capture(tx, scope, link.id, &dedupe_key, &new).await?;
        Ok(if first {
            CreatedOrExisting::Created(message)
        } else {
            CreatedOrExisting::Existing(message)
        })
    })
    .await
}

/// POST /api/payment-links/public/slug/{slug}/cart-abandonment/recover
pub async fn recover(
    State(app): State<App>,
    Context(context): Context,
    PathParam(slug): PathParam<String>,
    PublicBody { value: body, .. }: PublicBody<RecoverCartAbandonmentRequest>,
) -> Result<Ok200<Message>> {
    limit(&app, &context)?;
    let email = body.client_email.as_deref().map(fields::email).transpose();
    let email = email.map_err(|fault| fault.of("clientEmail"))?;
    let token = fields::optional_text(body.token.as_deref(), 255);
    let token = token.map_err(|fault| fault.of("token"))?;
    if email.is_none() && token.is_none() {
        let message = "is required, or the token of a cart's URL";
        return Err(Error::field("clientEmail", "REQUIRED", message));
    }
    let secrets = app.secrets.clone();
    app.transact(async move |tx| {
        let (scope, link, _) = payment_links::find_public(tx, &slug).await?;
        let whose = match (&token, &email) {
            // An invalid token names a cart that does not exist: the work is the same.
            (Some(token), _) => {
                let named = carts::id_in_token(&secrets, scope, token);
                CartSelector::Cart(named.unwrap_or(CartId(Uuid::nil())))
            }
            (None, email) => CartSelector::Email(email.clone().unwrap_or_default()),
        };
        let Scope { merchant, mode, .. } = scope;
        let job = Recover { merchant, mode, link: link.id, whose };
        Ok(queue::job::push(tx, tx.new_id(), scope.due(scope.now(tx)), &job).await?)
    })
    .await?;
    Ok(Ok200(Message { message: "If there is an abandoned cart, it is marked as recovered." }))
}

fn limit(app: &App, context: &RequestContext) -> Result<()> {
    let rate = app.limits.check_address(&CART, context.client_ip, "", app.now())?;
    context.note_rate(rate);
    Ok(())
}

/// The key that recognizes a repeated capture by the same caller.
fn dedupe_key(link: PaymentLinkId, email: &str, caller: &str) -> Vec<u8> {
    format!("{link}\n{email}\n{caller}").into_bytes()
}

fn check(body: RecordCartAbandonmentRequest) -> Result<CartCapture> {
    let mut wrong = FieldErrors::new();
    let given = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
    let email = wrong.read("clientEmail", fields::email(&body.client_email));
    let name = fields::optional_name(body.client_name.as_deref(), 255);
    let name = wrong.read("clientName", name);
    let document = given(&body.client_document).as_deref().map(fields::document).transpose();
    let document = wrong.read("clientDocument", document);
    let phone = given(&body.client_phone).as_deref().map(fields::phone).transpose();
    let phone = wrong.read("clientPhone", phone);
    let items = body.items.as_deref().map(|bodies| items::read(&mut wrong, "items", bodies));
    let utm = body.utm.map(|utm| check_utm(&mut wrong, &utm));
    let (Some(email), Some(name), Some(document), Some(phone)) = (email, name, document, phone)
    else {
        return Err(wrong.into_error());
    };
    wrong.finish()?;
    Ok(CartCapture { email, name, document, phone, items, utm })
}

fn check_utm(wrong: &mut FieldErrors, given: &UtmParameters) -> UtmParameters {
    let mut text = |name: &str, value: &Option<String>| {
        let read = fields::optional_text(value.as_deref(), 255);
        wrong.read(&format!("utm.{name}"), read).flatten()
    };
    UtmParameters {
        source: text("source", &given.source),
        medium: text("medium", &given.medium),
        campaign: text("campaign", &given.campaign),
        term: text("term", &given.term),
        content: text("content", &given.content),
    }
}
