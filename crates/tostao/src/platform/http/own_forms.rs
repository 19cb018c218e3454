//! Cross-site request forgery: whether a form was posted from a page of another site.

use http::{HeaderMap, header};
use url::Url;

use crate::platform::http::headers::only;

const FETCH_SITE: &str = "sec-fetch-site";

/// Whether a browser says that another site's page posts this form; `own` are our public URLs.
///
/// A browser without fetch metadata names at least the page's origin. A client that names neither
/// is an old browser or a program, and a program has no buyer's cookies to misuse.
pub fn is_foreign(headers: &HeaderMap, own: &[String]) -> bool {
    match (only(headers, FETCH_SITE), only(headers, header::ORIGIN.as_str())) {
        (Ok(Some(site)), _) => !matches!(site, "same-origin" | "none"),
        (Ok(None), Ok(None)) => false,
        (Ok(None), Ok(Some(origin))) => !is_own(origin, headers, own),
        (Err(_), _) | (_, Err(_)) => true,
    }
}

/// Whether an origin is the requested host's, or that of a public URL: a proxy may change the host.
fn is_own(origin: &str, headers: &HeaderMap, own: &[String]) -> bool {
    let Some((_, named)) = origin.split_once("://") else { return false };
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let is_public = |url: &String| {
        Url::parse(url).is_ok_and(|url| url.origin().ascii_serialization() == origin)
    };
    !named.is_empty() && named.eq_ignore_ascii_case(host) || own.iter().any(is_public)
}
