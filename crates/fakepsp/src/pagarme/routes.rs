//! The paths of Pagar.me's API.

use super::{cards, charges, orders, payables, people};
use crate::route::{Access, Dialect, Handler, Route};

pub fn find(method: &str, path: &[&str]) -> Option<Route> {
    let ["core", "v5", rest @ ..] = path else { return None };
    let open = |operation, handle: Handler| {
        Some(Route::new(operation, Dialect::Pagarme, Access::Open, handle))
    };
    let secret = |operation, handle: Handler| {
        Some(Route::new(operation, Dialect::Pagarme, Access::SecretKey, handle))
    };
    match (method, rest) {
        ("POST", ["tokens"]) => open("pagarme.token.create", cards::tokenize),
        ("GET", ["tokens", _]) => open("pagarme.token.get", cards::look),
        ("POST", ["orders"]) => secret("pagarme.order.create", orders::create),
        ("GET", ["orders"]) => secret("pagarme.order.list", orders::list),
        ("GET", ["orders", _]) => secret("pagarme.order.get", orders::get),
        ("GET", ["charges"]) => secret("pagarme.charge.list", charges::list),
        ("GET", ["charges", _]) => secret("pagarme.charge.get", charges::get),
        ("DELETE", ["charges", _]) => secret("pagarme.charge.cancel", charges::cancel),
        ("POST", ["charges", _, "capture"]) => secret("pagarme.charge.capture", charges::capture),
        ("POST", ["customers"]) => secret("pagarme.customer.create", people::create),
        ("GET", ["customers"]) => secret("pagarme.customer.list", people::list),
        ("GET", ["customers", _]) => secret("pagarme.customer.get", people::get),
        ("POST", ["customers", _, "cards"]) => secret("pagarme.card.create", people::keep),
        ("GET", ["customers", _, "cards"]) => secret("pagarme.card.list", people::cards),
        ("GET", ["customers", _, "cards", _]) => secret("pagarme.card.get", people::card),
        ("DELETE", ["customers", _, "cards", _]) => secret("pagarme.card.delete", people::forget),
        ("GET", ["payables"]) => secret("pagarme.payables", payables::list),
        ("GET", ["hooks"]) => secret("pagarme.hook.list", payables::hooks),
        ("POST", ["hooks", _, "retry"]) => secret("pagarme.hook.retry", payables::retry),
        _ => None,
    }
}
