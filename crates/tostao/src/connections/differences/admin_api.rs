//! Administrators list differences and close them.

use axum::extract::State;
use db::time::Timestamp;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::app::App;
use crate::audit::decision::DecidedView;
use crate::audit::ticket::DecisionTicket;
use crate::auth::caller::Admin;
use crate::connections::differences::{self, Difference, Filter, Kind, Status};
use crate::idempotency::{IdempotencyHeader, Replayable};
use crate::platform::error::Result;
use crate::platform::fields;
use crate::platform::http::body::Body;
use crate::platform::http::page::{PageQuery, Pagination};
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::http::reply::Ok200;
use crate::platform::ids::{ConnectionId, DifferenceId, MerchantId};
use crate::transactions::terms::PaymentTerms;

/// What a difference is.
pub const WHAT_THEY_ARE: &str = "What a connection reports and no stored record explains. Nothing \
    is booked or corrected by it.";
/// What an administrator must know to resolve a difference.
pub const RULES: &str = "Closes a difference with a note, once its cause is known and was acted \
    on; it becomes `RESOLVED`. Nothing is booked by it, except for `TAKEN_BACK`, and for an \
    `UNKNOWN_REFUND` of a PIX that is `DONE`: what was taken or refunded of money that awaits a \
    decision becomes `RETURNED`, and the rest can be accepted, returned or matched. That is 409 \
    while the money is on its way back. A difference that is `RESOLVED` keeps its first note. A \
    difference about an administrator's own sale, refund or payout (`userId`), or about a sale \
    that they earn a commission or a referral's reward on, is another one's to close.";

/// Something that a connection reports and the stored records do not explain.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Difference")]
pub struct DifferenceView {
    id: DifferenceId,
    connection_id: ConnectionId,
    connection_name: String,
    kind: Kind,
    /// The provider's own name of it: the ID of a refund, a return or a payout, or the SHA-256 of
    /// an entry that cannot be read.
    reference: String,
    /// Amount in cents, if the provider names one.
    amount: Option<Cents>,
    /// What else the provider reports of it; an entry that is kept as it came is blanked after 90
    /// days.
    details: Map<String, Value>,
    /// The account whose sale, refund or payout it is about, if that is known; its owner cannot
    /// close it.
    user_id: Option<MerchantId>,
    status: Status,
    /// What the administrator wrote who closed it.
    note: Option<String>,
    found_at: Timestamp,
    /// Of the decision.
    #[serde(flatten)]
    decided: DecidedView,
}

/// What a list of differences accepts.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct DifferenceQuery {
    status: Option<Status>,
}

/// A page of differences, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DifferenceList {
    message: &'static str,
    data: Vec<DifferenceView>,
    pagination: Pagination,
}

/// A response with one difference.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DifferenceResponse {
    message: &'static str,
    data: DifferenceView,
}

/// How a difference was explained.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ResolveDifferenceRequest {
    /// What it was, and what was done.
    #[schemars(length(min = 1, max = 500))]
    pub note: String,
}

/// GET /api/admin/reconciliation
pub async fn list(
    State(app): State<App>,
    _: Admin,
    Query(page): Query<PageQuery>,
    Query(query): Query<DifferenceQuery>,
) -> Result<Ok200<DifferenceList>> {
    let page = page.read()?;
    let filter = Filter { page, status: query.status };
    let listed = app.scan(async move |tx| differences::list(tx, &filter).await).await?;
    let pagination = page.pagination(&listed);
    let data = listed.rows.into_iter().map(DifferenceView::new).collect();
    Ok(Ok200(DifferenceList { message: "Differences.", data, pagination }))
}

/// GET /api/admin/reconciliation/{id}
pub async fn show(
    State(app): State<App>,
    _: Admin,
    PathParam(id): PathParam<DifferenceId>,
) -> Result<Ok200<DifferenceResponse>> {
    let found = app.read(async move |tx| differences::show(tx, id).await).await?;
    let data = DifferenceView::new(found);
    Ok(Ok200(DifferenceResponse { message: "Difference.", data }))
}

/// POST /api/admin/reconciliation/{id}/resolve
pub async fn resolve(
    State(app): State<App>,
    admin: Admin,
    PathParam(id): PathParam<DifferenceId>,
    once: IdempotencyHeader,
    body: Body<ResolveDifferenceRequest>,
) -> Result<Replayable<Ok200<DifferenceResponse>>> {
    let (mode, by) = (admin.scope.mode, admin.by());
    let execution = once.permitted(admin.scope, &body.raw, admin.permit());
    ask_to_resolve(&app, DecisionTicket { mode, execution, by }, id, &body.value).await
}

/// Closes a difference with a note: the way in of programs and of people.
pub async fn ask_to_resolve(
    app: &App,
    DecisionTicket { execution, by, .. }: DecisionTicket,
    id: DifferenceId,
    body: &ResolveDifferenceRequest,
) -> Result<Replayable<Ok200<DifferenceResponse>>> {
    let (note, terms) = (fields::note(&body.note)?, PaymentTerms::of(app));
    app.transact_once(execution, async move |tx| {
        let resolved = differences::resolve(tx, &terms, &by, id, &note).await?;
        let data = DifferenceView::new(resolved);
        Ok(Ok200(DifferenceResponse { message: "Difference resolved.", data }))
    })
    .await
}

impl DifferenceView {
    fn new(difference: Difference) -> Self {
        Self {
            id: difference.id,
            connection_id: difference.connection,
            connection_name: difference.connection_name,
            kind: difference.kind,
            reference: difference.reference,
            amount: difference.amount,
            details: difference.details,
            user_id: difference.merchant,
            status: difference.status,
            note: difference.note,
            found_at: difference.found_at,
            decided: DecidedView::new(difference.decided),
        }
    }
}
