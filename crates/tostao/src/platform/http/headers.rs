//! Reads request headers that may occur once.

use http::HeaderMap;

/// A header that is repeated, or is not text.
#[derive(Debug)]
pub struct RepeatedHeader;

/// The value of a header that may occur at most once.
pub fn only<'a>(
    headers: &'a HeaderMap,
    name: &str,
) -> std::result::Result<Option<&'a str>, RepeatedHeader> {
    let mut lines = headers.get_all(name).into_iter();
    match (lines.next(), lines.next()) {
        (None, _) => Ok(None),
        (Some(line), None) => line.to_str().map(Some).map_err(|_| RepeatedHeader),
        (Some(_), Some(_)) => Err(RepeatedHeader),
    }
}
