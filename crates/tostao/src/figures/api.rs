//! Figures of a period, and the entries that each of them sums.

use std::ops::Range;

use axum::extract::State;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use db::time::Timestamp;
use ledger::cents::Cents;
use ledger::turnover::Entry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::app::App;
use crate::auth::caller::Caller;
use crate::books::turnover::{Flow, Turnover};
use crate::figures::export::{HEAD, export};
use crate::figures::period::{Period, TIME_ZONE};
use crate::figures::{self, ByMethod, Day, FiguresPermissions, METHODS};
use crate::platform::error::{Error, Result};
use crate::platform::http::context::Context;
use crate::platform::http::page::{TimeRange, read_cursor};
use crate::platform::http::query::Query;
use crate::platform::http::rate_limit::HEAVY;
use crate::platform::http::reply::Ok200;
use crate::platform::spreadsheet::{SpreadsheetQuery, SpreadsheetReply};
use crate::transactions::Method;

/// The list of the entries that a figure sums.
const ENTRIES: &str = "/api/figures/entries";
const LIMIT_DEFAULT: i64 = 20;
const LIMIT_MAX: i64 = 100;

/// Which days are asked for.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct PeriodQuery {
    /// The first day, such as 2026-11-01. Defaults to 29 days before `to`.
    #[schemars(extend("format" = "date"))]
    from: Option<String>,
    /// The last day; at most 91 days after `from`. Defaults to today.
    #[schemars(extend("format" = "date"))]
    to: Option<String>,
}

/// A sum of money.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "FigureName")]
pub enum FigureName {
    /// What buyers paid.
    #[default]
    Sold,
    /// What was refunded to buyers.
    Refunded,
    /// What lost disputes took.
    ChargedBack,
    /// The fees of what was sold.
    Fees,
}

/// Which entries are asked for.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EntriesQuery {
    /// The figure. Defaults to `sold`.
    #[serde(default)]
    pub figure: FigureName,
    /// The first sequence number. Defaults to the first entry.
    #[schemars(range(min = 0))]
    pub from_sequence: Option<i64>,
    /// The sequence number after the last one. Defaults to all entries so far.
    #[schemars(range(min = 0))]
    pub to_sequence: Option<i64>,
    /// The number of objects, 1 to 100.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
    /// The `nextCursor` of the previous page.
    pub cursor: Option<String>,
}

/// Which entries are exported.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "FigureExportQuery")]
pub struct ExportQuery {
    /// The figure. Defaults to `sold`.
    #[serde(default)]
    pub figure: FigureName,
    /// The first sequence number. Defaults to the first entry.
    #[schemars(range(min = 0))]
    pub from_sequence: Option<i64>,
    /// The sequence number after the last one. Defaults to all entries so far.
    #[schemars(range(min = 0))]
    pub to_sequence: Option<i64>,
}

/// The entries that are asked for, and those of the page.
#[derive(Debug, Clone)]
pub struct EntryRange {
    pub whole: Range<i64>,
    pub page: Range<i64>,
}

/// A number, and the list that sums to it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Figure {
    /// An amount in cents, or a number of transactions.
    value: i64,
    /// The path of the list whose amounts, or whose number of objects, is the value.
    list_url: String,
}

/// The figures of a day or of a period.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "FigureSet")]
pub struct FigureSet {
    /// What buyers paid, in cents.
    sold: Figure,
    /// What was refunded to buyers, in cents, whenever they had paid.
    refunded: Figure,
    /// What lost disputes took, in cents.
    charged_back: Figure,
    /// The fees of what was sold, in cents.
    fees: Figure,
    /// What is left of `sold` after the three others, in cents; commissions of affiliates are not
    /// deducted.
    net_cents: Cents,
    /// The transactions created, by their method.
    methods: Vec<MethodFigures>,
}

/// How many transactions of a method were created, and how many of these were paid.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MethodFigures")]
pub struct MethodFigures {
    method: Method,
    issued: Figure,
    /// How many were paid so far. Days older than a week are counted once a day, the last time
    /// after 45 days.
    paid: Figure,
}

