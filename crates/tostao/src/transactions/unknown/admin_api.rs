//! Administrators list, match, resolve, return and dismiss unknown payments.

use axum::extract::State;
use db::time::Timestamp;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::audit::decision::DecidedView;
use crate::audit::ticket::DecisionTicket;
use crate::auth::caller::Admin;
use crate::idempotency::{IdempotencyHeader, Replayable, WEEK};
use crate::platform::error::{Error, Result};
use crate::platform::fields;
use crate::platform::http::body::{Body, Empty, OptionalBody};
use crate::platform::http::page::{PageQuery, Pagination};
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::http::reply::Ok200;
use crate::platform::ids::{MerchantId, Mode, TransactionId, UnmatchedId};
use crate::transactions::incoming_payment::Rail;
use crate::transactions::returns::api::ReturnPaymentRequest;
use crate::transactions::terms::PaymentTerms;
use crate::transactions::unknown::resolve::{self, Finding};
use crate::transactions::unknown::{self, Filter, Resolution, Status, UnknownPayment, assign};

/// What an administrator must know to resolve a PIX that may have paid a boleto.
pub const RESOLVE_RULES: &str = "Says whether a PIX is the payment of a boleto, which a bank may \
    report twice: as the boleto's and as this PIX. `match` and `return` of such a PIX are 409 \
    until an administrator has compared both at the bank. `DUPLICATE` needs the boleto's \
    `transactionId`: the PIX becomes `MATCHED`, is booked once, and the boleto is refunded \
    as this PIX. `SEPARATE` is other money: it stays `OPEN`, and can be matched or returned \
    until a boleto of its amount is paid after that. 409 if it is not `OPEN`, if no boleto of \
    its amount was paid or could be paid at its bank at about its time, or if the transaction is \
    no such boleto. `DUPLICATE` is also 409 while the bank has sent money of it back and that is \
    not booked. What may have paid an administrator's own boleto is another one's to resolve.";

/// The payment method of an unknown payment.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schemars(rename = "UnknownPaymentRail")]
enum RailName {
    /// A PIX.
    Pix,
    /// A boleto paid by its barcode.
    Boleto,
}

/// A payment whose reference matches no transaction, or a transaction of a closed account.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "UnknownPayment")]
pub struct UnknownPaymentView {
    id: UnmatchedId,
    status: Status,
    /// The provider that received the payment.
    provider: String,
    rail: RailName,
    /// The reference of the payment: a txid, or what the bank names a boleto by.
    reference: String,
    /// The end-to-end ID of a PIX, or the bank's reference of a boleto payment; the SHA-256 of a
    /// report that cannot be read.
    payment_id: String,
    /// Amount in cents; 0 for a report that cannot be read, for which nothing is booked.
    amount: Cents,
    /// The transaction that the payment was matched to.
    transaction_id: Option<TransactionId>,
    /// What the provider reported, if it cannot be read: JSON, of which the first 4,096 characters
    /// are kept, until 90 days after the decision.
    unreadable_report: Option<String>,
    /// The closed account, if the payment is for one of its transactions.
    closed_user_id: Option<MerchantId>,
    /// A stable code for why the provider did not return it.
    failure_reason: Option<String>,
    /// What a PIX was found to be that may have paid a boleto.
    resolution: Option<Resolution>,
    /// What the administrator wrote who compared it with the boleto.
    note: Option<String>,
    dev_mode: bool,
    /// When the payment was made.
    paid_at: Timestamp,
    /// When the provider reported the payment.
    received_at: Timestamp,
    /// Of the last decision.
    #[serde(flatten)]
    decided: DecidedView,
}

/// What a list of unknown payments accepts.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct UnknownPaymentQuery {
    status: Option<Status>,
}

/// A page of unknown payments, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UnknownPaymentList {
    message: &'static str,
    data: Vec<UnknownPaymentView>,
    pagination: Pagination,
}

/// A response with one unknown payment.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UnknownPaymentResponse {
    message: &'static str,
    data: UnknownPaymentView,
}

/// The transaction to match the payment to.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MatchUnknownPaymentRequest {
    /// A transaction of the same provider that accepts the same payment method.
    pub transaction_id: TransactionId,
}

