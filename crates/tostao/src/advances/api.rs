//! Advances through the API.

use axum::extract::State;
use db::tx::Tx;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::advances::list::ListQuery;
use crate::advances::terms::AdvanceTerms;
use crate::advances::view::{AdvanceQuoteView, AdvanceView};
use crate::advances::{self, NewAdvance, decisions, request};
use crate::app::App;
use crate::audit::ticket::{Ticket, note};
use crate::audit::{Action, ActorContext};
use crate::auth::caller::Caller;
use crate::idempotency::dry_run::DryRun;
use crate::idempotency::{IdempotencyHeader, Replayable, WEEK};
use crate::platform::error::{FieldErrors, Result};
use crate::platform::fields::{self, amount};
use crate::platform::http::body::{Body, Empty, OptionalBody};
use crate::platform::http::page::{PageQuery, Pagination};
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::http::reply::{Created, Ok200};
use crate::platform::ids::AdvanceId;
use crate::platform::permissions::{AdvancesRead, AdvancesWrite};

const REASON_LENGTH_MAX: usize = 500;

/// The advance to quote.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuoteAdvanceRequest {
    /// The amount to take from receivables; the fee is deducted from it.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    amount_cents: i64,
}

/// The parameters of an advance.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateAdvanceRequest {
    /// The amount to take from receivables; the fee is deducted from it.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub amount_cents: i64,
    /// The reason for the advance.
    #[schemars(length(max = 500))]
    pub reason: Option<String>,
}

/// The amount that can be advanced.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AdvanceLimit")]
pub struct LimitView {
    /// Card installments that are not yet due, refunded, disputed or pledged, in cents.
    eligible_cents: Cents,
    /// The maximum that can be advanced, in cents.
    max_advance_cents: Cents,
}

/// A response with one advance.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AdvanceResponse {
    message: &'static str,
    data: AdvanceView,
}

/// A page of advances, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AdvanceList {
    message: &'static str,
    data: Vec<AdvanceView>,
    pagination: Pagination,
}

/// A response with the quote of an advance.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AdvanceQuoteResponse {
    message: &'static str,
    data: AdvanceQuoteView,
}

/// A response with the advance limit.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AdvanceLimitResponse {
    message: &'static str,
    data: LimitView,
}

/// POST /api/advances/simulate
pub async fn simulate(
    State(app): State<App>,
    caller: Caller<AdvancesWrite>,
    once: IdempotencyHeader<WEEK>,
    body: Body<QuoteAdvanceRequest>,
) -> Result<Replayable<Ok200<AdvanceQuoteResponse>>> {
    let (scope, terms) = (caller.scope, AdvanceTerms::of(&app));
    let amount = amount(body.value.amount_cents).map_err(|fault| fault.of("amountCents"))?;
    let key = once.key(scope, &body.raw);
    app.repeat_once(key, async {
        let quote = async move |tx: &Tx| advances::quote(tx, scope, terms, amount).await;
        let data = AdvanceQuoteView::new(&app.scan_for(scope.merchant, quote).await?);
        Ok(Ok200(AdvanceQuoteResponse { message: "Offer.", data }))
    })
    .await
}

/// GET /api/advances/available
pub async fn available(
    State(app): State<App>,
    caller: Caller<AdvancesRead>,
) -> Result<Ok200<AdvanceLimitResponse>> {
    let (scope, terms) = (caller.scope, AdvanceTerms::of(&app));
    let limit = app
        .scan_for(scope.merchant, async move |tx| advances::limit(tx, scope, terms).await)
        .await?;
    let data = LimitView { eligible_cents: limit.eligible, max_advance_cents: limit.most };
    Ok(Ok200(AdvanceLimitResponse { message: "The advance limit.", data }))
}

