//! Static texts that change only with the version: rendered and compressed once, with an entity
//! tag, so that a client that has the current one gets a 304.

use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use http::{HeaderMap, StatusCode, header};

use crate::platform::http::gzip;
use crate::platform::secrets::sha256;

/// Caching of a text whose URL changes with each version.
pub const FOR_EVER: &str = "public, max-age=31536000, immutable";
/// Caching of a text whose URL stays: the browser revalidates it each time.
pub const UNTIL_ASKED: &str = "no-cache";

/// A text in both encodings.
pub struct PrecompressedText {
    /// Identifies the version.
    pub hash: String,
    pub plain: Bytes,
    pub gzip: Bytes,
}

impl PrecompressedText {
    /// Compresses a text.
    pub fn new(text: String) -> Self {
        let hash = short_hash(&text);
        Self { hash, gzip: gzip::compress(text.as_bytes()).into(), plain: text.into() }
    }

    /// Weak, because the plain and the compressed body share it.
    pub fn etag(&self) -> String {
        format!("W/\"{}\"", self.hash)
    }

    /// Responds with the accepted encoding, or with 304 Not Modified.
    pub fn respond(
        &self,
        request: &HeaderMap,
        content_type: &'static str,
        caching: &'static str,
    ) -> Response {
        let etag = self.etag();
        let lasting = [
            (header::CACHE_CONTROL, caching),
            (header::ETAG, etag.as_str()),
            (header::VARY, "accept-encoding"),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        ];
        if is_known(request, &etag) {
            return (StatusCode::NOT_MODIFIED, lasting).into_response();
        }
        let content_type = [(header::CONTENT_TYPE, content_type)];
        if gzip::is_accepted(request) {
            let encoding = [(header::CONTENT_ENCODING, "gzip")];
            return (lasting, content_type, encoding, self.gzip.clone()).into_response();
        }
        (lasting, content_type, self.plain.clone()).into_response()
    }
}

/// Whether the client already has this version.
fn is_known(request: &HeaderMap, etag: &str) -> bool {
    let lines = request.get_all(header::IF_NONE_MATCH).into_iter();
    let lines = lines.filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).any(|item| item.trim() == etag)
}

fn short_hash(text: &str) -> String {
    let hash = sha256(text.as_bytes());
    let first = hash.first_chunk().expect("a SHA-256 has 32 bytes");
    format!("{:016x}", u64::from_be_bytes(*first))
}

#[cfg(test)]
mod tests {
    use super::short_hash;

    #[test]
    fn a_hash_is_the_beginning_of_a_sha_256() {
        assert_eq!(short_hash("abc"), "ba7816bf8f01cfea");
        assert_ne!(short_hash("abc"), short_hash("abd"));
    }
}
