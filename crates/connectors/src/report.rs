//! What is logged and counted of a call to a provider.

use metrics::{counter, histogram};
use upstream::call::Report;
use upstream::client::Client;

/// Counts calls, by connection, operation and outcome.
pub const REQUESTS: &str = "connection_requests_total";
/// The duration of calls in seconds, by connection and operation.
pub const SECONDS: &str = "connection_request_seconds";
/// Counts requests for an access token, by connection and outcome.
pub const TOKENS: &str = "connection_token_fetches_total";

/// Logs and counts what became of a call: neither bodies nor addresses, which name people.
pub fn log(client: &Client, report: &Report) {
    let (connection, operation) = (client.name(), report.operation);
    let (outcome, status) = (report.outcome(), report.status);
    let took_ms = u64::try_from(report.elapsed.as_millis()).unwrap_or(u64::MAX);
    match &report.result {
        Ok(_) => tracing::debug!(connection, operation, outcome, status, took_ms),
        Err(failure) => {
            tracing::warn!(connection, operation, outcome, status, took_ms, %failure);
        }
    }
    count(connection, operation, outcome, report.elapsed.as_secs_f64());
}

/// Counts a call.
pub fn count(connection: &str, operation: &'static str, outcome: &'static str, seconds: f64) {
    let name = connection.to_owned();
    counter!(REQUESTS, "connection" => name.clone(), "operation" => operation, "outcome" => outcome)
        .increment(1);
    histogram!(SECONDS, "connection" => name, "operation" => operation).record(seconds);
}

/// Counts a request for a token.
pub fn count_token(connection: &str, outcome: &'static str) {
    counter!(TOKENS, "connection" => connection.to_owned(), "outcome" => outcome).increment(1);
}