/// What a PIX was found to be that may have paid a boleto.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("examples" = [{
    "outcome": "DUPLICATE",
    "transactionId": "0190a000-0000-7000-8000-000000000001",
    "note": "Same time and payer in the portal.",
}]))]
pub struct ResolveUnknownPaymentRequest {
    pub outcome: Resolution,
    /// The transaction of the boleto; required for `DUPLICATE`, refused for `SEPARATE`.
    #[serde(default)]
    pub transaction_id: Option<TransactionId>,
    /// What the bank shows of both.
    #[schemars(length(min = 1, max = 500))]
    pub note: String,
}

/// GET /api/admin/unmatched
pub async fn list(
    State(app): State<App>,
    admin: Admin,
    Query(page): Query<PageQuery>,
    Query(query): Query<UnknownPaymentQuery>,
) -> Result<Ok200<UnknownPaymentList>> {
    let mode = admin.scope.mode;
    let page = page.read()?;
    let filter = Filter { page, status: query.status };
    let listed = app.scan(async move |tx| unknown::list(tx, mode, &filter).await).await?;
    let pagination = page.pagination(&listed);
    let show = |unknown| UnknownPaymentView::new(mode, unknown);
    let data = listed.rows.into_iter().map(show).collect();
    Ok(Ok200(UnknownPaymentList { message: "Unmatched payments.", data, pagination }))
}

/// GET /api/admin/unmatched/{id}
pub async fn show(
    State(app): State<App>,
    admin: Admin,
    PathParam(id): PathParam<UnmatchedId>,
) -> Result<Ok200<UnknownPaymentResponse>> {
    let mode = admin.scope.mode;
    let unknown = app.read(async move |tx| unknown::show(tx, mode, id).await).await?;
    let data = UnknownPaymentView::new(mode, unknown);
    Ok(Ok200(UnknownPaymentResponse { message: "Unmatched payment.", data }))
}

/// POST /api/admin/unmatched/{id}/match
pub async fn match_to(
    State(app): State<App>,
    admin: Admin,
    PathParam(id): PathParam<UnmatchedId>,
    once: IdempotencyHeader<WEEK>,
    body: Body<MatchUnknownPaymentRequest>,
) -> Result<Replayable<Ok200<UnknownPaymentResponse>>> {
    let (mode, by) = (admin.scope.mode, admin.by());
    let execution = once.permitted(admin.scope, &body.raw, admin.permit());
    ask_to_match(&app, DecisionTicket { mode, execution, by }, id, &body.value).await
}

/// Matches an unknown payment to a charge: the way in of programs and of people.
pub async fn ask_to_match(
    app: &App,
    DecisionTicket { mode, execution, by }: DecisionTicket,
    id: UnmatchedId,
    body: &MatchUnknownPaymentRequest,
) -> Result<Replayable<Ok200<UnknownPaymentResponse>>> {
    let (terms, to) = (PaymentTerms::of(app), body.transaction_id);
    app.transact_once(execution, async move |tx| {
        let matched = assign(tx, &terms, mode, &by, id, to).await?;
        let data = UnknownPaymentView::new(mode, matched);
        Ok(Ok200(UnknownPaymentResponse { message: "Unmatched payment matched.", data }))
    })
    .await
}

/// POST /api/admin/unmatched/{id}/resolve
pub async fn resolve(
    State(app): State<App>,
    admin: Admin,
    PathParam(id): PathParam<UnmatchedId>,
    once: IdempotencyHeader<WEEK>,
    body: Body<ResolveUnknownPaymentRequest>,
) -> Result<Replayable<Ok200<UnknownPaymentResponse>>> {
    let (mode, by) = (admin.scope.mode, admin.by());
    let execution = once.permitted(admin.scope, &body.raw, admin.permit());
    ask_to_resolve(&app, DecisionTicket { mode, execution, by }, id, &body.value).await
}

