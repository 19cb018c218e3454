//! Routes that will go: their responses say since when they are deprecated (RFC 9745), when they
//! end (RFC 8594), and where that is explained.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// Since when a route is deprecated.
pub const DEPRECATION: HeaderName = HeaderName::from_static("deprecation");
/// From when a route may be gone.
pub const SUNSET: HeaderName = HeaderName::from_static("sunset");

/// When a route was deprecated, and when it ends.
#[derive(Debug, Clone, Copy)]
pub struct Deprecation {
    pub since: Date,
    pub sunset: Date,
    /// The page that names what takes its place.
    pub explained_at: &'static str,
}

/// The deprecated operations with the headers of their responses.
pub type Deprecated = Arc<HashMap<(Method, &'static str), HeaderMap>>;

impl Deprecation {
    /// The headers of every response; `None` for a date outside of the calendar.
    pub fn headers(&self) -> Option<HeaderMap> {
        let midnight = |date: Date| date.to_zoned(TimeZone::UTC).ok();
        let since = format!("@{}", midnight(self.since)?.timestamp().as_second());
        let sunset = midnight(self.sunset)?.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string();
        let link = format!("<{}>; rel=\"deprecation\"", self.explained_at);
        let value = |text: &str| HeaderValue::from_str(text).ok();
        Some(HeaderMap::from_iter([
            (DEPRECATION, value(&since)?),
            (SUNSET, value(&sunset)?),
            (header::LINK, value(&link)?),
        ]))
    }
}

/// Adds the headers to the responses of deprecated operations, whatever their status.
pub async fn announce(
    State(deprecated): State<Deprecated>,
    request: Request,
    next: Next,
) -> Response {
    let route = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
    let operation = (request.method(), route);
    let found = deprecated.iter().find(|((method, path), _)| (method, Some(*path)) == operation);
    let headers = found.map(|(_, headers)| headers.clone());
    let mut response = next.run(request).await;
    response.headers_mut().extend(headers.unwrap_or_default());
    response
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::Deprecation;

    #[test]
    fn the_headers_have_the_forms_of_their_standards() {
        let deprecation = Deprecation {
            since: date(2026, 11, 27),
            sunset: date(2027, 5, 31),
            explained_at: "/docs/changelog",
        };
        let headers = deprecation.headers().unwrap();
        let text = |name: &str| headers[name].to_str().unwrap();
        assert_eq!(text("deprecation"), "@1795737600");
        assert_eq!(text("sunset"), "Mon, 31 May 2027 00:00:00 GMT");
        assert_eq!(text("link"), "</docs/changelog>; rel=\"deprecation\"");
    }
}
