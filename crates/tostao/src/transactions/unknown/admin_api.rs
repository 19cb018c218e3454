//! What administrators do about unknown payments: find them, match them, send them back.

use axum::extract::State;
use db::time::Timestamp;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::audit::decided::DecidedView;
use crate::auth::caller::Admin;
use crate::error::Result;
use crate::http::body::{Body, OptionalBody};
use crate::http::idempotency::{Once, Replayable};
use crate::http::page::{PageQuery, Pagination};
use crate::http::path::At;
use crate::http::query::Query;
use crate::http::reply::Done;
use crate::ids::{MerchantId, Mode, TransactionId, UnmatchedId};
use crate::transactions::arrival::Rail;
use crate::transactions::returns::api::SendBackBody;
use crate::transactions::unknown::{self, Filter, Status, UnknownPayment, assign, send_back};

/// How an unknown payment came.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum RailName {
    /// As a PIX.
    Pix,
    /// A slip was paid by its barcode.
    Boleto,
}

/// Money that arrived under a name that no charge has, or for a charge of a closed account.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnknownPaymentView {
    id: UnmatchedId,
    status: Status,
    /// Who took it.
    provider: String,
    rail: RailName,
    /// The charge that it named: a txid or, of a slip, the bank's number.
    reference: String,
    /// Its own name: a PIX's end-to-end id or, of a slip, the bank's name for the payment.
    payment_id: String,
    /// In cents.
    amount: Cents,
    /// The charge that it was matched to.
    transaction_id: Option<TransactionId>,
    /// The account that was closed, if the money came for a charge of one.
    closed_user_id: Option<MerchantId>,
    /// Why the provider did not send it back; a stable word.
    failure_reason: Option<String>,
    dev_mode: bool,
    /// When the payer paid.
    paid_at: Timestamp,
    /// When the bank told of it.
    received_at: Timestamp,
    /// Of the last decision.
    #[serde(flatten)]
    decided: DecidedView,
}

/// What a list of unknown payments accepts.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct UnknownPaymentQuery {
    /// Which page, from 1.
    #[schemars(range(min = 1))]
    page: Option<i64>,
    /// How many a page, 1 to 100.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<i64>,
    /// Where to go on, from the last answer's `nextCursor`; instead of `page`.
    cursor: Option<String>,
    status: Option<Status>,
}

/// Unknown payments, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UnknownPaymentList {
    message: &'static str,
    data: Vec<UnknownPaymentView>,
    pagination: Pagination,
}

/// One unknown payment.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UnknownPaymentReply {
    message: &'static str,
    data: UnknownPaymentView,
}

/// The charge that money is for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MatchBody {
    /// A charge of the same provider that can be paid on the same rail.
    transaction_id: TransactionId,
}

/// GET /api/admin/unmatched
pub async fn list(
    State(app): State<App>,
    admin: Admin,
    Query(query): Query<UnknownPaymentQuery>,
) -> Result<Done<UnknownPaymentList>> {
    let mode = admin.scope.mode;
    let page = PageQuery { page: query.page, limit: query.limit, cursor: query.cursor }.read()?;
    let filter = Filter { page, status: query.status };
    let listed = app.scan(async move |tx| unknown::list(tx, mode, &filter).await).await?;
    let pagination = page.pagination(&listed);
    let show = |unknown| UnknownPaymentView::new(mode, unknown);
    let data = listed.rows.into_iter().map(show).collect();
    Ok(Done(UnknownPaymentList { message: "Unmatched payments.", data, pagination }))
}

/// GET /api/admin/unmatched/{id}
pub async fn show(
    State(app): State<App>,
    admin: Admin,
    At(id): At<UnmatchedId>,
) -> Result<Done<UnknownPaymentReply>> {
    let mode = admin.scope.mode;
    let unknown = app.read(async move |tx| unknown::show(tx, mode, id).await).await?;
    let data = UnknownPaymentView::new(mode, unknown);
    Ok(Done(UnknownPaymentReply { message: "Unmatched payment.", data }))
}

/// POST /api/admin/unmatched/{id}/match
pub async fn match_to(
    State(app): State<App>,
    admin: Admin,
    At(id): At<UnmatchedId>,
    once: Once,
    body: Body<MatchBody>,
) -> Result<Replayable<Done<UnknownPaymentReply>>> {
    let (mode, terms, to) = (admin.scope.mode, app.terms.clone(), body.value.transaction_id);
    let by = admin.by();
    app.transact_once(once.ticket(admin.scope, &body.raw), async move |tx| {
        let matched = assign(tx, &terms, mode, &by, id, to).await?;
        let data = UnknownPaymentView::new(mode, matched);
        Ok(Done(UnknownPaymentReply { message: "Unmatched payment matched.", data }))
    })
    .await
}

/// POST /api/admin/unmatched/{id}/return
pub async fn return_to_payer(
    State(app): State<App>,
    admin: Admin,
    At(id): At<UnmatchedId>,
    once: Once,
    body: OptionalBody<SendBackBody>,
) -> Result<Replayable<Done<UnknownPaymentReply>>> {
    let (mode, rails, by) = (admin.scope.mode, app.clone(), admin.by());
    let key = body.value.key()?;
    app.transact_once(once.ticket(admin.scope, &body.raw), async move |tx| {
        let payouts = || Ok(rails.providers.payouts(mode)?.name());
        let returning = send_back(tx, mode, &by, id, key.as_ref(), payouts).await?;
        let data = UnknownPaymentView::new(mode, returning);
        Ok(Done(UnknownPaymentReply { message: "Unmatched payment is going back.", data }))
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
            rail: if unknown.rail == Rail::Slip { RailName::Boleto } else { RailName::Pix },
            reference: unknown.reference,
            payment_id: unknown.payment_id,
            amount: unknown.amount,
            transaction_id: unknown.transaction,
            closed_user_id: unknown.closed,
            failure_reason: unknown.failure_reason,
            dev_mode: mode.is_development(),
            paid_at: unknown.paid_at,
            received_at: unknown.received_at,
        }
    }
}
