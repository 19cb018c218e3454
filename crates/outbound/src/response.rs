//! A called server's response, cut to the part that is stored.

use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use http::header::{DATE, HeaderName, LOCATION, RETRY_AFTER};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;

use crate::failure::Failure;

/// How much of the body is stored for display.
const EXCERPT_BYTES: usize = 1_024;

/// A response of any status: the caller decides which are a success.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    pub status: u16,
    /// The server's `Retry-After`.
    pub retry_after_seconds: Option<u64>,
    /// Where a redirect, which is not followed, leads.
    pub location: Option<String>,
    /// The first 1024 bytes of the body as text; invalid UTF-8 is replaced.
    pub excerpt: String,
    /// From the call to the last byte read.
    pub duration: Duration,
}

/// Reads the body up to a limit and returns its beginning.
///
/// A longer body is not an error; the rest is not read, and dropping it closes the connection.
pub(crate) async fn read_excerpt(mut body: Incoming, limit: usize) -> Result<String, Failure> {
    let mut kept = Vec::new();
    let mut read = 0;
    while read < limit {
        let Some(frame) = body.frame().await else {
            break;
        };
        let frame = frame.map_err(|error| Failure::of(&error))?;
        let Ok(data) = frame.into_data() else {
            continue;
        };
        read += data.len();
        keep(&mut kept, &data);
    }
    Ok(as_text(&kept))
}

/// Parses `Retry-After` in both its forms.
///
/// A date is compared with the server's own `Date`, so that our clock is not involved.
pub(crate) fn retry_after_seconds(headers: &HeaderMap) -> Option<u64> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = value.parse() {
        return Some(seconds);
    }
    let wait = instant(headers, &RETRY_AFTER)?.duration_since(instant(headers, &DATE)?);
    Some(u64::try_from(wait.as_secs()).unwrap_or(0))
}

/// Where a redirect leads.
pub(crate) fn location(headers: &HeaderMap) -> Option<String> {
    headers.get(LOCATION)?.to_str().ok().map(str::to_owned)
}

fn instant(headers: &HeaderMap, name: &HeaderName) -> Option<Timestamp> {
    DateTimeParser::new().parse_timestamp(headers.get(name)?.as_bytes()).ok()
}

fn keep(kept: &mut Vec<u8>, data: &Bytes) {
    let room = EXCERPT_BYTES - kept.len();
    kept.extend_from_slice(&data[..data.len().min(room)]);
}

/// A truncated character is dropped, and NUL is replaced like invalid UTF-8, because databases
/// reject it.
fn as_text(bytes: &[u8]) -> String {
    let whole = match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => &bytes[..error.valid_up_to()],
        _ => bytes,
    };
    String::from_utf8_lossy(whole).replace('\0', "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use http::header::{DATE, HeaderMap, HeaderValue, RETRY_AFTER};

    use super::{as_text, retry_after_seconds};

    #[test]
    fn retry_after_is_read_as_seconds_or_as_a_date_of_the_servers_clock() {
        let now = "Wed, 21 Oct 2026 07:28:00 GMT";
        let rows = [
            ("120", None, Some(120)),
            (" 0 ", None, Some(0)),
            ("Wed, 21 Oct 2026 07:29:30 GMT", Some(now), Some(90)),
            ("Wed, 21 Oct 2026 07:00:00 GMT", Some(now), Some(0)),
            ("Wed, 21 Oct 2026 07:29:30 GMT", None, None),
            ("-1", Some(now), None),
            ("soon", Some(now), None),
            ("99999999999999999999", Some(now), None),
        ];
        for (value, date, expected) in rows {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, HeaderValue::from_static(value));
            if let Some(date) = date {
                headers.insert(DATE, HeaderValue::from_static(date));
            }
            assert_eq!(retry_after_seconds(&headers), expected, "{value}");
        }
    }

    #[test]
    fn any_bytes_become_text_that_a_database_takes() {
        let rows: [(&[u8], &str); 5] = [
            (b"ok", "ok"),
            (b"", ""),
            ("pre\u{e7}o".as_bytes(), "pre\u{e7}o"),
            (b"pre\xc3", "pre"),
            (b"a\0b\xffc", "a\u{fffd}b\u{fffd}c"),
        ];
        for (bytes, expected) in rows {
            assert_eq!(as_text(bytes), expected);
        }
    }
}
