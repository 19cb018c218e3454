//! The paths of Efí's API Cobranças.

use super::{notification, requests};
use crate::call::{Answer, Call};
use crate::efi::token;
use crate::route::{Access, Dialect, Handler, Route};
use crate::world::World;

const TOKEN_LIVES_FOR_SECONDS: i64 = 600;

pub fn find(method: &str, path: &[&str]) -> Option<Route> {
    let scoped = |operation, handle: Handler| {
        Some(Route::new(operation, Dialect::Cobrancas, Access::Scope(""), handle))
    };
    match (method, path) {
        ("POST", ["v1", "authorize"]) => {
            Some(Route::new("cobrancas.token", Dialect::Cobrancas, Access::Open, authorize))
        }
        ("POST", ["v1", "charge", "one-step"]) => scoped("cobrancas.create", requests::create),
        ("GET", ["v1", "charge", _]) => scoped("cobrancas.get", requests::get),
        ("GET", ["v1", "charges"]) => scoped("cobrancas.list", requests::list),
        ("PUT", ["v1", "charge", _, "cancel"]) => scoped("cobrancas.cancel", requests::cancel),
        ("PUT", ["v1", "charge", _, "settle"]) => scoped("cobrancas.settle", requests::settle),
        ("PUT", ["v1", "charge", _, "metadata"]) => {
            scoped("cobrancas.metadata", requests::metadata)
        }
        ("GET", ["v1", "notification", _]) => scoped("cobrancas.notification", notification::get),
        _ => None,
    }
}

/// The token names no scopes.
fn authorize(world: &mut World, call: &Call) -> Answer {
    token::grant(world, call, Dialect::Cobrancas, TOKEN_LIVES_FOR_SECONDS, "")
}
