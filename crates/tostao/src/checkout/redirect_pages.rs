//! Redirects from URLs that only accept a posted form.
//!
//! A refused form is shown under the URL that it was posted to. A GET of that URL, as the link to
//! the other language sends, has nothing to post.

use axum::response::Response;
use http::Uri;

use crate::platform::http::html::see;

/// GET /pay/{slug}/t/{id}/renew
pub async fn from_renewal(address: Uri) -> Response {
    let form = address.path().split("/t/").next().unwrap_or_default();
    match address.query() {
        Some(query) => see(&format!("{form}?{query}")),
        None => see(form),
    }
}
