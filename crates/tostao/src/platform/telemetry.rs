//! What the running server reports to its operator: log lines and metrics.
//!
//! Logs hold ids, routes, statuses and durations. Keys, tokens, documents and bodies have types
//! that do not print, so no filter stands between them and a log file. Metric labels come from
//! fixed lists and from the names of connections, never from what a client sent.

use std::io::IsTerminal;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use clap::ValueEnum;
use connectors::report;
use metrics::{counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::{FilterExt, Targets};
use tracing_subscriber::layer::{Filter, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, Registry, fmt};

/// The target of lines that must be kept as a record; no filter keeps them out of the log.
pub const AUDIT: &str = "audit";

const HTTP_REQUESTS: &str = "http_requests_total";
const HTTP_SECONDS: &str = "http_request_seconds";
const CONNECTIONS_REFUSED: &str = "http_connections_refused_total";
const RATE_LIMITED: &str = "rate_limited_total";
const PAYMENTS: &str = "payments_total";
const WITHDRAWALS: &str = "withdrawals_total";
const REFUNDS: &str = "refunds_total";
const ORDERS_WAITING: &str = "bank_orders_waiting";
const ORDER_WAITS_SECONDS: &str = "bank_order_waits_seconds";
const UNMATCHED_PAYMENTS: &str = "unmatched_payments";
const NOTICES: &str = "connection_notices_total";
const RECONCILED: &str = "connection_payments_total";
const DIFFERENCES: &str = "connection_differences";
const UNUSABLE: &str = "connection_unusable";
const BALANCE_DRIFT: &str = "connection_balance_drift_cents";
const PAYOUTS_SHORT: &str = "connection_payouts_short_total";
const LEFT_ALONE: &str = "connection_breaker_open";
const RECONCILIATION_LAG: &str = "connection_reconciliation_lag_seconds";
const CERTIFICATE_SECONDS: &str = "connection_certificate_expires_seconds";
const WEBHOOK_DELIVERIES: &str = "webhook_deliveries_total";
const WEBHOOK_SECONDS: &str = "webhook_delivery_seconds";
const MAILS: &str = "mails_total";
const MAILS_WAITING: &str = "mails_waiting";
const MAIL_WAITS_SECONDS: &str = "mail_waits_seconds";
const JOBS_WAITING: &str = "jobs_waiting";
const JOBS_LATE_SECONDS: &str = "jobs_late_seconds";
const LEDGER_IMBALANCE: &str = "ledger_imbalance_cents";
const LEDGERS_UNSOUND: &str = "ledgers_unsound";
const REQUEST_LOG_DROPPED: &str = "request_log_dropped_total";

/// Every metric.
const METRICS: &[Metric] = &[
    Metric(Kind::Counter, HTTP_REQUESTS, "Responses, by method, route and status."),
    Metric(Kind::Seconds(REQUEST_BUCKETS), HTTP_SECONDS, "Duration of requests, by route."),
    Metric(Kind::Counter, CONNECTIONS_REFUSED, "Refused connections of addresses with too many."),
    Metric(Kind::Counter, RATE_LIMITED, "Requests refused by a rate limit, by zone."),
    Metric(Kind::Counter, PAYMENTS, "Payments that reached a status, by method and status."),
    Metric(Kind::Counter, WITHDRAWALS, "Finished withdrawals, by outcome."),
    Metric(Kind::Counter, REFUNDS, "Finished refunds and returns, by outcome."),
    Metric(Kind::Gauge, ORDERS_WAITING, "Orders at a provider without a result, by kind and mode."),
    Metric(
        Kind::Gauge,
        ORDER_WAITS_SECONDS,
        "Age of the oldest order without a result, by kind and mode.",
    ),
    Metric(
        Kind::Gauge,
        UNMATCHED_PAYMENTS,
        "Unknown payments that wait for an administrator, by mode.",
    ),
    Metric(Kind::Counter, NOTICES, "Notices of banks and acquirers, by connection and outcome."),
    Metric(
        Kind::Counter,
        RECONCILED,
        "Payments that connections reported, by kind, source and whether they were new.",
    ),
    Metric(Kind::Gauge, DIFFERENCES, "Differences that wait for an administrator."),
    Metric(
        Kind::Counter,
        report::REQUESTS,
        "Calls to banks and acquirers, by connection, operation and outcome.",
    ),
    Metric(
        Kind::Seconds(REQUEST_BUCKETS),
        report::SECONDS,
        "Duration of calls to banks and acquirers, by connection and operation.",
    ),
    Metric(
        Kind::Counter,
        report::TOKENS,
        "Requests for an access token, by connection and outcome.",
    ),
    Metric(Kind::Gauge, UNUSABLE, "1 while this server cannot use a stored connection."),
    Metric(
        Kind::Gauge,
        BALANCE_DRIFT,
        "What a connection's balance has that neither the ledger nor a note explains.",
    ),
    Metric(
        Kind::Counter,
        PAYOUTS_SHORT,
        "Payouts that waited because the account had less, by connection.",
    ),
    Metric(Kind::Gauge, LEFT_ALONE, "1 while a connection that kept failing is left alone."),
    Metric(
        Kind::Gauge,
        RECONCILIATION_LAG,
        "How long ago a connection's list was last read to its end, by connection and list.",
    ),
    Metric(
        Kind::Gauge,
        CERTIFICATE_SECONDS,
        "How long a connection's certificate is still valid, by connection.",
    ),
    Metric(Kind::Counter, WEBHOOK_DELIVERIES, "Attempts to deliver an event, by outcome."),
    Metric(Kind::Seconds(WEBHOOK_BUCKETS), WEBHOOK_SECONDS, "Duration of deliveries."),
    Metric(Kind::Counter, MAILS, "Attempts to hand over a mail, by outcome."),
    Metric(Kind::Gauge, MAILS_WAITING, "Mails that no SMTP server has accepted yet."),
    Metric(Kind::Gauge, MAIL_WAITS_SECONDS, "Age of the oldest mail that waits."),
    Metric(Kind::Gauge, JOBS_WAITING, "Waiting jobs, due or not, by lane."),
    Metric(Kind::Gauge, JOBS_LATE_SECONDS, "Waiting time of the oldest due job, by lane."),
    Metric(Kind::Gauge, LEDGER_IMBALANCE, "The sum of all balances, which must be zero."),
    Metric(
        Kind::Gauge,
        LEDGERS_UNSOUND,
        "Merchants' ledgers in which a full proof found a fault, or did not end in two days.",
    ),
    Metric(Kind::Counter, REQUEST_LOG_DROPPED, "Requests that are missing in the request log."),
];

const REQUEST_BUCKETS: &[f64] =
    &[0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];
const WEBHOOK_BUCKETS: &[f64] = &[0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 15.0, 30.0];

/// A metric's kind, name and description.
struct Metric(Kind, &'static str, &'static str);

#[derive(Debug, Clone, Copy)]
enum Kind {
    Counter,
    Gauge,
    Seconds(&'static [f64]),
}

/// Reads the metrics.
#[derive(Debug, Clone)]
pub struct MetricsHandle(PrometheusHandle);

impl MetricsHandle {
    /// Renders all metrics as Prometheus text.
    pub fn render(&self) -> String {
        self.0.render()
    }

    /// Aggregates observations, which must happen periodically even if the metrics are not scraped.
    pub fn run_upkeep(&self) {
        self.0.run_upkeep();
    }
}

/// The format of a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    Text,
    Json,
}

impl LogFormat {
    /// The format that is set, or the usual one: text on a terminal, otherwise JSON.
    pub fn or_usual(set: Option<Self>) -> Self {
        let usual = if std::io::stderr().is_terminal() { Self::Text } else { Self::Json };
        set.unwrap_or(usual)
    }
}

/// Starts to log to standard error: text on a terminal, otherwise one JSON object per line.
pub fn init_logging(filter: &str, format: Option<LogFormat>) -> anyhow::Result<()> {
    start_logging(log_filter(filter, AuditLines::Always)?, format)
}

/// The same for a demo, whose story audit lines would cut.
pub fn init_demo_logging(filter: &str, format: Option<LogFormat>) -> anyhow::Result<()> {
    start_logging(log_filter(filter, AuditLines::AsFiltered)?, format)
}

fn start_logging(
    filter: impl Filter<Registry> + Send + Sync + 'static,
    format: Option<LogFormat>,
) -> anyhow::Result<()> {
    let terminal = std::io::stderr().is_terminal();
    let lines = fmt::layer().with_writer(std::io::stderr);
    let lines = match LogFormat::or_usual(format) {
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
        // The layer honors the usual variable against colors, but does not know whether it writes
        // to a terminal.
        LogFormat::Text if terminal => lines.boxed(),
        LogFormat::Text => lines.with_ansi(false).boxed(),
    };
    let subscriber = tracing_subscriber::registry().with(lines.with_filter(filter));
    subscriber.try_init().context("logging is already set up")
}

/// Starts to record metrics; until then, recording costs next to nothing.
pub fn install_metrics() -> anyhow::Result<MetricsHandle> {
    let handle = builder()?.install_recorder().map_err(|error| anyhow!(error))?;
    describe();
    Ok(MetricsHandle(handle))
}

/// Counts a served request; `route` is the route's pattern, never the path.
pub fn request_served(method: &str, route: &str, status: u16, seconds: f64) {
    let method = known_method(method);
    // Shared by the keys of both metrics, which would each copy a string.
    let (route, status) = (Arc::<str>::from(route), status.to_string());
    histogram!(HTTP_SECONDS, "route" => route.clone()).record(seconds);
    counter!(HTTP_REQUESTS, "method" => method, "route" => route, "status" => status).increment(1);
}

/// Counts requests that could not be logged.
pub fn request_log_dropped(count: usize) {
    counter!(REQUEST_LOG_DROPPED).increment(u64::try_from(count).unwrap_or(u64::MAX));
}

/// Counts a connection that was closed because its address had too many.
pub fn connection_refused() {
    counter!(CONNECTIONS_REFUSED).increment(1);
}

/// Counts a request that a rate limit refused.
pub fn rate_limited(zone: &'static str) {
    counter!(RATE_LIMITED, "zone" => zone).increment(1);
}

/// Counts a payment that reached a status.
pub fn payment_reached(method: &'static str, status: &'static str) {
    counter!(PAYMENTS, "method" => method, "status" => status).increment(1);
}

/// Counts a withdrawal that reached its final status at a bank.
pub fn withdrawal_ended(outcome: &'static str) {
    counter!(WITHDRAWALS, "outcome" => outcome).increment(1);
}

/// Counts a refund or a return that ended.
pub fn refund_ended(outcome: &'static str) {
    counter!(REFUNDS, "outcome" => outcome).increment(1);
}

/// Reports how many orders of a kind wait for their bank's final answer, and how long the oldest
/// has waited.
pub fn orders_waiting(kind: &'static str, mode: &'static str, count: i64, longest: Duration) {
    gauge!(ORDERS_WAITING, "kind" => kind, "mode" => mode).set(shown(count));
    gauge!(ORDER_WAITS_SECONDS, "kind" => kind, "mode" => mode).set(longest.as_secs_f64());
}

/// Reports how many unmatched payments wait for an administrator.
pub fn unmatched_payments(mode: &'static str, open: i64) {
    gauge!(UNMATCHED_PAYMENTS, "mode" => mode).set(shown(open));
}

/// Counts what became of a connection's notice.
pub fn notice(connection: &str, outcome: &'static str) {
    counter!(NOTICES, "connection" => connection.to_owned(), "outcome" => outcome).increment(1);
}

/// Counts a payment that a connection reported.
pub fn reconciled(connection: &str, kind: &'static str, source: &'static str, known: &'static str) {
    counter!(
        RECONCILED,
        "connection" => connection.to_owned(),
        "kind" => kind,
        "source" => source,
        "payment" => known
    )
    .increment(1);
}

/// Counts a payout that waits because its account has less.
pub fn payout_short(connection: &str) {
    counter!(PAYOUTS_SHORT, "connection" => connection.to_owned()).increment(1);
}

/// Reports what a connection's balance has that nothing explains.
pub fn balance_drift(connection: &str, cents: i64) {
    gauge!(BALANCE_DRIFT, "connection" => connection.to_owned()).set(shown(cents));
}

/// Reports whether this server cannot use a stored connection.
pub fn unusable(connection: &str, is_unusable: bool) {
    let unusable = if is_unusable { 1.0 } else { 0.0 };
    gauge!(UNUSABLE, "connection" => connection.to_owned()).set(unusable);
}

/// Reports how many differences wait for an administrator.
pub fn differences(open: i64) {
    gauge!(DIFFERENCES).set(shown(open));
}

/// Reports how long a connection's certificate is still valid.
pub fn certificate_expires(connection: &str, left: Duration) {
    gauge!(CERTIFICATE_SECONDS, "connection" => connection.to_owned()).set(left.as_secs_f64());
}

/// Reports whether a connection is left alone because it kept failing.
pub fn left_alone(connection: &str, is_left_alone: bool) {
    let open = if is_left_alone { 1.0 } else { 0.0 };
    gauge!(LEFT_ALONE, "connection" => connection.to_owned()).set(open);
}

/// Reports how far behind the reading of a connection's list is.
pub fn reconciliation_lag(connection: &str, list: &str, lag: Duration) {
    let (connection, list) = (connection.to_owned(), list.to_owned());
    gauge!(RECONCILIATION_LAG, "connection" => connection, "list" => list).set(lag.as_secs_f64());
}

/// Counts an attempt to deliver an event.
pub fn webhook_delivered(outcome: &'static str, seconds: f64) {
    counter!(WEBHOOK_DELIVERIES, "outcome" => outcome).increment(1);
    histogram!(WEBHOOK_SECONDS).record(seconds);
}

/// Counts an attempt to hand a mail to the SMTP server.
pub fn mail_attempted(outcome: &'static str) {
    counter!(MAILS, "outcome" => outcome).increment(1);
}

/// Reports how many mails wait, and how long the oldest one has.
pub fn mails_waiting(count: i64, longest: Duration) {
    gauge!(MAILS_WAITING).set(shown(count));
    gauge!(MAIL_WAITS_SECONDS).set(longest.as_secs_f64());
}

/// Reports how many jobs wait in a lane, and how long the oldest due one has waited.
pub fn jobs_waiting(lane: &str, count: i64, oldest: Duration) {
    gauge!(JOBS_WAITING, "lane" => lane.to_owned()).set(shown(count));
    gauge!(JOBS_LATE_SECONDS, "lane" => lane.to_owned()).set(oldest.as_secs_f64());
}

/// Reports the sum of all balances.
pub fn ledger_imbalance(cents: i64) {
    gauge!(LEDGER_IMBALANCE).set(shown(cents));
}

/// Reports of how many merchants' ledgers a proof found a fault, or does not end.
pub fn unsound_ledgers(count: i64) {
    gauge!(LEDGERS_UNSOUND).set(shown(count));
}

/// Refuses an invalid log filter.
pub fn check_filter(filter: &str) -> anyhow::Result<()> {
    log_filter(filter, AuditLines::Always).map(drop)
}

/// Whether audit lines are written whatever the filter is.
#[derive(Clone, Copy)]
enum AuditLines {
    Always,
    AsFiltered,
}

/// The lines that are logged: those that the operator wants, and the audit lines.
fn log_filter(filter: &str, audit: AuditLines) -> anyhow::Result<impl Filter<Registry> + use<>> {
    let wanted = targets(filter).with_context(|| {
        format!("`{filter}` is not a log filter, such as `info` or `info,tostao=debug`")
    })?;
    let always = match audit {
        AuditLines::Always => LevelFilter::INFO,
        AuditLines::AsFiltered => LevelFilter::OFF,
    };
    Ok(wanted.or(Targets::new().with_target(AUDIT, always)))
}

/// Levels, each for all targets or for one.
fn targets(filter: &str) -> anyhow::Result<Targets> {
    let parts: Vec<&str> =
        filter.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
    for part in &parts {
        let is_level = part.parse::<LevelFilter>().is_ok();
        let has_level = part.split_once('=').is_some_and(|(_, level)| !level.is_empty());
        // The parser takes a mistyped level for a target that logs everything, and whatever
        // precedes `=` for a target's name, which may match nothing.
        let is_name = |c: char| c.is_ascii_alphanumeric() || "_:-.=".contains(c);
        let is_target = has_level && part.chars().all(is_name);
        if !is_level && !is_target {
            bail!("`{part}` is neither a level nor a target with a level");
        }
    }
    if parts.is_empty() {
        bail!("it has no level; `off` logs nothing but the audit lines");
    }
    Ok(parts.join(",").parse()?)
}

fn builder() -> anyhow::Result<PrometheusBuilder> {
    let mut builder = PrometheusBuilder::new();
    for Metric(kind, name, _) in METRICS {
        if let Kind::Seconds(buckets) = kind {
            let name = Matcher::Full((*name).to_owned());
            builder = builder.set_buckets_for_metric(name, buckets)?;
        }
    }
    Ok(builder)
}

fn describe() {
    for Metric(kind, name, meaning) in METRICS {
        match kind {
            Kind::Counter => describe_counter!(*name, *meaning),
            Kind::Gauge => describe_gauge!(*name, *meaning),
            Kind::Seconds(_) => describe_histogram!(*name, *meaning),
        }
    }
}

/// A client may invent methods, and every label is kept until the process ends.
fn known_method(method: &str) -> &'static str {
    const KNOWN: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
    KNOWN.into_iter().find(|known| *known == method).unwrap_or("other")
}

#[expect(clippy::cast_precision_loss, reason = "a number for a graph, which nothing is paid by")]
fn shown(number: i64) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests;
