//! The paths of Inter's APIs.

use super::{banking, hooks, requests, token};
use crate::bacen::{cob, pix, refund, webhook};
use crate::route::{Access, Dialect, Handler, Route};

pub fn find(method: &str, path: &[&str]) -> Option<Route> {
    match (method, path) {
        ("POST", ["oauth", "v2", "token"]) => {
            Some(Route::new("inter.token", Dialect::Inter, Access::Open, token::issue))
        }
        (_, ["pix", "v2", rest @ ..]) => standard(method, rest),
        (_, ["cobranca", "v3", "cobrancas", rest @ ..]) => slips(method, rest),
        (_, ["banking", "v2", rest @ ..]) => money(method, rest),
        _ => None,
    }
}

#[expect(clippy::unnecessary_wraps, reason = "the tables below have no route for most paths")]
fn scoped(operation: &'static str, scope: &'static str, handle: Handler) -> Option<Route> {
    Some(Route::new(operation, Dialect::Inter, Access::Scope(scope), handle))
}

fn standard(method: &str, path: &[&str]) -> Option<Route> {
    match (method, path) {
        ("PUT", ["cob", _]) => scoped("inter.cob.create", "cob.write", cob::create),
        ("POST", ["cob"]) => scoped("inter.cob.create", "cob.write", cob::create_unnamed),
        ("GET", ["cob", _]) => scoped("inter.cob.get", "cob.read", cob::get),
        ("PATCH", ["cob", _]) => scoped("inter.cob.update", "cob.write", cob::update),
        ("GET", ["cob"]) => scoped("inter.cob.list", "cob.read", cob::list),
        ("GET", ["pix"]) => scoped("inter.pix.list", "pix.read", pix::list),
        ("GET", ["pix", _]) => scoped("inter.pix.get", "pix.read", pix::get),
        ("PUT", ["pix", _, "devolucao", _]) => {
            scoped("inter.refund.create", "pix.write", refund::create)
        }
        ("GET", ["pix", _, "devolucao", _]) => scoped("inter.refund.get", "pix.read", refund::get),
        ("PUT", ["webhook", _]) => scoped("inter.webhook.put", "webhook.write", webhook::put),
        ("GET", ["webhook", _]) => scoped("inter.webhook.get", "webhook.read", webhook::get),
        ("DELETE", ["webhook", _]) => {
            scoped("inter.webhook.delete", "webhook.write", webhook::delete)
        }
        _ => None,
    }
}

fn slips(method: &str, path: &[&str]) -> Option<Route> {
    const READ: &str = "boleto-cobranca.read";
    const WRITE: &str = "boleto-cobranca.write";
    match (method, path) {
        ("POST", []) => scoped("inter.slip.create", WRITE, requests::create),
        ("GET", []) => scoped("inter.slip.list", READ, requests::list),
        ("PUT", ["webhook"]) => scoped("inter.slip.webhook.put", WRITE, hooks::put_slips),
        ("GET", ["webhook"]) => scoped("inter.slip.webhook.get", READ, hooks::get_slips),
        ("DELETE", ["webhook"]) => scoped("inter.slip.webhook.delete", WRITE, hooks::delete_slips),
        ("GET", [_]) => scoped("inter.slip.get", READ, requests::get),
        ("POST", [_, "cancelar"]) => scoped("inter.slip.cancel", WRITE, requests::cancel),
        _ => None,
    }
}

fn money(method: &str, path: &[&str]) -> Option<Route> {
    const WEBHOOK: &str = "webhook-banking.write";
    match (method, path) {
        ("POST", ["pix"]) => scoped("inter.payout.create", "pagamento-pix.write", banking::create),
        ("GET", ["pix", _]) => scoped("inter.payout.get", "pagamento-pix.read", banking::get),
        ("GET", ["saldo"]) => scoped("inter.balance", "extrato.read", banking::balance),
        ("PUT", ["webhooks", "pix-pagamento"]) => {
            scoped("inter.payout.webhook.put", WEBHOOK, hooks::put_payouts)
        }
        ("GET", ["webhooks", "pix-pagamento"]) => {
            scoped("inter.payout.webhook.get", "webhook-banking.read", hooks::get_payouts)
        }
        ("DELETE", ["webhooks", "pix-pagamento"]) => {
            scoped("inter.payout.webhook.delete", WEBHOOK, hooks::delete_payouts)
        }
        _ => None,
    }
}