/// POST /api/advances
pub async fn create(
    State(app): State<App>,
    caller: Caller<AdvancesWrite>,
    dry_run: DryRun,
    once: IdempotencyHeader<WEEK>,
    body: Body<CreateAdvanceRequest>,
) -> Result<Replayable<Created<AdvanceResponse>>> {
    let (scope, key) = (caller.scope, once.key(caller.scope, &body.raw));
    let ticket = Ticket { scope, key, dry_run, by: caller.by_person() };
    ask(&app, ticket, &body.value).await
}

/// Requests an advance: the way in of programs and of people.
pub async fn ask(
    app: &App,
    Ticket { scope, key, dry_run, by }: Ticket,
    body: &CreateAdvanceRequest,
) -> Result<Replayable<Created<AdvanceResponse>>> {
    let (terms, new) = (AdvanceTerms::of(app), read(body)?);
    app.change_once(dry_run, scope, key, async move |tx| {
        let advance = request(tx, scope, terms, &new).await?;
        note(tx, scope, by.as_ref(), Action::AdvanceRequested, advance.id.0).await?;
        let data = AdvanceView::new(scope.mode, &advance);
        Ok(Created(AdvanceResponse { message: "Advance requested.", data }))
    })
    .await
}

/// GET /api/advances
pub async fn list(
    State(app): State<App>,
    caller: Caller<AdvancesRead>,
    Query(page): Query<PageQuery>,
    Query(query): Query<ListQuery>,
) -> Result<Ok200<AdvanceList>> {
    let (scope, filter) = (caller.scope, query.read(&page)?);
    let page = filter.page;
    let listed = app
        .scan_for(scope.merchant, async move |tx| advances::list(tx, scope, &filter).await)
        .await?;
    let pagination = page.pagination(&listed);
    let data = listed.rows.iter().map(|advance| AdvanceView::new(scope.mode, advance)).collect();
    Ok(Ok200(AdvanceList { message: "Advances.", data, pagination }))
}

/// GET /api/advances/{id}
pub async fn show(
    State(app): State<App>,
    caller: Caller<AdvancesRead>,
    PathParam(id): PathParam<AdvanceId>,
) -> Result<Ok200<AdvanceResponse>> {
    let scope = caller.scope;
    let found = app.read(async move |tx| advances::find(tx, scope, id).await).await?;
    Ok(Ok200(AdvanceResponse { message: "Advance.", data: AdvanceView::new(scope.mode, &found) }))
}

/// POST /api/advances/{id}/cancel
pub async fn cancel(
    State(app): State<App>,
    caller: Caller<AdvancesWrite>,
    PathParam(id): PathParam<AdvanceId>,
    dry_run: DryRun,
    once: IdempotencyHeader<WEEK>,
    body: OptionalBody<Empty>,
) -> Result<Replayable<Ok200<AdvanceResponse>>> {
    let (scope, by) = (caller.scope, caller.by());
    let ticket = Ticket::of_program(scope, once.key(scope, &body.raw), dry_run);
    ask_to_cancel(&app, ticket, by, id).await
}

/// Cancels an advance: the way in of programs and of people.
pub async fn ask_to_cancel(
    app: &App,
    Ticket { scope, key, dry_run, .. }: Ticket,
    by: ActorContext,
    id: AdvanceId,
) -> Result<Replayable<Ok200<AdvanceResponse>>> {
    app.change_once(dry_run, scope, key, async move |tx| {
        let data = AdvanceView::new(scope.mode, &decisions::cancel(tx, scope, &by, id).await?);
        Ok(Ok200(AdvanceResponse { message: "Advance cancelled.", data }))
    })
    .await
}

fn read(body: &CreateAdvanceRequest) -> Result<NewAdvance> {
    let mut wrong = FieldErrors::new();
    let amount = wrong.read("amountCents", amount(body.amount_cents));
    let reason = fields::optional_text(body.reason.as_deref(), REASON_LENGTH_MAX);
    match (amount, wrong.read("reason", reason)) {
        (Some(amount), Some(reason)) => Ok(NewAdvance { amount, reason }),
        _ => Err(wrong.into_error()),
    }
}
