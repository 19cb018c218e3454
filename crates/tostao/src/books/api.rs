//! The merchant's balance, and the entries of its statement.

use axum::extract::State;
use db::time::Timestamp;
use ledger::cents::Cents;
use ledger::statement::Leg;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::app::App;
use crate::auth::caller::Caller;
use crate::books;
use crate::books::chart::AccountKind;
use crate::platform::error::Result;
use crate::platform::http::reply::Ok200;
use crate::platform::permissions::WithdrawalsRead;

/// The balance of a merchant.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Balance")]
pub struct BalanceView {
    #[serde(rename = "availableBalance")]
    available: Cents,
    #[serde(rename = "pendingBalance")]
    pending: Cents,
    /// What is held: disputed, or set aside until the merchant decides on it.
    #[serde(rename = "heldBalance")]
    held: Cents,
}

/// A response with the balance.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BalanceResponse {
    success: bool,
    data: BalanceView,
}

/// One of the merchant's ledger accounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "LedgerAccount")]
pub enum AccountName {
    Available,
    Pending,
    Refunding,
    Withdrawing,
    Disputed,
    Suspense,
    Advanced,
}

/// An entry of the account statement.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "BalanceEntry")]
pub struct EntryView {
    /// The number of the entry within the account, from 1, without gaps.
    pub sequence: i64,
    /// The amount in cents; positive for credits.
    pub amount_cents: Cents,
    /// The balance of the account after the entry, in cents.
    pub balance_cents: Cents,
    /// The kind of ledger movement.
    pub kind: String,
    /// The object behind the entry, such as a transaction.
    pub subject_id: Uuid,
    pub created_at: Timestamp,
}

/// A page of balance entries, newest first.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BalanceEntryList {
    pub success: bool,
    pub data: Vec<EntryView>,
    /// The cursor of the next page; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// GET /api/withdraws/balance
pub async fn balance(
    State(app): State<App>,
    caller: Caller<WithdrawalsRead>,
) -> Result<Ok200<BalanceResponse>> {
    let scope = caller.scope;
    let holdings = app.read(async move |tx| books::holdings(tx, scope).await).await?;
    let data = BalanceView {
        available: holdings.available,
        pending: holdings.pending,
        held: holdings.held()?,
    };
    Ok(Ok200(BalanceResponse { success: true, data }))
}

impl AccountName {
    /// Every account, the most usual ones first.
    pub const ALL: [Self; 7] = [
        Self::Available,
        Self::Pending,
        Self::Withdrawing,
        Self::Refunding,
        Self::Disputed,
        Self::Suspense,
        Self::Advanced,
    ];

    /// Finds the account of a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|account| account.name() == name)
    }

    /// The name in the API.
    pub fn name(self) -> &'static str {
        match self {
            Self::Available => "available",
            Self::Pending => "pending",
            Self::Refunding => "refunding",
            Self::Withdrawing => "withdrawing",
            Self::Disputed => "disputed",
            Self::Suspense => "suspense",
            Self::Advanced => "advanced",
        }
    }
}

impl From<AccountName> for AccountKind {
    fn from(name: AccountName) -> Self {
        match name {
            AccountName::Available => Self::Available,
            AccountName::Pending => Self::Pending,
            AccountName::Refunding => Self::Refunding,
            AccountName::Withdrawing => Self::Withdrawing,
            AccountName::Disputed => Self::Disputed,
            AccountName::Suspense => Self::Suspense,
            AccountName::Advanced => Self::Advanced,
        }
    }
}

impl From<Leg> for EntryView {
    fn from(leg: Leg) -> Self {
        Self {
            sequence: leg.sequence,
            amount_cents: leg.amount,
            balance_cents: leg.balance,
            kind: leg.kind,
            subject_id: leg.subject,
            created_at: leg.at,
        }
    }
}
