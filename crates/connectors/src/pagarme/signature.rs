//! The signature of notices (RS256 over the raw body), and the keys that Pagar.me publishes.
//!
//! A notice is only a hint; a signature keeps strangers from causing questions. So reading a notice
//! never waits for a key: one whose key is not known yet is read like an unsigned one, and the keys
//! are fetched before the next question.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use aws_lc_rs::rsa::PublicKeyComponents;
use aws_lc_rs::signature::RSA_PKCS1_2048_8192_SHA256;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::{HeaderMap, HeaderName};
use rails::error::ProviderError;
use serde::Deserialize;
use upstream::call::Call;
use upstream::client::Client;

use crate::report::log;

const HEADER: HeaderName = HeaderName::from_static("x-webhook-asymmetric-signature");
const KEYS: &str = "/.well-known/jwks.json";
const ALGORITHM: &str = "RS256";

/// The published keys, by their ids.
pub struct Keys {
    client: Client,
    known: Mutex<Known>,
}

struct Known {
    keys: HashMap<String, PublicKeyComponents<Vec<u8>>>,
    /// Whether a key is missing, so that they are to be fetched.
    lacks_one: bool,
}

/// What the header says.
struct Signature<'a> {
    algorithm: &'a str,
    key: &'a str,
    bytes: Vec<u8>,
}

#[derive(Deserialize)]
struct Published {
    keys: Vec<PublishedKey>,
}

#[derive(Deserialize)]
struct PublishedKey {
    kid: String,
    n: String,
    e: String,
}

impl Keys {
    pub fn new(client: Client) -> Self {
        Self { client, known: Mutex::new(Known { keys: HashMap::new(), lacks_one: true }) }
    }

    /// Refuses a message with a wrong signature; one without is not refused.
    pub fn verify(&self, headers: &HeaderMap, body: &[u8]) -> Result<(), ProviderError> {
        let Some(header) = headers.get(HEADER) else { return Ok(()) };
        let signature = header.to_str().ok().and_then(read);
        let signature = signature.ok_or(ProviderError::NotAuthentic)?;
        if signature.algorithm != ALGORITHM {
            return Err(ProviderError::NotAuthentic);
        }
        let mut known = self.known();
        let Some(key) = known.keys.get(signature.key) else {
            known.lacks_one = true;
            return Ok(());
        };
        let verified = key.verify(&RSA_PKCS1_2048_8192_SHA256, body, &signature.bytes);
        verified.map_err(|_| ProviderError::NotAuthentic)
    }

    /// Fetches the keys, if one is missing. Without them, notices are read like unsigned ones.
    pub async fn fetch_missing(&self) {
        if !self.known().lacks_one {
            return;
        }
        let report = self.client.call(Call::get("find_keys", KEYS)).await;
        log(&self.client, &report);
        if let Ok(keys) = report.result.and_then(|answer| answer.json()).map(keys) {
            *self.known() = Known { keys, lacks_one: false };
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn keys(published: Published) -> HashMap<String, PublicKeyComponents<Vec<u8>>> {
    let decoded = |text: &str| URL_SAFE_NO_PAD.decode(text).ok();
    let read = |key: PublishedKey| {
        let components = PublicKeyComponents { n: decoded(&key.n)?, e: decoded(&key.e)? };
        Some((key.kid, components))
    };
    published.keys.into_iter().filter_map(read).collect()
}

/// Reads `alg=RS256; kid=…; signature=…`, in any order.
fn read(header: &str) -> Option<Signature<'_>> {
    let field = |name: &str| {
        let mut fields = header.split(';').filter_map(|field| field.trim().split_once('='));
        fields.find(|(found, _)| *found == name).map(|(_, value)| value)
    };
    let bytes = URL_SAFE_NO_PAD.decode(field("signature")?.trim_end_matches('=')).ok()?;
    Some(Signature { algorithm: field("alg")?, key: field("kid")?, bytes })
}
