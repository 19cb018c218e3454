//! Cross-site request forgery: whether a form was posted from a page of our own.

use http::{HeaderMap, header};
use url::Url;

use crate::platform::http::headers::only;

const FETCH_SITE: &str = "sec-fetch-site";

/// Whose page posts a form, as far as the browser says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormSource {
    /// A page of ours.
    Own,
    /// A page of another site, or one that hides which.
    Foreign,
    /// It does not say: an old browser, a program, or a person without a page.
    Unstated,
}

/// Whose page posts a form; `own` are our public URLs.
///
/// A browser without fetch metadata names at least the page's origin.
pub fn source(headers: &HeaderMap, own: &[String]) -> FormSource {
    source_of(headers, |origin| is_public(origin, own))
}

/// Whether a browser says that another site's page posts this form; `own` are our public URLs.
///
/// A client that does not say is an old browser or a program, and a program has no buyer's cookies
/// to misuse. An origin may also be the requested host's, because a proxy may change the host.
pub fn is_foreign(headers: &HeaderMap, own: &[String]) -> bool {
    let is_own = |origin: &str| is_public(origin, own) || is_host(origin, headers);
    source_of(headers, is_own) == FormSource::Foreign
}

fn source_of(headers: &HeaderMap, is_own: impl Fn(&str) -> bool) -> FormSource {
    match (only(headers, FETCH_SITE), only(headers, header::ORIGIN.as_str())) {
        (Ok(Some("same-origin")), Ok(_)) => FormSource::Own,
        (Ok(Some("none")), Ok(_)) | (Ok(None), Ok(None)) => FormSource::Unstated,
        (Ok(None), Ok(Some(origin))) if is_own(origin) => FormSource::Own,
        _ => FormSource::Foreign,
    }
}

fn is_public(origin: &str, own: &[String]) -> bool {
    let is_of = |url: &String| {
        Url::parse(url).is_ok_and(|url| url.origin().ascii_serialization() == origin)
    };
    own.iter().any(is_of)
}

fn is_host(origin: &str, headers: &HeaderMap) -> bool {
    let Some((_, named)) = origin.split_once("://") else { return false };
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    !named.is_empty() && named.eq_ignore_ascii_case(host)
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;

    use super::{FormSource, source};

    #[test]
    fn only_a_page_of_ours_is_own() {
        let own = ["https://pay.example.com".to_owned()];
        let site = |value| ("sec-fetch-site", value);
        let origin = |value| ("origin", value);
        let table: [(&[(&'static str, &'static str)], FormSource); 12] = [
            (&[site("same-origin")], FormSource::Own),
            (&[site("same-origin"), origin("null")], FormSource::Own),
            (&[origin("https://pay.example.com")], FormSource::Own),
            (&[], FormSource::Unstated),
            (&[site("none")], FormSource::Unstated),
            (&[site("same-site")], FormSource::Foreign),
            (&[site("cross-site"), origin("https://pay.example.com")], FormSource::Foreign),
            (&[site("same-origin"), site("cross-site")], FormSource::Foreign),
            (&[origin("null")], FormSource::Foreign),
            (&[origin("http://pay.example.com")], FormSource::Foreign),
            (&[origin("https://pay.example.com.evil.example")], FormSource::Foreign),
            (&[("host", "evil.example"), origin("https://evil.example")], FormSource::Foreign),
        ];
        for (lines, expected) in table {
            let mut headers = HeaderMap::new();
            for (name, value) in lines {
                headers.append(*name, value.parse().expect("is a header's value"));
            }
            assert_eq!(source(&headers, &own), expected, "{lines:?}");
        }
    }
}
