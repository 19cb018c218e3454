//! Authenticated calls to a bank's API Pix.

use std::future::Future;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::header::AUTHORIZATION;
use serde::Serialize;
use serde::de::DeserializeOwned;
use upstream::call::{Call, Report};
use upstream::client::Client;
use upstream::failure::Failure;
use upstream::token::Token;

/// A client, and the credentials that its tokens are requested with.
#[derive(Clone)]
pub struct Session {
    client: Client,
    credentials: Credentials,
    /// What the bank puts before the paths of the standard.
    prefix: &'static str,
    token_path: &'static str,
}

/// What a token request carries.
#[derive(Clone)]
pub struct Credentials {
    id: String,
    secret: String,
}

/// The body of a token request as OAuth 2.0 names its field.
#[derive(Serialize)]
struct TokenRequest {
    grant_type: &'static str,
}

impl Credentials {
    pub fn new(id: &str, secret: &str) -> Self {
        Self { id: id.to_owned(), secret: secret.to_owned() }
    }

    fn basic(&self) -> String {
        format!("Basic {}", STANDARD.encode(format!("{}:{}", self.id, self.secret)))
    }
}

impl Session {
    pub fn new(
        client: Client,
        credentials: Credentials,
        token_path: &'static str,
        prefix: &'static str,
    ) -> Self {
        Self { client, credentials, prefix, token_path }
    }

    /// The path of the standard, as the bank mounts it.
    pub fn path(&self, of_standard: &str) -> String {
        format!("{}{of_standard}", self.prefix)
    }

    /// Sends a call and reads its answer.
    pub async fn ask<T: DeserializeOwned>(&self, call: Call) -> Result<T, Failure> {
        self.send(call).await?.json()
    }

    /// Sends a call whose answer says nothing but that it was accepted.
    pub async fn send(&self, call: Call) -> Result<upstream::call::Answer, Failure> {
        let report = self.client.send(call, || self.fetch_token()).await;
        log(&report);
        report.result
    }

    /// Requests a token of its own, to see what the bank grants.
    pub async fn granted(&self) -> Result<Vec<String>, Failure> {
        let token = self.fetch_token().await.map_err(Failure::of_token_request)?;
        Ok(token.scopes().to_vec())
    }

    fn fetch_token(&self) -> impl Future<Output = Result<Token, Failure>> + Send + 'static + use<> {
        let client = self.client.clone();
        let call = Call::post("token", self.token_path)
            .header(AUTHORIZATION, &self.credentials.basic())
            .json(&TokenRequest { grant_type: "client_credentials" });
        async move { client.ask_for_token(call).await }
    }
}

/// Logs what became of a call: neither bodies nor addresses, which name people.
fn log(report: &Report) {
    let (operation, outcome) = (report.operation, report.outcome());
    let took_ms = u64::try_from(report.elapsed.as_millis()).unwrap_or(u64::MAX);
    match &report.result {
        Ok(_) => tracing::debug!(operation, outcome, status = report.status, took_ms),
        Err(failure) => {
            tracing::warn!(operation, outcome, status = report.status, took_ms, %failure);
        }
    }
}
