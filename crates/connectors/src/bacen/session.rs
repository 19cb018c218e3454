//! Authenticated calls to a bank's API Pix.

use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::HeaderName;
use http::header::AUTHORIZATION;
use serde::Serialize;
use serde::de::DeserializeOwned;
use upstream::call::{Answer, Call};
use upstream::client::Client;
use upstream::failure::Failure;
use upstream::token::Token;

use crate::health;
use crate::report::{count_token, log};

const GRANT: &str = "client_credentials";

/// A client, and the bank's way to mount the standard.
#[derive(Clone)]
pub struct Session {
    client: Client,
    credentials: Credentials,
    mount: Mount,
    /// A header that every call carries, where the bank wants one.
    account: Option<(HeaderName, String)>,
}

/// Where a bank has the paths of the standard, and how it grants tokens.
#[derive(Debug, Clone, Copy)]
pub struct Mount {
    pub prefix: &'static str,
    pub token_path: &'static str,
    pub credentials_in: CredentialsIn,
}

/// Where a token request carries its credentials.
#[derive(Debug, Clone, Copy)]
pub enum CredentialsIn {
    /// In the header, with a JSON body; the bank grants what it allows the application.
    Header,
    /// In a form, which names the permissions that it asks for.
    Form { scopes: &'static [&'static str] },
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
    pub fn new(client: Client, credentials: Credentials, mount: Mount) -> Self {
        Self { client, credentials, mount, account: None }
    }

    /// Sends a header with every call.
    #[must_use]
    pub fn with_account(self, header: HeaderName, account: &str) -> Self {
        Self { account: Some((header, account.to_owned())), ..self }
    }

    /// The path of the standard, as the bank mounts it.
    pub fn path(&self, of_standard: &str) -> String {
        format!("{}{of_standard}", self.mount.prefix)
    }

    /// Sends a call and reads its answer.
    pub async fn ask<T: DeserializeOwned>(&self, call: Call) -> Result<T, Failure> {
        self.send(call).await?.json()
    }

    /// Sends a call whose answer says nothing but that it was accepted.
    pub async fn send(&self, call: Call) -> Result<Answer, Failure> {
        let call = match &self.account {
            Some((header, account)) => call.header(header.clone(), account),
            None => call,
        };
        let report = self.client.send(call, || self.fetch_token()).await;
        log(&self.client, &report);
        report.result
    }

    /// What the bank grants, as the token at hand says. Where that one lacks something, a new one
    /// is asked for: it may have been granted since.
    pub async fn granted(&self, needed: &[&str]) -> Result<Vec<String>, Failure> {
        let is_new = AtomicBool::new(false);
        let fetch = || {
            is_new.store(true, Ordering::Relaxed);
            self.fetch_token()
        };
        let token = self.client.token(fetch).await?;
        let suffices = needed.iter().all(|scope| health::permits(token.scopes(), scope));
        if suffices || is_new.load(Ordering::Relaxed) {
            return Ok(token.scopes().to_vec());
        }
        let token = self.client.replace_token(&token, || self.fetch_token()).await?;
        Ok(token.scopes().to_vec())
    }

    /// Whether the bank is left alone because it kept failing.
    pub fn is_left_alone(&self) -> bool {
        self.client.is_left_alone()
    }

    fn fetch_token(&self) -> impl Future<Output = Result<Token, Failure>> + Send + 'static + use<> {
        let Credentials { id, secret } = &self.credentials;
        let call = Call::post("token", self.mount.token_path);
        let call = match self.mount.credentials_in {
            CredentialsIn::Header => call
                .header(AUTHORIZATION, &self.credentials.basic())
                .json(&TokenRequest { grant_type: GRANT }),
            CredentialsIn::Form { scopes } => call.form(&[
                ("grant_type", GRANT),
                ("client_id", id),
                ("client_secret", secret),
                ("scope", &scopes.join(" ")),
            ]),
        };
        let client = self.client.clone();
        async move {
            let fetched = client.ask_for_token(call).await;
            count_token(client.name(), fetched.as_ref().map_or_else(Failure::code, |_| "ok"));
            fetched
        }
    }
}
