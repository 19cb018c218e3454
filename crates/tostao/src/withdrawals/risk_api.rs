//! Administrators list the withdrawals that wait for them, and see what is known of an account
//! before they decide.

use axum::extract::State;
use db::time::Timestamp;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::auth::caller::Admin;
use crate::platform::error::Result;
use crate::platform::http::page::{PageQuery, Pagination};
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::http::reply::Ok200;
use crate::platform::ids::WithdrawalId;
use crate::withdrawals::list::waiting;
use crate::withdrawals::risk::{self, Risk};
use crate::withdrawals::terms::WithdrawalTerms;
use crate::withdrawals::view::AdminWithdrawalView;

/// What the facts are, and by which clock.
pub const WHAT_IT_SHOWS: &str = "Decides nothing: it shows a withdrawal with what is known of its \
    account. Changes are those of the last 30 days by the server's clock; what was sold and paid \
    out is that of the last 30 days of the account.";
/// Which withdrawals wait.
pub const WHO_WAITS: &str = "Those that were neither approved nor rejected, and those that their \
    bank contradicted, oldest first. `total` counts at most 1,001.";

/// A withdrawal, and what is known of its account.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "WithdrawalRisk")]
pub struct RiskView {
    withdrawal: AdminWithdrawalView,
    /// The name of the account.
    account_name: String,
    account_opened_at: Timestamp,
    /// For how many whole days the account has been open.
    account_age_days: u64,
    /// Whether an administrator has verified the owner.
    verified: bool,
    /// When a member's password was last changed, if that was in the last 30 days.
    password_changed_at: Option<Timestamp>,
    /// When a member's second step was last turned on, removed, or got new backup codes, likewise.
    second_step_changed_at: Option<Timestamp>,
    /// When a member's address was last replaced, likewise.
    email_changed_at: Option<Timestamp>,
    /// When a PIX key to withdraw to was last added, likewise.
    payout_key_added_at: Option<Timestamp>,
    /// When an API key was last made or rotated, likewise.
    api_key_changed_at: Option<Timestamp>,
    /// When a person last joined the account or got another role, likewise.
    team_changed_at: Option<Timestamp>,
    /// When what the account is called, or who it is, was last changed, likewise.
    account_changed_at: Option<Timestamp>,
    /// What was sold in the last 30 days, in cents.
    sold_cents: Cents,
    /// What was paid out in the last 30 days, in cents, without fees.
    withdrawn_cents: Cents,
    /// Whether another withdrawal to the same PIX key was paid before.
    pix_key_paid_before: bool,
}

/// A response with a withdrawal and what is known of its account.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WithdrawalRiskResponse")]
pub struct RiskReply {
    message: &'static str,
    data: RiskView,
}

/// A page of withdrawals that wait for a decision, oldest first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WaitingWithdrawalList")]
pub struct WaitingList {
    message: &'static str,
    data: Vec<AdminWithdrawalView>,
    pagination: Pagination,
}

/// GET /api/admin/withdraws/waiting
pub async fn list(
    State(app): State<App>,
    admin: Admin,
    Query(page): Query<PageQuery>,
) -> Result<Ok200<WaitingList>> {
    let (mode, page) = (admin.scope.mode, page.read()?);
    let listed = app.scan(async move |tx| waiting(tx, mode, page).await).await?;
    let pagination = page.pagination(&listed);
    let terms = WithdrawalTerms::of(&app);
    let show = |withdrawal| AdminWithdrawalView::new(&terms, mode, withdrawal);
    let data = listed.rows.into_iter().map(show).collect();
    Ok(Ok200(WaitingList { message: "Withdrawals that await a decision.", data, pagination }))
}

/// GET /api/admin/withdraws/{id}/risk
pub async fn show(
    State(app): State<App>,
    admin: Admin,
    PathParam(id): PathParam<WithdrawalId>,
) -> Result<Ok200<RiskReply>> {
    let (mode, terms) = (admin.scope.mode, WithdrawalTerms::of(&app));
    let known = app.scan(async move |tx| risk::read(tx, mode, id).await).await?;
    let Risk { opened_at, changes, at, .. } = known;
    let data = RiskView {
        withdrawal: AdminWithdrawalView::new(&terms, mode, known.withdrawal),
        account_name: known.account,
        account_opened_at: opened_at,
        account_age_days: at.since(opened_at).as_secs() / (24 * 3_600),
        verified: known.is_verified,
        password_changed_at: changes.password,
        second_step_changed_at: changes.second_step,
        email_changed_at: changes.email,
        payout_key_added_at: changes.payout_keys,
        api_key_changed_at: changes.keys,
        team_changed_at: changes.team,
        account_changed_at: changes.business,
        sold_cents: known.sold,
        withdrawn_cents: known.withdrawn,
        pix_key_paid_before: known.key_paid_before,
    };
    Ok(Ok200(RiskReply { message: "What is known of the withdrawal's account.", data }))
}
