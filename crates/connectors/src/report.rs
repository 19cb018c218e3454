//! What is logged of a call to a provider.

use upstream::call::Report;

/// Logs what became of a call: neither bodies nor addresses, which name people.
pub fn log(report: &Report) {
    let (operation, outcome) = (report.operation, report.outcome());
    let took_ms = u64::try_from(report.elapsed.as_millis()).unwrap_or(u64::MAX);
    match &report.result {
        Ok(_) => tracing::debug!(operation, outcome, status = report.status, took_ms),
        Err(failure) => {
            tracing::warn!(operation, outcome, status = report.status, took_ms, %failure);
        }
    }
}
