//! The files of a shop's look: the style sheet of an accent colour, and a logo. They are public.

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use db::tx::Tx;
use http::header;

use crate::app::App;
use crate::merchants::look;
use crate::merchants::look::accent::Accent;
use crate::platform::error::{Error, Result};
use crate::platform::http::path::PathParam;
use crate::platform::http::precompressed::FOR_EVER;

/// Where the router serves [`accent`] and [`logo`].
pub const ACCENT_ROUTE: &str = "/assets/accents/{name}";
pub const LOGO_ROUTE: &str = "/assets/logos/{hash}";

/// A logo is drawn, and runs and loads nothing.
const PICTURE_ALONE: &str = "default-src 'none'; frame-ancestors 'none'; sandbox";
/// How long the hash in an address is.
const HASH_LENGTH: usize = 64;

/// GET /assets/accents/{name}
pub async fn accent(PathParam(name): PathParam<String>) -> Result<Response> {
    let accent = Accent::of_sheet(&name).ok_or(Error::NotFound("File"))?;
    let headers =
        [(header::CONTENT_TYPE, "text/css; charset=utf-8"), (header::CACHE_CONTROL, FOR_EVER)];
    Ok((headers, accent.css()).into_response())
}

/// GET /assets/logos/{hash}
pub async fn logo(State(app): State<App>, PathParam(hash): PathParam<String>) -> Result<Response> {
    let unknown = || Error::NotFound("File");
    if hash.len() != HASH_LENGTH {
        return Err(unknown());
    }
    let found = app.read(async move |tx: &Tx| look::file(tx, &hash).await).await?;
    let file = found.ok_or_else(unknown)?;
    let headers = [
        (header::CONTENT_TYPE, file.format.name()),
        (header::CACHE_CONTROL, FOR_EVER),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CONTENT_SECURITY_POLICY, PICTURE_ALONE),
    ];
    Ok((headers, file.content).into_response())
}
