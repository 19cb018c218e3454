//! Which operation of which bank a path names.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::call::{Answer, Call, Listener};
use crate::reply::Reply;
use crate::world::World;
use crate::{cobrancas, efi, inter, pagarme};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// Efí's API Pix.
    Efi,
    /// Efí's API Cobranças, on another host and with another token.
    Cobrancas,
    Inter,
    Pagarme,
}

pub type Handler = fn(&mut World, &Call) -> Answer;

/// Who may call an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// The token doors, and public keys.
    Open,
    /// A token of the dialect whose scopes hold this one; an empty one is any.
    Scope(&'static str),
    /// HTTP Basic with a secret key.
    SecretKey,
}

#[derive(Clone, Copy)]
pub struct Route {
    pub operation: &'static str,
    pub dialect: Dialect,
    pub access: Access,
    /// Whether the bank tries the address in the body before it registers it.
    pub probes: bool,
    pub handle: Handler,
}

impl Route {
    pub fn new(operation: &'static str, dialect: Dialect, access: Access, handle: Handler) -> Self {
        Self { operation, dialect, access, probes: false, handle }
    }

    #[must_use]
    pub fn probing(self) -> Self {
        Self { probes: true, ..self }
    }
}

impl Dialect {
    pub fn of(call: &Call) -> Option<Self> {
        let second = call.segment(1);
        match call.segment(0) {
            "oauth" if second == "v2" => Some(Self::Inter),
            "pix" | "cobranca" | "banking" => Some(Self::Inter),
            "oauth" | "v2" | "v3" => Some(Self::Efi),
            "v1" => Some(Self::Cobrancas),
            "core" | ".well-known" => Some(Self::Pagarme),
            _ => None,
        }
    }

    /// The real hosts are others: what demands a certificate has a listener of its own.
    pub fn is_served_by(self, listener: Listener) -> bool {
        match listener {
            Listener::Plain => true,
            Listener::TlsClient => matches!(self, Self::Efi | Self::Inter),
            Listener::Tls => matches!(self, Self::Cobrancas | Self::Pagarme),
        }
    }

    pub fn unauthorized(self) -> Reply {
        match self {
            Self::Efi | Self::Cobrancas => Reply::json(
                401,
                &json!({
                    "error": "invalid_token",
                    "error_description": "Invalid or expired access token",
                }),
            ),
            Self::Inter => Reply::json(
                401,
                &json!({ "title": "Não autorizado", "detail": "Token inválido ou expirado." }),
            ),
            Self::Pagarme => {
                Reply::json(401, &json!({ "message": "Authorization has been denied." }))
            }
        }
    }

    pub fn not_found(self) -> Reply {
        match self {
            Self::Efi => {
                Reply::problem(404, "NaoEncontrado", "Não Encontrado", "Entidade não encontrada.")
            }
            Self::Cobrancas => Reply::json(404, &json!({ "code": 404, "error": "not_found" })),
            Self::Inter => {
                Reply::json(404, &json!({ "title": "Não encontrado", "detail": "Sem registro." }))
            }
            Self::Pagarme => Reply::json(404, &json!({ "message": "Not found." })),
        }
    }
}

pub fn find(call: &Call) -> Option<Route> {
    let parts: Vec<&str> = call.segments.iter().map(String::as_str).collect();
    match Dialect::of(call)? {
        Dialect::Efi => efi::routes::find(&call.method, &parts),
        Dialect::Cobrancas => cobrancas::routes::find(&call.method, &parts),
        Dialect::Inter => inter::routes::find(&call.method, &parts),
        Dialect::Pagarme => pagarme::routes::find(&call.method, &parts),
    }
}
