//! The merchant's balance and statement.

use axum::extract::State;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
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
use crate::books::csv_api::{Accepted, ListFormat, Statement};
use crate::books::export::{HEAD, export};
use crate::books::movements::MovementKind;
use crate::books::statement::{self, Filter, StatementPage};
use crate::platform::error::{Error, Result};
use crate::platform::http::context::Context;
use crate::platform::http::page::{TimeRange, read_cursor};
use crate::platform::http::query::Query;
use crate::platform::http::rate_limit::HEAVY;
use crate::platform::http::reply::Ok200;
use crate::platform::permissions::WithdrawalsRead;
use crate::platform::spreadsheet::{SpreadsheetQuery, SpreadsheetReply};

const LIMIT_DEFAULT: i64 = 20;
const LIMIT_MAX: i64 = 100;

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

/// What a statement accepts.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EntriesQuery {
    /// The account. Defaults to `available`.
    pub account: Option<AccountName>,
    /// Filter by the kind of ledger movement.
    pub kind: Option<MovementKind>,
    /// Created at or after this time.
    pub created_from: Option<Timestamp>,
    /// Created before this time.
    pub created_to: Option<Timestamp>,
    /// The number of objects, 1 to 100.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
    /// The `nextCursor` of the previous page.
    pub cursor: Option<String>,
    /// The format. Defaults to that of the `Accept` header.
    pub format: Option<ListFormat>,
}

/// What the file of a statement accepts.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "BalanceExportQuery")]
pub struct ExportQuery {
    /// The account. Defaults to `available`.
    pub account: Option<AccountName>,
    /// Filter by the kind of ledger movement.
    pub kind: Option<MovementKind>,
    /// Created at or after this time.
    pub created_from: Option<Timestamp>,
    /// Created before this time.
    pub created_to: Option<Timestamp>,
}

/// The part of a statement that a query names.
#[derive(Debug, Clone, Copy)]
pub struct StatementRange {
    pub filter: Filter,
    /// The entries before this one.
    pub before: Option<i64>,
    pub limit: i64,
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
    success: bool,
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

/// GET /api/balance/entries
pub async fn entries(
    State(app): State<App>,
    caller: Caller<WithdrawalsRead>,
    Accepted(accepted): Accepted,
    Query(query): Query<EntriesQuery>,
) -> Result<Statement> {
    let (scope, range) = (caller.scope, query.read()?);
    let StatementRange { filter, before, limit } = range;
    let read = async move |tx: &_| statement::page(tx, scope, &filter, before, limit).await;
    let StatementPage { legs, next } = app.scan_for(scope.merchant, read).await?;
    let next_cursor = next.map(cursor);
    let data = legs.into_iter().map(EntryView::from).collect();
    let reply = BalanceEntryList { success: true, data, next_cursor };
    Ok(match query.format.unwrap_or(accepted) {
        ListFormat::Json => Statement::Json(reply),
        ListFormat::Csv => Statement::Csv(reply),
    })
}

/// GET /api/balance/entries/export
pub async fn export_entries(
    State(app): State<App>,
    caller: Caller<WithdrawalsRead>,
    Context(context): Context,
    Query(SpreadsheetQuery { format }): Query<SpreadsheetQuery>,
    Query(query): Query<ExportQuery>,
) -> Result<SpreadsheetReply> {
    app.check_rate_limit(&context, &HEAVY, caller.scope)?;
    let kind = |leg: &Leg| leg.kind.clone();
    export(&app, caller.scope, query.filter(), format, HEAD, kind).await
}

/// The cursor of the page that begins before an entry.
pub fn cursor(sequence: i64) -> String {
    URL_SAFE_NO_PAD.encode(sequence.to_string())
}

impl EntriesQuery {
    /// Validates the query.
    pub fn read(&self) -> Result<StatementRange> {
        let limit = self.limit.unwrap_or(LIMIT_DEFAULT);
        if !(1..=LIMIT_MAX).contains(&limit) {
            return Err(Error::field("limit", "OUT_OF_RANGE", "must be from 1 to 100"));
        }
        let before = read_cursor(self.cursor.as_deref(), |bytes| {
            std::str::from_utf8(bytes).ok()?.parse().ok()
        })?;
        let Self { account, kind, created_from, created_to, .. } = *self;
        let filter = ExportQuery { account, kind, created_from, created_to }.filter();
        Ok(StatementRange { filter, before, limit })
    }
}

impl ExportQuery {
    /// Which entries are wanted.
    pub fn filter(&self) -> Filter {
        Filter {
            account: self.account.unwrap_or(AccountName::Available).into(),
            kind: self.kind,
            period: TimeRange::new(self.created_from, self.created_to),
        }
    }
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
