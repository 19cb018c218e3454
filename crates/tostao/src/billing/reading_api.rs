//! What a merchant gets of one subscription beside its record: its payments, and the address at
//! which its subscriber manages it.

use axum::extract::State;
use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;
use rails::card::DeclineCode;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::auth::caller::Caller;
use crate::checkout::portal_cookie_pages::portal_path;
use crate::idempotency::{IdempotencyHeader, Replayable};
use crate::platform::error::Result;
use crate::platform::http::body::{Empty, OptionalBody};
use crate::platform::http::page::{Listed, Page, PageQuery, Pagination};
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::http::reply::{Ok200, SecretReply};
use crate::platform::ids::{Scope, SubscriptionId, TransactionId};
use crate::platform::permissions::{SubscriptionsRead, SubscriptionsWrite};
use crate::subscriptions::{find, manage_token};
use crate::transactions::list::of_subscription;
use crate::transactions::status::Status;
use crate::transactions::{Method, Transaction};

/// A payment of a subscription: an attempt to pay for a billing period.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SubscriptionPayment")]
pub struct PaymentView {
    transaction_id: TransactionId,
    /// The start of the billing period that it is for.
    period_start: Option<Timestamp>,
    amount_cents: Cents,
    payment_method: Method,
    status: Status,
    /// Why the issuer declined the card.
    decline_code: Option<&'static str>,
    failure_reason: Option<String>,
    created_at: Timestamp,
    paid_at: Option<Timestamp>,
}

/// A page of the payments of a subscription, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SubscriptionPaymentList {
    success: bool,
    data: Vec<PaymentView>,
    pagination: Pagination,
}

/// The address at which a subscriber manages a subscription.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ManageLink")]
pub struct ManageLinkView {
    /// The token with which the buyer cancels, pauses and resumes the subscription, and updates its
    /// card.
    manage_token: String,
    /// The subscriber's own page.
    pub url: String,
    /// The page where the subscriber gives another card.
    pub card_url: String,
}

/// A response with the address.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ManageLinkResponse {
    success: bool,
    data: ManageLinkView,
}

/// GET /api/subscriptions/{id}/payments
pub async fn payments(
    State(app): State<App>,
    caller: Caller<SubscriptionsRead>,
    PathParam(id): PathParam<SubscriptionId>,
    Query(page): Query<PageQuery>,
) -> Result<Ok200<SubscriptionPaymentList>> {
    let page = page.read()?;
    let listed = read_payments(&app, caller.scope, id, page).await?;
    let pagination = page.pagination(&listed);
    let data = listed.rows.into_iter().map(PaymentView::new).collect();
    Ok(Ok200(SubscriptionPaymentList { success: true, data, pagination }))
}

/// Reads the payments of a subscription, newest first.
pub async fn read_payments(
    app: &App,
    scope: Scope,
    id: SubscriptionId,
    page: Page,
) -> Result<Listed<Transaction>> {
    let read = async move |tx: &Tx| {
        find(tx, scope, id).await?;
        of_subscription(tx, scope, id, page).await
    };
    app.scan_for(scope.merchant, read).await
}

/// POST /api/subscriptions/{id}/manage-link
///
/// It changes nothing, and opens the subscription: a key that only reads does not get it.
pub async fn link(
    State(app): State<App>,
    caller: Caller<SubscriptionsWrite>,
    PathParam(id): PathParam<SubscriptionId>,
    once: IdempotencyHeader,
    body: OptionalBody<Empty>,
) -> Result<Replayable<SecretReply<Ok200<ManageLinkResponse>>>> {
    let scope = caller.scope;
    app.repeat_once(once.key(scope, &body.raw), async {
        app.read(async move |tx: &Tx| find(tx, scope, id).await).await?;
        let data = ManageLinkView::of(&app, scope, id);
        Ok(SecretReply(Ok200(ManageLinkResponse { success: true, data })))
    })
    .await
}

impl ManageLinkView {
    /// The address of a subscription that exists.
    pub fn of(app: &App, scope: Scope, id: SubscriptionId) -> Self {
        let manage_token = manage_token::write(&app.secrets, scope, id);
        let url = format!("{}{}", app.settings.checkout_url(), portal_path(&manage_token));
        Self { manage_token, card_url: format!("{url}/card"), url }
    }
}

impl PaymentView {
    fn new(payment: Transaction) -> Self {
        Self {
            transaction_id: payment.id,
            period_start: payment.period.map(|period| period.starts_at),
            amount_cents: payment.amount,
            payment_method: payment.method,
            status: payment.status,
            decline_code: payment.decline_code.map(DeclineCode::name),
            failure_reason: payment.failure_reason,
            created_at: payment.created_at,
            paid_at: payment.paid_at,
        }
    }
}
