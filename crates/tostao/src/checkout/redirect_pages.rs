//! Where the refused forms of buyers lead back to.
//!
//! A refused form is shown under the URL that it was posted to. A GET of that URL, as the link to
//! the other language sends, has nothing to post. The page of the form is that of the link; a
//! payment without a link has only its own page, which its token opens.

use axum::extract::Request;
use axum::response::Response;
use http::Uri;

use crate::app::App;
use crate::checkout::pages::Token;
use crate::platform::http::html::{posted, see};
use crate::platform::messages::Lang;
use crate::transactions::status_token;
use crate::transactions::terms::NO_LINK;

/// GET /pay/{slug}/t/{id}/renew
pub async fn from_renewal(address: Uri) -> Response {
    let form = form_page(address.path());
    match address.query() {
        Some(query) => see(&format!("{form}?{query}")),
        None => see(form),
    }
}

/// The address that the form of another site leads back to; it is read for its token alone.
pub async fn from_foreign(app: &App, form: Request) -> String {
    let path = form.uri().path().to_owned();
    let page = form_page(&path);
    if is_without_link(&path)
        && let Ok(Token { token }) = posted(form).await
        && status_token::read(&app.secrets, &token).is_some()
    {
        return format!("{page}?token={token}");
    }
    page.to_owned()
}

/// The link to the other language on the page of a refused renewal.
pub fn other_language(slug: &str, token: &str, lang: Lang) -> String {
    let tag = lang.other().tag();
    if slug == NO_LINK { format!("?token={token}&lang={tag}") } else { format!("?lang={tag}") }
}

/// The path of the page that leads to a form's path.
fn form_page(path: &str) -> &str {
    // `/pay/-/t/{id}`, or `/pay/{slug}`.
    let parts = if is_without_link(path) { 4 } else { 2 };
    path.match_indices('/').nth(parts).map_or(path, |(end, _)| &path[..end])
}

fn is_without_link(path: &str) -> bool {
    path.starts_with(&format!("/pay/{NO_LINK}/t/"))
}
