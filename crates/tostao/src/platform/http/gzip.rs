//! Gzip for clients that accept it: whole bodies, and pages that differ in one place.
//!
//! A page that many buyers read is compressed once, although each copy has its own attempt id. Gzip
//! allows that: a stream is a sequence of blocks, a block may hold its bytes uncompressed, and the
//! checksum of the whole follows from the checksums of its parts.

use std::convert::Infallible;
use std::io::Write as _;

use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::response::Response;
use crc32fast::Hasher;
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};
use http::{HeaderMap, HeaderValue, header};
use http_body_util::BodyExt;
use hyper::body::Body as _;

/// Less than this fits one packet either way.
const BYTES_MIN: u64 = 1_024;
/// Compressing more than this would delay other requests.
const BYTES_MAX: u64 = 1_024 * 1_024;
/// The header of a gzip stream without a name, a time or a system.
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
/// A block of uncompressed bytes that is not the last one.
const STORED: u8 = 0;

/// A block holds at most this many uncompressed bytes.
const STORED_MAX: usize = 65_535;
/// The head of such a block, and the checksum and length at the end of a stream.
const STORED_HEAD_BYTES: usize = 5;
const TRAILER_BYTES: usize = 8;

/// A compressed text with a gap for other content.
pub struct GzipTemplate {
    before: Vec<u8>,
    after: Vec<u8>,
    sum_before: Hasher,
    sum_after: Hasher,
    bytes: u32,
}

/// Whether the client accepts gzip.
#[derive(Debug, Clone, Copy)]
pub struct AcceptsGzip(pub bool);

impl GzipTemplate {
    /// Compresses the text on both sides of the gap.
    pub fn new(before: &[u8], after: &[u8]) -> Self {
        let sum = |bytes| {
            let mut sum = Hasher::new();
            sum.update(bytes);
            sum
        };
        Self {
            before: start_of_stream(before),
            after: ended(after),
            sum_before: sum(before),
            sum_after: sum(after),
            bytes: length(before).wrapping_add(length(after)),
        }
    }

    /// The compressed text with these bytes in the gap.
    pub fn with(&self, gap: &[u8]) -> Vec<u8> {
        let mut sum = self.sum_before.clone();
        sum.update(gap);
        sum.combine(&self.sum_after);
        let bytes = self.bytes.wrapping_add(length(gap));
        let frame = HEADER.len() + STORED_HEAD_BYTES + TRAILER_BYTES;
        let mut whole = Vec::with_capacity(frame + self.size() + gap.len());
        whole.extend(HEADER);
        whole.extend(&self.before);
        for block in gap.chunks(STORED_MAX) {
            let [low, high, ..] = block.len().to_le_bytes();
            whole.extend([STORED, low, high, !low, !high]);
            whole.extend(block);
        }
        whole.extend(&self.after);
        whole.extend(sum.finalize().to_le_bytes());
        whole.extend(bytes.to_le_bytes());
        whole
    }

    /// The memory that it takes.
    pub fn size(&self) -> usize {
        self.before.len() + self.after.len()
    }
}

/// Whether a client accepts gzip; `;q=0` refuses it.
pub fn is_accepted(request: &HeaderMap) -> bool {
    let lines = request.get_all(header::ACCEPT_ENCODING).into_iter();
    let lines = lines.filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).any(|item| {
        let (coding, weight) = item.split_once(';').unwrap_or((item, ""));
        let weight = weight.trim().trim_start_matches("q=").trim_end_matches(['0', '.']);
        let refused = item.contains(';') && weight.is_empty();
        coding.trim().eq_ignore_ascii_case("gzip") && !refused
    })
}

impl<S: Send + Sync> FromRequestParts<S> for AcceptsGzip {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self(is_accepted(&parts.headers)))
    }
}

/// Compresses a whole text that will be sent often.
pub fn compress(bytes: &[u8]) -> Vec<u8> {
    gzip(bytes, Compression::best())
}

/// Marks a body as compressed.
pub fn mark(response: &mut Response) {
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
}

/// Compresses a response that is worth it; a stream passes through.
pub async fn compress_response(response: Response) -> Response {
    if !is_worth_it(&response) {
        return response;
    }
    let (parts, body) = response.into_parts();
    // The body is already in memory: its size is known, so this does not wait.
    let Ok(whole) = body.collect().await else {
        return Response::from_parts(parts, Body::empty());
    };
    let body = gzip(&whole.to_bytes(), Compression::fast());
    let mut response = Response::from_parts(parts, body.into());
    response.headers_mut().remove(header::CONTENT_LENGTH);
    mark(&mut response);
    response
}

