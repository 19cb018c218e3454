//! Administrators list, approve, reject and resolve withdrawals.

use axum::extract::State;
use brazil::txid::is_end_to_end_id;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::audit::ticket::DecisionTicket;
use crate::auth::caller::Admin;
use crate::idempotency::{IdempotencyHeader, Replayable, WEEK};
use crate::platform::error::{Error, Result};
use crate::platform::fields;
use crate::platform::http::body::{Body, OptionalBody};
use crate::platform::http::page::{PageQuery, Pagination};
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::http::reply::Ok200;
use crate::platform::ids::WithdrawalId;
use crate::withdrawals::approval::{self, StatementOutcome, approve, reject, scope_of};
use crate::withdrawals::list::{AdminListQuery, of_all_accounts};
use crate::withdrawals::terms::WithdrawalTerms;
use crate::withdrawals::view::AdminWithdrawalView;

const MESSAGE_LENGTH_MAX: usize = 500;

/// The decision on a withdrawal.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ProcessWithdrawalRequest {
    /// The decision. Defaults to `approve`.
    pub action: WithdrawalDecision,
    /// With `reject`: the reason, which the merchant sees.
    #[schemars(length(max = 500))]
    pub failure_reason: Option<String>,
}

/// The decision on a withdrawal: pay it out, or reject it and return the money to the balance.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WithdrawalDecision {
    #[default]
    Approve,
    Reject,
}

/// How a withdrawal ended, by the bank's statement.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("examples" = [{ "outcome": "not_paid" }]))]
pub struct ResolveWithdrawalRequest {
    pub outcome: PayoutOutcome,
    /// The end-to-end ID on the statement. Required with `paid`, and accepted with it only.
    #[schemars(regex(pattern = "^E[A-Za-z0-9]{8}[0-9]{12}[A-Za-z0-9]{11}$"))]
    pub end_to_end_id: Option<String>,
    /// The reason, which the merchant sees. Accepted with `not_paid` only.
    #[schemars(length(max = 500))]
    pub failure_reason: Option<String>,
}

/// Whether the bank's statement shows the payout: it completes the withdrawal, or the money returns
/// to the balance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PayoutOutcome {
    Paid,
    NotPaid,
}

/// A response with one withdrawal.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AdminWithdrawalResponse {
    message: &'static str,
    data: AdminWithdrawalView,
}

/// A page of withdrawals of all accounts, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AdminWithdrawalList {
    message: &'static str,
    data: Vec<AdminWithdrawalView>,
    pagination: Pagination,
}

/// POST /api/withdraws/{id}/process
pub async fn process(
    State(app): State<App>,
    admin: Admin,
    PathParam(id): PathParam<WithdrawalId>,
    once: IdempotencyHeader<WEEK>,
    body: OptionalBody<ProcessWithdrawalRequest>,
) -> Result<Replayable<Ok200<AdminWithdrawalResponse>>> {
    let (mode, by) = (admin.scope.mode, admin.by());
    let execution = once.permitted(admin.scope, &body.raw, admin.permit());
    ask_to_process(&app, DecisionTicket { mode, execution, by }, id, &body.value).await
}

/// Approves or rejects a withdrawal: the way in of programs and of people.
pub async fn ask_to_process(
    app: &App,
    DecisionTicket { mode, execution, by }: DecisionTicket,
    id: WithdrawalId,
    body: &ProcessWithdrawalRequest,
) -> Result<Replayable<Ok200<AdminWithdrawalResponse>>> {
    let (rails, terms) = (app.clone(), WithdrawalTerms::of(app));
    let reason = failure_message(body.failure_reason.as_deref())?;
    let decision = body.action;
    app.transact_once(execution, async move |tx| {
        let scope = scope_of(tx, mode, id).await?;
        let (message, processed) = match decision {
            WithdrawalDecision::Approve => {
                // Only of a withdrawal that exists may the error say which provider would pay it.
                let provider = rails.providers.payout_bank(mode)?;
                ("Withdrawal approved.", approve(tx, scope, &by, &provider, id).await?)
            }
            WithdrawalDecision::Reject => {
                let rejected = reject(tx, scope, &by, &terms, id, reason.as_deref()).await?;
                ("Withdrawal rejected.", rejected)
            }
        };
        let data = AdminWithdrawalView::new(&terms, mode, processed);
        Ok(Ok200(AdminWithdrawalResponse { message, data }))
    })
    .await
}

