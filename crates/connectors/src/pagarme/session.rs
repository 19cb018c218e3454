//! Calls to Pagar.me's API v5: with the account's secret key, or with its public one alone.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::HeaderName;
use http::header::AUTHORIZATION;
use serde::de::DeserializeOwned;
use upstream::call::Call;
use upstream::client::Client;
use upstream::failure::Failure;

use crate::report::log;

/// Repeats the stored answer of an earlier request, for a day.
pub const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The name of the parameter that carries the public key.
pub const PUBLIC_KEY: &str = "appId";

/// A client, and the keys of the operator's account.
pub struct Session {
    client: Client,
    authorization: String,
    public_key: String,
}

impl Session {
    pub fn new(client: Client, secret_key: &str, public_key: &str) -> Self {
        let authorization = format!("Basic {}", STANDARD.encode(format!("{secret_key}:")));
        Self { client, authorization, public_key: public_key.to_owned() }
    }

    /// Sends a call of the account's and reads its answer.
    pub async fn ask<T: DeserializeOwned>(&self, call: Call) -> Result<T, Failure> {
        self.send(call.header(AUTHORIZATION, &self.authorization)).await
    }

    /// Sends a call as a browser does, which knows the public key alone, and reads its answer.
    pub async fn ask_in_public<T: DeserializeOwned>(&self, call: Call) -> Result<T, Failure> {
        self.send(call.query(PUBLIC_KEY, &self.public_key)).await
    }

    /// Whether the acquirer is left alone because it kept failing.
    pub fn is_left_alone(&self) -> bool {
        self.client.is_left_alone()
    }

    async fn send<T: DeserializeOwned>(&self, call: Call) -> Result<T, Failure> {
        let report = self.client.call(call).await;
        log(&self.client, &report);
        report.result?.json()
    }
}
