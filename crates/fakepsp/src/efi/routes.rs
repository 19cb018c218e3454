//! The paths of Efí's API Pix.

use super::{account, payout, sent, token};
use crate::bacen::{cob, pix, refund, webhook};
use crate::route::{Access, Dialect, Handler, Route};

pub fn find(method: &str, path: &[&str]) -> Option<Route> {
    let path = match path {
        [rest @ .., ""] => rest,
        path => path,
    };
    let scoped = |operation, scope, handle: Handler| {
        Some(Route::new(operation, Dialect::Efi, Access::Scope(scope), handle))
    };
    match (method, path) {
        ("POST", ["oauth", "token"]) => {
            Some(Route::new("efi.token", Dialect::Efi, Access::Open, token::issue))
        }
        ("PUT", ["v2", "cob", _]) => scoped("efi.cob.create", "cob.write", cob::create),
        ("POST", ["v2", "cob"]) => scoped("efi.cob.create", "cob.write", cob::create_unnamed),
        ("GET", ["v2", "cob", _]) => scoped("efi.cob.get", "cob.read", cob::get),
        ("PATCH", ["v2", "cob", _]) => scoped("efi.cob.update", "cob.write", cob::update),
        ("GET", ["v2", "cob"]) => scoped("efi.cob.list", "cob.read", cob::list),
        ("GET", ["v2", "loc", _, "qrcode"]) => {
            scoped("efi.loc.qrcode", "payloadlocation.read", cob::qrcode)
        }
        ("GET", ["v2", "pix"]) => scoped("efi.pix.list", "pix.read", pix::list),
        ("GET", ["v2", "pix", _]) => scoped("efi.pix.get", "pix.read", pix::get),
        ("PUT", ["v2", "pix", _, "devolucao", _]) => {
            scoped("efi.refund.create", "pix.write", refund::create)
        }
        ("GET", ["v2", "pix", _, "devolucao", _]) => {
            scoped("efi.refund.get", "pix.read", refund::get)
        }
        ("PUT", ["v2", "webhook", _]) => {
            scoped("efi.webhook.put", "webhook.write", webhook::put).map(Route::probing)
        }
        ("GET", ["v2", "webhook", _]) => scoped("efi.webhook.get", "webhook.read", webhook::get),
        ("GET", ["v2", "webhook"]) => scoped("efi.webhook.list", "webhook.read", webhook::list),
        ("DELETE", ["v2", "webhook", _]) => {
            scoped("efi.webhook.delete", "webhook.write", webhook::delete)
        }
        _ => own(method, path),
    }
}

/// What only Efí has.
fn own(method: &str, path: &[&str]) -> Option<Route> {
    let scoped = |operation, scope, handle: Handler| {
        Some(Route::new(operation, Dialect::Efi, Access::Scope(scope), handle))
    };
    match (method, path) {
        ("PUT", ["v3" | "v2", "gn", "pix", _]) => {
            scoped("efi.payout.create", "pix.send", payout::create)
        }
        ("GET", ["v2", "gn", "pix", "enviados", "id-envio", _]) => {
            scoped("efi.payout.get", "gn.pix.send.read", sent::get_by_id)
        }
        ("GET", ["v2", "gn", "pix", "enviados", _]) => {
            scoped("efi.payout.get", "gn.pix.send.read", sent::get_by_e2e)
        }
        ("GET", ["v2", "gn", "pix", "enviados"]) => {
            scoped("efi.payout.list", "gn.pix.send.read", sent::list)
        }
        ("GET", ["v2", "gn", "saldo"]) => {
            scoped("efi.balance", "gn.balance.read", account::balance)
        }
        ("GET", ["v2", "gn", "infracoes"]) => {
            scoped("efi.med.list", "gn.infractions.read", account::infractions)
        }
        ("POST", ["v2", "gn", "infracoes", _, "defesa"]) => {
            scoped("efi.med.defend", "gn.infractions.write", account::defend)
        }
        ("POST", ["v2", "gn", "webhook", "reenviar"]) => {
            scoped("efi.webhook.resend", "gn.webhook.resend", account::resend)
        }
        _ => None,
    }
}
