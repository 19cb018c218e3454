//! Administrators see how far accounts come on the way to their first webhook.

use axum::extract::State;
use db::time::Timestamp;
use db::tx::Tx;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::auth::caller::Admin;
use crate::first_steps::{self, AccountSteps, FirstSteps, Summary};
use crate::platform::error::Result;
use crate::platform::http::page::{PageQuery, Pagination};
use crate::platform::http::query::Query;
use crate::platform::http::reply::Ok200;
use crate::platform::ids::MerchantId;

/// Whom both routes are about.
pub const WHO_COUNTS: &str = "Counts the accounts of merchants that are open and were opened since \
    the server keeps their first steps; all instants are of the server's clock.";

/// An account and when it took its first steps in a mode.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AccountFirstSteps")]
pub struct AccountStepsView {
    user_id: MerchantId,
    name: String,
    email: String,
    /// When the account was opened.
    created_at: Timestamp,
    /// When it made its first API key.
    api_key_at: Option<Timestamp>,
    /// When it made its first payment link.
    payment_link_at: Option<Timestamp>,
    /// When its first payment was paid.
    payment_at: Option<Timestamp>,
    /// When a webhook, or a listener, first accepted an event.
    webhook_at: Option<Timestamp>,
}

/// A response with how far accounts come.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FirstStepsSummaryResponse")]
pub struct SummaryReply {
    message: &'static str,
    data: Summary,
}

/// A page of accounts with their first steps, newest first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AccountFirstStepsList")]
pub struct AccountStepsList {
    message: &'static str,
    data: Vec<AccountStepsView>,
    pagination: Pagination,
}

/// GET /api/admin/first-steps
pub async fn show(State(app): State<App>, admin: Admin) -> Result<Ok200<SummaryReply>> {
    let mode = admin.scope.mode;
    let summary = app.scan(async move |tx: &Tx| first_steps::summary(tx, mode).await).await?;
    Ok(Ok200(SummaryReply { message: "First steps.", data: summary }))
}

/// GET /api/admin/first-steps/accounts
pub async fn list(
    State(app): State<App>,
    admin: Admin,
    Query(page): Query<PageQuery>,
) -> Result<Ok200<AccountStepsList>> {
    let (mode, page) = (admin.scope.mode, page.read()?);
    let listed = app.scan(async move |tx: &Tx| first_steps::list(tx, mode, page).await).await?;
    let pagination = page.pagination(&listed);
    let data = listed.rows.into_iter().map(AccountStepsView::from).collect();
    Ok(Ok200(AccountStepsList { message: "Accounts and their first steps.", data, pagination }))
}

impl From<AccountSteps> for AccountStepsView {
    fn from(account: AccountSteps) -> Self {
        let AccountSteps { merchant, name, email, opened_at, steps } = account;
        let FirstSteps { key, link, payment, webhook } = steps;
        Self {
            user_id: merchant,
            name,
            email,
            created_at: opened_at,
            api_key_at: key,
            payment_link_at: link,
            payment_at: payment,
            webhook_at: webhook,
        }
    }
}
