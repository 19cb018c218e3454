//! The request's body where that is a picture: its type and its size are checked, not its content.

use axum::extract::{FromRequest, Request};
use bytes::Bytes;
use http::header;

use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::body::{BODY_BYTES_MAX, read};
use crate::platform::openapi::describe::Describe;
use crate::platform::openapi::operation::Operation;

/// The type that the API document names: generators of clients know it, unlike those of pictures.
const DOCUMENTED: &str = "application/octet-stream";
/// The types that it may have.
const KINDS: [&str; 3] = ["image/png", "image/jpeg", DOCUMENTED];

/// The bytes of a picture.
#[derive(Debug)]
pub struct ImageBody(pub Bytes);

impl<S: Send + Sync> FromRequest<S> for ImageBody {
    type Rejection = Error;

    async fn from_request(request: Request, _: &S) -> Result<Self> {
        let given = request.headers().get(header::CONTENT_TYPE);
        let given = given.and_then(|value| value.to_str().ok()).unwrap_or_default();
        if !KINDS.iter().any(|kind| given.trim().eq_ignore_ascii_case(kind)) {
            let message = "The body must be a picture, sent as Content-Type: image/png, image/jpeg \
                 or application/octet-stream.";
            return Err(Error::refused(ErrorCode::UnsupportedMediaType, message));
        }
        Ok(Self(read(request, BODY_BYTES_MAX).await?))
    }
}

impl Describe for ImageBody {
    fn describe(operation: &mut Operation) {
        operation.binary_body(DOCUMENTED, "A PNG or a JPEG of at most 64 KiB.");
    }
}
