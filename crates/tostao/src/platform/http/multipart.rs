//! Forms with a file, as browsers post them: `multipart/form-data` of RFC 7578.
//!
//! The body is short and whole before it is read, so nothing here waits or allocates by what a
//! header says. What is written unlike a browser writes it is refused as a whole.

use bytes::Bytes;
use http::{HeaderMap, header};

/// The longest boundary, and the most fields.
const BOUNDARY_LENGTH_MAX: usize = 70;
const PARTS_MAX: usize = 8;

const KIND: &str = "multipart/form-data";

/// A field of a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    pub name: String,
    pub content: Bytes,
}

/// Whether a request has such a form.
pub fn is_sent(headers: &HeaderMap) -> bool {
    boundary(headers).is_some()
}

/// Reads the fields of a form; `None` if it is none.
pub fn parts(headers: &HeaderMap, body: &Bytes) -> Option<Vec<Part>> {
    let mark = format!("\r\n--{}", boundary(headers)?);
    let mut rest = body.strip_prefix(&mark.as_bytes()[2..])?;
    let mut found = Vec::new();
    loop {
        if rest.starts_with(b"--") {
            return Some(found);
        }
        let part = rest.strip_prefix(b"\r\n")?;
        let (head, content) = split(part, b"\r\n\r\n")?;
        let (content, after) = split(content, mark.as_bytes())?;
        if found.len() == PARTS_MAX {
            return None;
        }
        found.push(Part { name: name(head)?, content: body.slice_ref(content) });
        rest = after;
    }
}

/// The text between the fields.
fn boundary(headers: &HeaderMap) -> Option<&str> {
    let given = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    let mut pieces = given.split(';').map(str::trim);
    if !pieces.next()?.eq_ignore_ascii_case(KIND) {
        return None;
    }
    let boundary = pieces.find_map(|piece| piece.strip_prefix("boundary="))?.trim_matches('"');
    (1..=BOUNDARY_LENGTH_MAX).contains(&boundary.len()).then_some(boundary)
}

/// The name of a field, by the lines above its content.
fn name(head: &[u8]) -> Option<String> {
    let lines = str::from_utf8(head).ok()?.split("\r\n");
    let mut fields = lines.filter_map(|line| line.split_once(':'));
    let is_disposition = |field: &str| field.trim().eq_ignore_ascii_case("content-disposition");
    let (_, value) = fields.find(|(field, _)| is_disposition(field))?;
    let mut pieces = value.split(';').map(str::trim);
    if pieces.next()? != "form-data" {
        return None;
    }
    let name = pieces.find_map(|piece| piece.strip_prefix("name=\"")?.strip_suffix('"'))?;
    Some(name.to_owned())
}

/// What is before a mark, and what is after it.
fn split<'a>(bytes: &'a [u8], mark: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let place = bytes.windows(mark.len()).position(|window| window == mark)?;
    Some((&bytes[..place], &bytes[place + mark.len()..]))
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http::{HeaderMap, HeaderValue, header};

    use super::{Part, parts};

    const KIND: &str = "multipart/form-data; boundary=----b1";
    const FORM: &[u8] =
        b"------b1\r\nContent-Disposition: form-data; name=\"attempt\"\r\n\r\nabc\r\n\
        ------b1\r\nContent-Disposition: form-data; name=\"logo\"; filename=\"a; b.png\"\r\n\
        Content-Type: image/png\r\n\r\n\x89PNG\r\n\r\n--\0\r\n------b1--\r\n";

    fn read(kind: &'static str, body: &[u8]) -> Option<Vec<Part>> {
        let headers =
            HeaderMap::from_iter([(header::CONTENT_TYPE, HeaderValue::from_static(kind))]);
        parts(&headers, &Bytes::copy_from_slice(body))
    }

    #[test]
    fn a_form_has_its_fields_and_the_bytes_of_its_file() {
        let found = read(KIND, FORM).expect("is a form");
        let part = |name: &str, content: &'static [u8]| Part {
            name: name.to_owned(),
            content: Bytes::from_static(content),
        };
        assert_eq!(found, [part("attempt", b"abc"), part("logo", b"\x89PNG\r\n\r\n--\0")]);
        assert_eq!(read(KIND, b"------b1--\r\n"), Some(Vec::new()));
    }

    #[test]
    fn what_is_no_such_form_has_no_fields() {
        for kind in [
            "multipart/form-data",
            "multipart/form-data; boundary=",
            "multipart/mixed; boundary=----b1",
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=other",
        ] {
            assert_eq!(read(kind, FORM), None, "{kind}");
        }
        let nameless = b"------b1\r\nContent-Disposition: form-data\r\n\r\nabc\r\n------b1--\r\n";
        for body in [&b""[..], b"abc", &FORM[..FORM.len() - 4], &FORM[..40], nameless] {
            assert_eq!(read(KIND, body), None, "{}", String::from_utf8_lossy(body));
        }
    }
}
