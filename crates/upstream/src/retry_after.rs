//! How long a service asks us to wait.

use std::time::Duration;

use http::HeaderMap;
use http::header::{DATE, HeaderName, RETRY_AFTER};
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;

/// The longest wait that is believed; more of it is a mistake of the service.
const MOST: Duration = Duration::from_secs(24 * 3600);

/// Parses `Retry-After` in both its forms.
///
/// A date is compared with the service's own `Date`, so that our clock is not involved.
pub(crate) fn read(headers: &HeaderMap) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = value.parse() {
        return Some(Duration::from_secs(seconds).min(MOST));
    }
    let wait = instant(headers, &RETRY_AFTER)?.duration_since(instant(headers, &DATE)?);
    Some(Duration::from_secs(u64::try_from(wait.as_secs()).unwrap_or(0)).min(MOST))
}

fn instant(headers: &HeaderMap, name: &HeaderName) -> Option<Timestamp> {
    DateTimeParser::new().parse_timestamp(headers.get(name)?.as_bytes()).ok()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use http::header::{DATE, HeaderMap, HeaderValue, RETRY_AFTER};

    use super::read;

    #[test]
    fn retry_after_is_read_as_seconds_or_as_a_date_of_the_services_clock() {
        let now = "Wed, 21 Oct 2026 07:28:00 GMT";
        let rows = [
            ("120", None, Some(120)),
            (" 0 ", None, Some(0)),
            ("18446744073709551615", None, Some(24 * 3600)),
            ("Wed, 21 Oct 2026 07:29:30 GMT", Some(now), Some(90)),
            ("Wed, 21 Oct 2026 07:00:00 GMT", Some(now), Some(0)),
            ("Wed, 21 Oct 2026 07:29:30 GMT", None, None),
            ("-1", Some(now), None),
            ("soon", Some(now), None),
        ];
        for (value, date, expected) in rows {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, HeaderValue::from_static(value));
            if let Some(date) = date {
                headers.insert(DATE, HeaderValue::from_static(date));
            }
            assert_eq!(read(&headers), expected.map(Duration::from_secs), "{value}");
        }
        assert_eq!(read(&HeaderMap::new()), None);
    }
}
