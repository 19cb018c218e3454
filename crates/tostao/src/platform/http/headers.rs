//! Reads request headers that may occur once, and cookies.

use http::{HeaderMap, header};

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

/// The values of a cookie, whatever bytes the other cookies hold; `name` ends with `=`.
pub fn cookies<'a>(headers: &'a HeaderMap, name: &'static str) -> impl Iterator<Item = &'a str> {
    let lines = headers.get_all(header::COOKIE).into_iter();
    let given = lines.flat_map(|line| line.as_bytes().split(|byte| *byte == b';'));
    given.filter_map(move |cookie| {
        let value = cookie.trim_ascii().strip_prefix(name.as_bytes())?;
        std::str::from_utf8(value).ok().filter(|value| value.is_ascii())
    })
}
