//! Efí tries an address before it sends notices there: first without its certificate, which must
//! be refused, then with it.

use std::sync::Arc;

use bytes::Bytes;
use http::HeaderMap;
use serde_json::json;
use url::Url;

use crate::call::{Call, Probe};
use crate::clock::instant;
use crate::fake::Shared;
use crate::net::client::{Message, Shown};
use crate::net::loopback;

const SKIP: &str = "x-skip-mtls-checking";

pub async fn address(shared: &Arc<Shared>, url: &str, call: &Call) -> Probe {
    // The handler has its own words for what is not a URL.
    let Ok(url) = Url::parse(url) else { return Probe::Accepted };
    if !loopback::is_loopback(&url) {
        return refused("A URL informada está inacessível");
    }
    if call.header(SKIP) != Some("true") {
        match attempt(shared, &url, Shown::Nothing).await {
            Ok(status) if status < 400 => {
                return refused(
                    "A autenticação de TLS mútuo não está configurada na URL informada",
                );
            }
            Err(error) if error.contains("cannot connect") => {
                return refused("A URL informada está inacessível");
            }
            _ => {}
        }
    }
    match attempt(shared, &url, Shown::Certificate).await {
        Ok(200..=299) => Probe::Accepted,
        Ok(status) => refused(&format!("A URL informada respondeu com o código HTTP {status}")),
        Err(error) if error.contains("in time") => {
            refused("A URL informada atingiu o tempo limite de resposta")
        }
        Err(error) if error.contains("cannot connect") => {
            refused("A URL informada está inacessível")
        }
        Err(_) => refused("Não foi possível receber uma resposta da URL informada"),
    }
}

fn refused(text: &str) -> Probe {
    Probe::Refused(text.to_owned())
}

/// The test notice goes to the address as it was given, without `/pix`.
async fn attempt(shared: &Shared, url: &Url, shown: Shown) -> Result<u16, String> {
    let now = shared.world().now();
    let body = json!({ "evento": "teste_webhook", "data_criacao": instant(now) }).to_string();
    let mut headers = HeaderMap::new();
    if let Ok(kind) = "application/json".parse() {
        headers.insert("content-type", kind);
    }
    let (method, url, body) = ("POST".to_owned(), url.clone(), Bytes::from(body));
    let answer = shared.client.send(Message { method, url, headers, body }, shown).await;
    answer.map(|answer| answer.status).map_err(|error| format!("{error:#}"))
}