/// The figures of a day.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "DailyFigures")]
pub struct DailyFigures {
    #[schemars(extend("format" = "date"))]
    date: String,
    #[serde(flatten)]
    figures: FigureSet,
}

/// The figures of a period.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Figures")]
pub struct FiguresView {
    /// The first day.
    #[schemars(extend("format" = "date"))]
    from: String,
    /// The last day.
    #[schemars(extend("format" = "date"))]
    to: String,
    /// The time zone whose midnights divide the days.
    time_zone: &'static str,
    /// The sums of the period.
    total: FigureSet,
    /// The days, oldest first.
    days: Vec<DailyFigures>,
}

/// A response with figures.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FiguresResponse {
    success: bool,
    data: FiguresView,
}

/// An entry that a figure sums.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "FigureEntry")]
pub struct EntryView {
    /// The number of the entry in the ledger account.
    sequence: i64,
    /// The amount in cents.
    amount_cents: Cents,
    /// The transaction that was paid, the refund or the dispute.
    subject_id: Uuid,
    created_at: Timestamp,
}

/// A page of entries that a figure sums, newest first.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "FigureEntryList")]
pub struct EntryList {
    success: bool,
    data: Vec<EntryView>,
    /// The cursor of the next page; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

/// GET /api/figures
pub async fn show(
    State(app): State<App>,
    caller: Caller<FiguresPermissions>,
    Query(query): Query<PeriodQuery>,
) -> Result<Ok200<FiguresResponse>> {
    let (scope, today) = (caller.scope, caller.scope.today(app.now()));
    let period = Period::read(query.from.as_deref(), query.to.as_deref(), today)?;
    let read = async move |tx: &_| figures::read(tx, scope, period).await;
    let days = app.scan_for(scope.merchant, read).await?;
    let (entries, money, payments) = figures::total(&days)?;
    let total = FigureSet::new(&entries, money, period, &payments)?;
    let data = FiguresView {
        from: period.from.to_string(),
        to: period.to.to_string(),
        time_zone: TIME_ZONE,
        total,
        days: days.iter().map(DailyFigures::new).collect::<Result<_>>()?,
    };
    Ok(Ok200(FiguresResponse { success: true, data }))
}

/// GET /api/figures/entries
pub async fn entries(
    State(app): State<App>,
    caller: Caller<FiguresPermissions>,
    Query(query): Query<EntriesQuery>,
) -> Result<Ok200<EntryList>> {
    let scope = caller.scope;
    let limit = query.limit.unwrap_or(LIMIT_DEFAULT);
    if !(1..=LIMIT_MAX).contains(&limit) {
        return Err(Error::field("limit", "OUT_OF_RANGE", "must be from 1 to 100"));
    }
    let within = query.range()?.page;
    let flow = Flow::from(query.figure);
    let read = async move |tx: &_| figures::entries(tx, scope, flow, within.clone(), limit).await;
    let (entries, next) = app.scan_for(scope.merchant, read).await?;
    let next_cursor = next.and_then(|next| query.after(next).cursor);
    let data = entries.into_iter().map(EntryView::from).collect();
    Ok(Ok200(EntryList { success: true, data, next_cursor }))
}

/// GET /api/figures/entries/export
pub async fn export_entries(
    State(app): State<App>,
    caller: Caller<FiguresPermissions>,
    Context(context): Context,
    Query(SpreadsheetQuery { format }): Query<SpreadsheetQuery>,
    Query(query): Query<ExportQuery>,
) -> Result<SpreadsheetReply> {
    app.check_rate_limit(&context, &HEAVY, caller.scope)?;
    let entries = (Flow::from(query.figure), query.range()?);
    export(&app, caller.scope, entries, format, HEAD).await
}

impl EntriesQuery {
    /// The entries that a figure sums.
    pub fn of(figure: FigureName, entries: &Range<i64>) -> Self {
        let (from_sequence, to_sequence) = (Some(entries.start), Some(entries.end));
        Self { figure, from_sequence, to_sequence, limit: None, cursor: None }
    }

    /// Validates the bounds.
    pub fn range(&self) -> Result<EntryRange> {
        let Range { start: first, end } = between(self.from_sequence, self.to_sequence)?;
        let before = read_cursor(self.cursor.as_deref(), |bytes| {
            std::str::from_utf8(bytes).ok()?.parse::<i64>().ok()
        })?;
        let page = first..before.map_or(end, |before| before.min(end));
        Ok(EntryRange { whole: first..end, page })
    }

