//! The result of one attempt, and what it means for its delivery.

use std::time::Duration;

use outbound::failure::Failure;
use outbound::response::Response;
use outbound::target::Refused;

/// The result of one attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptOutcome {
    pub status: Option<u16>,
    /// A stable error code; `None` if there was no error.
    pub error: Option<&'static str>,
    /// The start of the response body.
    pub excerpt: Option<String>,
    /// The delay that the receiver asked for.
    pub retry_after: Option<Duration>,
    pub took: Duration,
}

use db::text_enum;
text_enum! {
    /// The consequence of an attempt.
    pub enum AttemptResult {
        /// The receiver accepted the event.
        Delivered = "delivered",
        /// The receiver wants no more events, now or later.
        Gone = "gone",
        /// Anything else; to be retried.
        Failed = "failed",
    }
}

impl AttemptOutcome {
    /// Converts the result of the call.
    pub fn of(called: Result<Response, Failure>, took: Duration) -> Self {
        match called {
            Ok(response) => Self::responded(response, took),
            Err(failure) => Self::nothing(failure.code(), took),
        }
    }

    /// A listener says that its program answered with this status, or not at all.
    pub fn reported(
        answer: Result<u16, &'static str>,
        excerpt: Option<String>,
        took: Duration,
    ) -> Self {
        let status = match answer {
            Ok(status) => status,
            Err(error) => return Self::nothing(error, took),
        };
        Self { status: Some(status), error: error_of(status), excerpt, retry_after: None, took }
    }

    /// The URL is refused by a rule that it once passed.
    pub fn refused(_: Refused) -> Self {
        Self::nothing("invalid_url", Duration::ZERO)
    }

    /// The URL or the secret was sealed with a secret that the server no longer has.
    pub fn unreadable() -> Self {
        Self::nothing("unreadable", Duration::ZERO)
    }

    /// The consequence.
    pub fn verdict(&self) -> AttemptResult {
        match (self.error, self.status) {
            (None, _) => AttemptResult::Delivered,
            (Some(_), Some(410)) => AttemptResult::Gone,
            (Some(_), _) => AttemptResult::Failed,
        }
    }

    fn responded(response: Response, took: Duration) -> Self {
        let asked = response.retry_after_seconds.map(Duration::from_secs);
        Self {
            status: Some(response.status),
            error: error_of(response.status),
            excerpt: Some(response.excerpt).filter(|text| !text.is_empty()),
            retry_after: asked.filter(|_| matches!(response.status, 429 | 503)),
            took,
        }
    }

    fn nothing(code: &'static str, took: Duration) -> Self {
        Self { status: None, error: Some(code), excerpt: None, retry_after: None, took }
    }
}

/// Whether a status accepts the event.
pub fn is_accepted(status: u16) -> bool {
    (200..300).contains(&status)
}

/// The code of a status that does not accept the event.
fn error_of(status: u16) -> Option<&'static str> {
    match status {
        _ if is_accepted(status) => None,
        300..=399 => Some("redirect"),
        _ => Some("status"),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use outbound::failure::Failure;
    use outbound::response::Response;

    use super::{AttemptOutcome, AttemptResult};

    fn answered(status: u16) -> AttemptOutcome {
        let response = Response {
            status,
            retry_after_seconds: Some(60),
            location: None,
            excerpt: String::new(),
            duration: Duration::ZERO,
        };
        AttemptOutcome::of(Ok(response), Duration::from_millis(20))
    }

    #[test]
    fn only_a_2xx_delivers_and_only_410_ends_the_subscription() {
        let minute = Some(Duration::from_mins(1));
        let table = [
            (200, AttemptResult::Delivered, None, None),
            (204, AttemptResult::Delivered, None, None),
            (299, AttemptResult::Delivered, None, None),
            (301, AttemptResult::Failed, Some("redirect"), None),
            (308, AttemptResult::Failed, Some("redirect"), None),
            (400, AttemptResult::Failed, Some("status"), None),
            (404, AttemptResult::Failed, Some("status"), None),
            (410, AttemptResult::Gone, Some("status"), None),
            (429, AttemptResult::Failed, Some("status"), minute),
            (500, AttemptResult::Failed, Some("status"), None),
            (503, AttemptResult::Failed, Some("status"), minute),
        ];
        for (status, verdict, error, retry_after) in table {
            let outcome = answered(status);
            assert_eq!(outcome.verdict(), verdict, "{status}");
            assert_eq!((outcome.error, outcome.retry_after), (error, retry_after), "{status}");
        }
    }

    #[test]
    fn no_answer_is_a_failure_with_its_reason() {
        let outcome = AttemptOutcome::of(Err(Failure::Timeout), Duration::from_secs(10));
        assert_eq!(outcome.verdict(), AttemptResult::Failed);
        assert_eq!((outcome.error, outcome.status), (Some("timeout"), None));
    }
}
