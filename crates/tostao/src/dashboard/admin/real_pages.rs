//! Pages about what exists in production alone.

use axum::response::Response;

use crate::auth::seat::AdminSeat;
use crate::dashboard::shell::admin_url;
use crate::platform::error::{Error, Result};
use crate::platform::http::html::see;
use crate::platform::ids::Mode;

/// Leads from a page of development to the same one of production.
pub fn to_production(seat: &AdminSeat, path: &str) -> Option<Response> {
    seat.mode.is_development().then(|| see(&admin_url(Mode::Production, path)))
}

/// Refuses a form of development.
pub fn expect_real(seat: &AdminSeat) -> Result<()> {
    if seat.mode.is_development() { Err(Error::NotFound("Page")) } else { Ok(()) }
}
