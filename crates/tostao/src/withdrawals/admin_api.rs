//! Administrators list, approve and reject withdrawals.

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::auth::caller::Admin;
use crate::idempotency::{IdempotencyHeader, Replayable, WEEK};
use crate::platform::error::Result;
use crate::platform::fields;
use crate::platform::http::body::OptionalBody;
use crate::platform::http::page::{PageQuery, Pagination};
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::http::reply::Ok200;
use crate::platform::ids::WithdrawalId;
use crate::withdrawals::approval::{approve, reject, scope_of};
use crate::withdrawals::list::{AdminListQuery, of_all_accounts};
use crate::withdrawals::terms::WithdrawalTerms;
use crate::withdrawals::view::AdminWithdrawalView;

const MESSAGE_LENGTH_MAX: usize = 500;

/// The decision on a withdrawal.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ProcessWithdrawalRequest {
    /// The decision. Defaults to `approve`.
    action: WithdrawalDecision,
    /// With `reject`: the reason, which the merchant sees.
    #[schemars(length(max = 500))]
    failure_reason: Option<String>,
}

/// The decision on a withdrawal: pay it out, or reject it and return the money to the balance.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WithdrawalDecision {
    #[default]
    Approve,
    Reject,
}

/// A decision with its parameters.
enum Decision {
    PayThrough(&'static str),
    GiveBack(Option<String>),
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
    let mode = admin.scope.mode;
    let reason = fields::optional_text(body.value.failure_reason.as_deref(), MESSAGE_LENGTH_MAX);
    let reason = reason.map_err(|fault| fault.of("failureReason"))?;
    // If the withdrawal does not exist, the error must not reveal which provider would pay it.
    app.read(async move |tx| scope_of(tx, mode, id).await).await?;
    let decision = match body.value.action {
        WithdrawalDecision::Approve => Decision::PayThrough(app.providers.payouts(mode)?.name()),
        WithdrawalDecision::Reject => Decision::GiveBack(reason),
    };
    let (terms, by) = (WithdrawalTerms::of(&app), admin.by());
    app.transact_once(once.key(admin.scope, &body.raw), async move |tx| {
        let scope = scope_of(tx, mode, id).await?;
        let (message, processed) = match &decision {
            Decision::PayThrough(provider) => {
                ("Withdrawal approved.", approve(tx, scope, &by, provider, id).await?)
            }
            Decision::GiveBack(reason) => {
                let rejected = reject(tx, scope, &by, &terms, id, reason.as_deref()).await?;
                ("Withdrawal rejected.", rejected)
            }
        };
        let data = AdminWithdrawalView::new(&terms, mode, processed);
        Ok(Ok200(AdminWithdrawalResponse { message, data }))
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