fn is_worth_it(response: &Response) -> bool {
    let headers = response.headers();
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.unwrap_or_default();
    let is_text = ["text/html", "application/json"].iter().any(|text| kind.starts_with(text));
    let size = response.body().size_hint().exact();
    let fits = size.is_some_and(|size| (BYTES_MIN..=BYTES_MAX).contains(&size));
    is_text && fits && !headers.contains_key(header::CONTENT_ENCODING)
}

fn gzip(bytes: &[u8], level: Compression) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), level);
    encoder.write_all(bytes).expect("memory accepts every write");
    encoder.finish().expect("memory accepts every write")
}

/// Compresses the start of a stream: it ends on a whole byte, and more blocks follow.
fn start_of_stream(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory accepts every write");
    encoder.flush().expect("memory accepts every write");
    encoder.get_ref().clone()
}

/// Compresses the end of a stream, which refers to nothing before it.
fn ended(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory accepts every write");
    encoder.finish().expect("memory accepts every write")
}

/// A length as gzip stores it: modulo four gigabytes.
fn length(bytes: &[u8]) -> u32 {
    let [a, b, c, d, ..] = (bytes.len() as u64).to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use axum::body::Body;
    use axum::response::Response;
    use flate2::read::GzDecoder;
    use http::{HeaderMap, HeaderValue, header};

    use super::{GzipTemplate, compress_response, is_accepted};

    fn opened(gzip: &[u8]) -> String {
        let mut text = String::new();
        GzDecoder::new(gzip).read_to_string(&mut text).expect("is a sound stream");
        text
    }

    #[test]
    fn a_text_with_a_gap_opens_as_the_whole_text() {
        let long = "<p>ação e reação</p>".repeat(4_000);
        for before in ["", "a", "<p>Olá, ", &long] {
            for after in ["", "z", "</p>", &long] {
                let gapped = GzipTemplate::new(before.as_bytes(), after.as_bytes());
                for gap in ["", "x", "0123456789abcdef0123456789abcdef", &"y".repeat(70_000)] {
                    let whole = opened(&gapped.with(gap.as_bytes()));
                    assert!(whole == format!("{before}{gap}{after}"), "{} bytes", whole.len());
                }
            }
        }
    }

    #[test]
    fn a_client_says_what_it_takes() {
        let table = [
            (None, false),
            (Some(""), false),
            (Some("gzip"), true),
            (Some("br, GZIP;q=0.5"), true),
            (Some("gzip;q=1.0, identity"), true),
            (Some("gzip;q=0"), false),
            (Some("gzip;q=0.000"), false),
            (Some("deflate, br"), false),
            (Some("x-gzip2"), false),
        ];
        for (value, accepted) in table {
            let value = value.map(HeaderValue::from_static);
            let headers: HeaderMap =
                value.into_iter().map(|value| (header::ACCEPT_ENCODING, value)).collect();
            assert_eq!(is_accepted(&headers), accepted, "{headers:?}");
        }
    }

    #[tokio::test]
    async fn only_long_texts_that_are_whole_and_plain_are_compressed() {
        let (html, long) = ("text/html; charset=utf-8", "a".repeat(2_000));
        let stream = Body::from_stream(futures_util::stream::iter([Ok::<_, axum::Error>("a")]));
        let table = [
            (html, "identity", Body::from(long.clone()), false),
            (html, "", Body::from(long.clone()), true),
            ("application/json", "", Body::from(long.clone()), true),
            ("image/png", "", Body::from(long.clone()), false),
            ("text/event-stream", "", stream, false),
            (html, "", Body::from("short"), false),
            (html, "", Body::from("a".repeat(1_024 * 1_024 + 1)), false),
        ];
        for (kind, encoding, body, compressed) in table {
            let mut response = Response::new(body);
            response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
            if !encoding.is_empty() {
                let encoding = HeaderValue::from_static(encoding);
                response.headers_mut().insert(header::CONTENT_ENCODING, encoding);
            }
            let response = compress_response(response).await;
            let marked = response.headers().get(header::CONTENT_ENCODING);
            assert_eq!(marked.is_some_and(|is| is == "gzip"), compressed, "{kind} {encoding}");
        }
    }
}