/// Stores what a PIX was found to be: the way in of programs and of people.
pub async fn ask_to_resolve(
    app: &App,
    DecisionTicket { mode, execution, by }: DecisionTicket,
    id: UnmatchedId,
    body: &ResolveUnknownPaymentRequest,
) -> Result<Replayable<Ok200<UnknownPaymentResponse>>> {
    let ResolveUnknownPaymentRequest { outcome, transaction_id, note } = body;
    let note = fields::note(note)?;
    let message = "is required, because it is booked as that boleto's";
    let missing = || Error::field("transactionId", "REQUIRED", message);
    let finding = match (outcome, transaction_id) {
        (Resolution::Duplicate, of) => Finding::Duplicate(of.ok_or_else(missing)?),
        (Resolution::Separate, None) => Finding::Separate,
        (Resolution::Separate, Some(_)) => {
            let message = "must not be sent, because other money belongs to no boleto";
            return Err(Error::field("transactionId", "INVALID_VALUE", message));
        }
    };
    app.transact_once(execution, async move |tx| {
        let resolved = resolve::resolve(tx, mode, &by, id, (finding, &note)).await?;
        let data = UnknownPaymentView::new(mode, resolved);
        Ok(Ok200(UnknownPaymentResponse { message: "Unmatched payment resolved.", data }))
    })
    .await
}

/// POST /api/admin/unmatched/{id}/return
pub async fn return_to_payer(
    State(app): State<App>,
    admin: Admin,
    PathParam(id): PathParam<UnmatchedId>,
    once: IdempotencyHeader<WEEK>,
    body: OptionalBody<ReturnPaymentRequest>,
) -> Result<Replayable<Ok200<UnknownPaymentResponse>>> {
    let (mode, by) = (admin.scope.mode, admin.by());
    let execution = once.permitted(admin.scope, &body.raw, admin.permit());
    ask_to_return(&app, DecisionTicket { mode, execution, by }, id, &body.value).await
}

/// Sends an unknown payment back to its payer: the way in of programs and of people.
pub async fn ask_to_return(
    app: &App,
    DecisionTicket { mode, execution, by }: DecisionTicket,
    id: UnmatchedId,
    body: &ReturnPaymentRequest,
) -> Result<Replayable<Ok200<UnknownPaymentResponse>>> {
    let (rails, key) = (app.clone(), body.key()?);
    app.transact_once(execution, async move |tx| {
        let payouts = || rails.providers.payout_bank(mode);
        let returning = unknown::return_to_payer(tx, mode, &by, id, key.as_ref(), payouts).await?;
        let message = match returning.status {
            Status::Returned => "Unmatched payment was returned.",
            _ => "Unmatched payment is going back.",
        };
        let data = UnknownPaymentView::new(mode, returning);
        Ok(Ok200(UnknownPaymentResponse { message, data }))
    })
    .await
}

/// POST /api/admin/unmatched/{id}/dismiss
pub async fn dismiss(
    State(app): State<App>,
    admin: Admin,
    PathParam(id): PathParam<UnmatchedId>,
    once: IdempotencyHeader<WEEK>,
    body: OptionalBody<Empty>,
) -> Result<Replayable<Ok200<UnknownPaymentResponse>>> {
    let (mode, by) = (admin.scope.mode, admin.by());
    let execution = once.permitted(admin.scope, &body.raw, admin.permit());
    ask_to_dismiss(&app, DecisionTicket { mode, execution, by }, id).await
}

/// Closes a report that cannot be read: the way in of programs and of people.
pub async fn ask_to_dismiss(
    app: &App,
    DecisionTicket { mode, execution, by }: DecisionTicket,
    id: UnmatchedId,
) -> Result<Replayable<Ok200<UnknownPaymentResponse>>> {
    app.transact_once(execution, async move |tx| {
        let dismissed = unknown::dismiss(tx, mode, &by, id).await?;
        let data = UnknownPaymentView::new(mode, dismissed);
        Ok(Ok200(UnknownPaymentResponse { message: "Unreadable report dismissed.", data }))
    })
    .await
}

impl UnknownPaymentView {
    fn new(mode: Mode, unknown: UnknownPayment) -> Self {
        Self {
            decided: DecidedView::new(unknown.decided),
            id: unknown.id,
            status: unknown.status,
            provider: unknown.provider,
            rail: if unknown.rail == Rail::Boleto { RailName::Boleto } else { RailName::Pix },
            reference: unknown.reference,
            payment_id: unknown.payment_id,
            amount: unknown.amount,
            transaction_id: unknown.transaction,
            unreadable_report: unknown.unreadable_report,
            closed_user_id: unknown.closed,
            failure_reason: unknown.failure_reason,
            resolution: unknown.resolution,
            note: unknown.note,
            dev_mode: mode.is_development(),
            paid_at: unknown.paid_at,
            received_at: unknown.received_at,
        }
    }
}
