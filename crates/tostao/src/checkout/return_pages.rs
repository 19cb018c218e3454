//! Ways back from an address that only a form is posted to.
//!
//! A refusal is shown under the address of the form that was refused. Whoever asks for that page
//! again, as the link to the other language does, has nothing to post.

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
