//! The statement of an account in the API.

use axum::extract::State;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use db::time::Timestamp;
use db::tx::Tx;
use ledger::statement::Leg;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::app::App;
use crate::auth::caller::Caller;
use crate::books::api::{AccountName, BalanceEntryList, EntryView};
use crate::books::csv_api::{Accepted, ListFormat, Statement};
use crate::books::export::{HEAD, export};
use crate::books::movements::MovementKind;
use crate::books::statement::StatementPage;
use crate::platform::error::{Error, Result};
use crate::platform::http::context::Context;
use crate::platform::http::page::{TimeRange, read_cursor};
use crate::platform::http::query::Query;
use crate::platform::http::rate_limit::HEAVY;
use crate::platform::ids::TransactionId;
use crate::platform::permissions::WithdrawalsRead;
use crate::platform::spreadsheet::{SpreadsheetQuery, SpreadsheetReply};
use crate::statements::{self, Wanted};

/// The path of the list.
pub const ENTRIES: &str = "/api/balance/entries";
/// Which entries belong to a payment.
pub const OF_A_PAYMENT: &str = "The entries of a transaction are those of its payment, refunds and \
    disputes, of its receivables that settled, of its affiliate's commission, and of money set \
    aside beside it; of refunds, returns and money set aside those of the newest 50 of each. An \
    affiliate gets the entries of their commission on it. They are found by their subjects, \
    however long the statement is.";

const LIMIT_DEFAULT: i64 = 20;
const LIMIT_MAX: i64 = 100;

/// What a statement accepts.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EntriesQuery {
    /// The account. Defaults to `available`.
    pub account: Option<AccountName>,
    /// Filter by the kind of ledger movement.
    pub kind: Option<MovementKind>,
    /// Filter by the transaction.
    pub transaction_id: Option<TransactionId>,
    /// Created at or after this time.
    pub created_from: Option<Timestamp>,
    /// Created before this time.
    pub created_to: Option<Timestamp>,
    /// With this `sequence` or a greater one.
    pub sequence_from: Option<i64>,
    /// With a `sequence` less than this one.
    pub sequence_to: Option<i64>,
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
    /// Filter by the transaction.
    pub transaction_id: Option<TransactionId>,
    /// Created at or after this time.
    pub created_from: Option<Timestamp>,
    /// Created before this time.
    pub created_to: Option<Timestamp>,
    /// With this `sequence` or a greater one.
    pub sequence_from: Option<i64>,
    /// With a `sequence` less than this one.
    pub sequence_to: Option<i64>,
}

/// The part of a statement that a query names.
#[derive(Debug, Clone, Copy)]
pub struct StatementRange {
    pub wanted: Wanted,
    /// The entries before this one.
    pub before: Option<i64>,
    pub limit: i64,
}

/// GET /api/balance/entries
pub async fn entries(
    State(app): State<App>,
    caller: Caller<WithdrawalsRead>,
    Accepted(accepted): Accepted,
    Query(query): Query<EntriesQuery>,
) -> Result<Statement> {
    let (scope, range) = (caller.scope, query.read()?);
    let StatementRange { wanted, before, limit } = range;
    let read = async move |tx: &Tx| statements::page(tx, scope, wanted, before, limit).await;
    let StatementPage { legs, next, .. } = app.scan_for(scope.merchant, read).await?;
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
    let (scope, wanted) = (caller.scope, query.wanted());
    let read = async move |tx: &Tx| wanted.filter(tx, scope).await;
    let filter = app.read(read).await?;
    let kind = |leg: &Leg| leg.kind.clone();
    export(&app, scope, filter, format, (HEAD, None), kind).await
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
        let wanted = ExportQuery {
            account: self.account,
            kind: self.kind,
            transaction_id: self.transaction_id,
            created_from: self.created_from,
            created_to: self.created_to,
            sequence_from: self.sequence_from,
            sequence_to: self.sequence_to,
        };
        Ok(StatementRange { wanted: wanted.wanted(), before, limit })
    }
}

impl ExportQuery {
    /// Which entries are wanted.
    pub fn wanted(&self) -> Wanted {
        Wanted {
            account: self.account.unwrap_or(AccountName::Available).into(),
            kind: self.kind,
            period: TimeRange::new(self.created_from, self.created_to),
            sequence_from: self.sequence_from,
            sequence_to: self.sequence_to,
            transaction: self.transaction_id,
        }
    }
}