    /// The entries before one.
    #[must_use]
    pub fn after(&self, sequence: i64) -> Self {
        let cursor = Some(URL_SAFE_NO_PAD.encode(sequence.to_string()));
        Self { cursor, ..self.clone() }
    }

    /// The same from the last entry on.
    #[must_use]
    pub fn from_start(&self) -> Self {
        Self { cursor: None, ..self.clone() }
    }

    /// The address of a list of these entries.
    pub fn url(&self, list: &str) -> String {
        let number = |name: &str, bound: Option<i64>| {
            bound.map(|bound| format!("&{name}={bound}")).unwrap_or_default()
        };
        let cursor = self.cursor.as_ref().map(|cursor| format!("&cursor={cursor}"));
        format!(
            "{list}?figure={}{}{}{}",
            self.figure.name(),
            number("fromSequence", self.from_sequence),
            number("toSequence", self.to_sequence),
            cursor.unwrap_or_default()
        )
    }
}

impl ExportQuery {
    /// Validates the bounds.
    pub fn range(&self) -> Result<Range<i64>> {
        between(self.from_sequence, self.to_sequence)
    }
}

impl FigureName {
    /// The name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sold => "sold",
            Self::Refunded => "refunded",
            Self::ChargedBack => "chargedBack",
            Self::Fees => "fees",
        }
    }
}

/// The entries from one to another.
fn between(from: Option<i64>, to: Option<i64>) -> Result<Range<i64>> {
    let first = sequence("fromSequence", from)?.unwrap_or(0);
    let end = sequence("toSequence", to)?.unwrap_or(i64::MAX);
    Ok(first..end)
}

fn sequence(field: &'static str, given: Option<i64>) -> Result<Option<i64>> {
    if given.is_some_and(|sequence| sequence < 0) {
        return Err(Error::field(field, "OUT_OF_RANGE", "must be at least 0"));
    }
    Ok(given)
}

impl From<FigureName> for Flow {
    fn from(name: FigureName) -> Self {
        match name {
            FigureName::Sold => Self::Sold,
            FigureName::Refunded => Self::Refunded,
            FigureName::ChargedBack => Self::ChargedBack,
            FigureName::Fees => Self::Fees,
        }
    }
}

impl DailyFigures {
    fn new(Day { money, payments }: &Day) -> Result<Self> {
        let period = Period { from: money.day, to: money.day };
        let figures = FigureSet::new(&money.entries, money.money, period, payments)?;
        Ok(Self { date: money.day.to_string(), figures })
    }
}

impl FigureSet {
    fn new(
        entries: &Range<i64>,
        money: Turnover,
        period: Period,
        payments: &ByMethod,
    ) -> Result<Self> {
        let sum = |name, value: Cents| {
            let list_url = EntriesQuery::of(name, entries).url(ENTRIES);
            Figure { value: value.get(), list_url }
        };
        let TimeRange { from, to } = period.instants();
        let count = |method: Method, value: i64, more: &str| {
            let list_url = format!(
                "/api/v1/transactions?method={}&createdFrom={from}&createdTo={to}{more}",
                method.name()
            );
            Figure { value, list_url }
        };
        let methods = METHODS.into_iter().zip(payments).map(|(method, counted)| MethodFigures {
            method,
            issued: count(method, counted.issued, ""),
            paid: count(method, counted.paid, "&paid=true"),
        });
        Ok(Self {
            sold: sum(FigureName::Sold, money.sold),
            refunded: sum(FigureName::Refunded, money.refunded),
            charged_back: sum(FigureName::ChargedBack, money.charged_back),
            fees: sum(FigureName::Fees, money.fees),
            net_cents: money.net()?,
            methods: methods.collect(),
        })
    }
}

impl From<Entry> for EntryView {
    fn from(entry: Entry) -> Self {
        Self {
            sequence: entry.sequence,
            amount_cents: entry.amount,
            subject_id: entry.subject,
            created_at: entry.at,
        }
    }
}