/// POST /api/admin/withdraws/{id}/resolve
pub async fn resolve(
    State(app): State<App>,
    admin: Admin,
    PathParam(id): PathParam<WithdrawalId>,
    once: IdempotencyHeader<WEEK>,
    body: Body<ResolveWithdrawalRequest>,
) -> Result<Replayable<Ok200<AdminWithdrawalResponse>>> {
    let (mode, by) = (admin.scope.mode, admin.by());
    let execution = once.permitted(admin.scope, &body.raw, admin.permit());
    ask_to_resolve(&app, DecisionTicket { mode, execution, by }, id, &body.value).await
}

/// Ends a contradicted withdrawal by the bank's statement: the way in of programs and of people.
pub async fn ask_to_resolve(
    app: &App,
    DecisionTicket { mode, execution, by }: DecisionTicket,
    id: WithdrawalId,
    body: &ResolveWithdrawalRequest,
) -> Result<Replayable<Ok200<AdminWithdrawalResponse>>> {
    let (terms, outcome) = (WithdrawalTerms::of(app), body.read()?);
    app.transact_once(execution, async move |tx| {
        let scope = scope_of(tx, mode, id).await?;
        let resolved = approval::resolve(tx, scope, &by, &terms, id, &outcome).await?;
        let data = AdminWithdrawalView::new(&terms, mode, resolved);
        Ok(Ok200(AdminWithdrawalResponse { message: "Withdrawal resolved.", data }))
    })
    .await
}

/// GET /api/admin/withdraws
pub async fn list(
    State(app): State<App>,
    admin: Admin,
    Query(page): Query<PageQuery>,
    Query(query): Query<AdminListQuery>,
) -> Result<Ok200<AdminWithdrawalList>> {
    let (mode, filter) = (admin.scope.mode, query.read(&page)?);
    let page = filter.page;
    let listed = app.scan(async move |tx| of_all_accounts(tx, mode, &filter).await).await?;
    let pagination = page.pagination(&listed);
    let terms = WithdrawalTerms::of(&app);
    let show = |withdrawal| AdminWithdrawalView::new(&terms, mode, withdrawal);
    let data = listed.rows.into_iter().map(show).collect();
    Ok(Ok200(AdminWithdrawalList { message: "Withdrawals.", data, pagination }))
}

impl ResolveWithdrawalRequest {
    fn read(&self) -> Result<StatementOutcome> {
        let other = match self.outcome {
            PayoutOutcome::Paid => ("failureReason", self.failure_reason.is_some(), "not_paid"),
            PayoutOutcome::NotPaid => ("endToEndId", self.end_to_end_id.is_some(), "paid"),
        };
        if let (field, true, outcome) = other {
            let message = format!("is accepted with {outcome} only");
            return Err(Error::field(field, "INVALID_VALUE", message));
        }
        if self.outcome == PayoutOutcome::NotPaid {
            let message = failure_message(self.failure_reason.as_deref())?;
            return Ok(StatementOutcome::NotPaid { message });
        }
        let Some(end_to_end_id) = self.end_to_end_id.clone() else {
            return Err(Error::field("endToEndId", "REQUIRED", "is required with paid"));
        };
        if !is_end_to_end_id(&end_to_end_id) {
            let message = "must be the end-to-end ID of a PIX";
            return Err(Error::field("endToEndId", "INVALID_VALUE", message));
        }
        Ok(StatementOutcome::Paid { end_to_end_id })
    }
}

fn failure_message(sent: Option<&str>) -> Result<Option<String>> {
    let message = fields::optional_text(sent, MESSAGE_LENGTH_MAX);
    message.map_err(|fault| fault.of("failureReason"))
}
